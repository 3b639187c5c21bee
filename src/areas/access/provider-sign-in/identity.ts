import type { MemberRole } from "../../../core/access.ts";
import { unescapePointer } from "../../../lib/text/json-pointer.ts";
import type { ProviderIdentity } from "../members/provider-members.ts";

export interface IdentityRules {
  issuer: string;
  roles: { claim: string; map: Map<string, { account: string; role: MemberRole }> } | undefined;
  allowedDomains: string[] | undefined;
}

export type Claims = Record<string, unknown>;

export function identityOf(
  claims: Claims,
  { issuer, roles }: Pick<IdentityRules, "issuer" | "roles">,
): ProviderIdentity {
  const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);
  return {
    issuer,
    subject: String(claims.sub),
    email: text(claims.email),
    isVerified: isTrue(claims.email_verified) || (isEntra(issuer) && isTrue(claims.xms_edov)),
    name: text(claims.name)?.slice(0, 128),
    roles: roles && rolesOf(valuesAt(claims, roles.claim), roles.map),
  };
}

export function isDomainAllowed({ email, isVerified }: ProviderIdentity, { allowedDomains }: IdentityRules): boolean {
  if (allowedDomains === undefined) return true;
  const domain = email?.slice(email.lastIndexOf("@") + 1).toLowerCase();
  return isVerified && domain !== undefined && allowedDomains.includes(domain);
}

/** Some providers send text or a number. */
function isTrue(value: unknown): boolean {
  return value === true || value === "true" || value === 1 || value === "1";
}

/** Entra ID has no `email_verified`; `xms_edov` means that the tenant owns the domain of the address. */
function isEntra(issuer: string): boolean {
  return new URL(issuer).hostname === "login.microsoftonline.com";
}

/** The values of a claim: a text or a list of texts. A name that begins with a slash is a JSON pointer. */
function valuesAt(claims: Claims, name: string): string[] {
  const steps = name.startsWith("/") ? name.slice(1).split("/").map(unescapePointer) : [name];
  let value: unknown = claims;
  for (const step of steps)
    value =
      typeof value === "object" && value !== null && Object.hasOwn(value, step) ? (value as Claims)[step] : undefined;
  return [value].flat().filter((each) => typeof each === "string");
}

/** If several values name an account, the first entry of the map wins. */
function rolesOf(values: string[], map: Map<string, { account: string; role: MemberRole }>): Map<string, MemberRole> {
  const roles = new Map<string, MemberRole>();
  for (const [value, { account, role }] of map)
    if (values.includes(value) && !roles.has(account)) roles.set(account, role);
  return roles;
}
