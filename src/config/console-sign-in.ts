import { type MemberRole, memberRoles } from "../core/access.ts";
import { isLoopbackHost } from "../lib/network/hosts.ts";
import { isMultiTenant } from "../platform/jwt/issuer.ts";
import type { EnvironmentReader } from "./environment-reader.ts";

export interface OidcConfig {
  /** Must equal the `iss` of the provider's ID tokens, character by character. */
  issuer: string;
  clientId: string;
  /** Undefined for a public client. */
  clientSecret: string | undefined;
  /** The name of the claim that grants roles, and the role that each of its values grants. */
  roles: { claim: string; map: Map<string, { account: string; role: MemberRole }> } | undefined;
  /** Lower case. Undefined if all domains may sign in. */
  allowedDomains: string[] | undefined;
}

export const oidcSettings = ["CLIENT_ID", "CLIENT_SECRET", "ROLE_CLAIM", "ROLE_MAP", "ALLOWED_DOMAINS"].map(
  (name) => `TOLLGATE_OIDC_${name}`,
);

/** Returns undefined if no identity provider is configured, or if its settings are invalid. */
export function readOidcConfig({ given, errors }: EnvironmentReader): OidcConfig | undefined {
  const issuer = given("TOLLGATE_OIDC_ISSUER");
  const clientSecret = given("TOLLGATE_OIDC_CLIENT_SECRET");
  if (issuer === undefined) return undefined;
  const before = errors.length;
  const fail = (text: string) => errors.push(text);
  const url = URL.parse(issuer);
  if (!url || (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopbackHost(url.hostname))))
    fail("TOLLGATE_OIDC_ISSUER must be an address that begins with https://.");
  else if (isMultiTenant(issuer))
    fail("TOLLGATE_OIDC_ISSUER must name one tenant, such as https://login.microsoftonline.com/<tenant id>/v2.0.");
  const clientId = given("TOLLGATE_OIDC_CLIENT_ID");
  if (clientId === undefined) fail("TOLLGATE_OIDC_ISSUER needs TOLLGATE_OIDC_CLIENT_ID.");
  const claim = given("TOLLGATE_OIDC_ROLE_CLAIM");
  const map = given("TOLLGATE_OIDC_ROLE_MAP");
  if ((claim === undefined) !== (map === undefined))
    fail("TOLLGATE_OIDC_ROLE_CLAIM and TOLLGATE_OIDC_ROLE_MAP must be set together.");
  const roles = map === undefined ? undefined : roleMap(map);
  if (map !== undefined && !roles)
    fail(
      'TOLLGATE_OIDC_ROLE_MAP must be JSON such as {"platform-team": {"account": "default", "role": "editor"}}, ' +
        `with the roles ${memberRoles.join(", ")}.`,
    );
  const domains = given("TOLLGATE_OIDC_ALLOWED_DOMAINS")
    ?.split(",")
    .flatMap((domain) => domain.trim().toLowerCase() || []);
  if (domains?.some((domain) => !/^[^\s@]+\.[^\s@]+$/.test(domain)))
    fail("TOLLGATE_OIDC_ALLOWED_DOMAINS must be domains, such as acme.example, separated by commas.");
  if (errors.length > before) return undefined;
  return {
    issuer,
    clientId: clientId!,
    clientSecret,
    roles: claim !== undefined && roles ? { claim, map: roles } : undefined,
    allowedDomains: domains,
  };
}

function roleMap(text: string): Map<string, { account: string; role: MemberRole }> | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) return undefined;
  const map = new Map<string, { account: string; role: MemberRole }>();
  for (const [value, entry] of Object.entries(parsed)) {
    const { account, role } = (entry ?? {}) as { account?: unknown; role?: unknown };
    const known = memberRoles.find((each) => each === role);
    if (typeof account !== "string" || !known) return undefined;
    map.set(value, { account, role: known });
  }
  return map;
}
