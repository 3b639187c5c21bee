import type { Identity } from "../../api-keys/consumer-managers/managers.ts";

/** A person who has proven that a mailbox is theirs, or who they are at the portal's identity provider, or both. */
export interface PortalPerson {
  /** In lower case. */
  mailbox: string | undefined;
  identity?: Identity | undefined;
}
