import type { PortalSite } from "../../../client/portal/schema.gen.ts";

/** Whether people can sign in at the portal itself, and not only through a hand-off. */
export const canEnter = ({ signIn }: PortalSite): boolean => signIn.mail || signIn.provider !== undefined;
