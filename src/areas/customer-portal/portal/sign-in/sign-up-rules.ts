import type { PortalSettings } from "../settings/present.ts";

/** How a person without an account may get one. Undefined: not at all. */
type SignUpMode = "open" | "approval";

export function signUpModeOf(
  { signUp, allowedDomains = [] }: Pick<PortalSettings, "signUp" | "allowedDomains">,
  mailbox: string,
): SignUpMode | undefined {
  if (signUp === "open" || signUp === "approval") return signUp;
  if (signUp !== "domains") return undefined;
  const domain = mailbox.slice(mailbox.lastIndexOf("@") + 1);
  return allowedDomains.includes(domain) ? "open" : undefined;
}
