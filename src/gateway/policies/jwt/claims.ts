import type { JWTPayload } from "jose";
import type { JwtOptions } from "./schema.ts";

/** The scopes of a token: `scope` separated by spaces (RFC 9068), or `scp` as a text or a list. */
export function tokenScopesOf({ scope, scp }: JWTPayload): string[] {
  const value = scope ?? scp;
  if (Array.isArray(value)) return value.filter((one) => typeof one === "string");
  return typeof value === "string" ? value.split(" ").filter((one) => one !== "") : [];
}

/** The first claim that is missing or has another value. A list in the token matches if it contains the value. */
export function wrongClaim(claims: JWTPayload, required: JwtOptions["requiredClaims"]): string | undefined {
  for (const [name, wanted] of Object.entries(required)) {
    const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
    const values: unknown[] = Array.isArray(value) ? value : [value];
    const isWanted = Array.isArray(wanted) ? wanted.some((one) => values.includes(one)) : values.includes(wanted);
    if (!isWanted) return name;
  }
  return undefined;
}

/**
 * The name of the token's subject, which is unique across issuers. Undefined if the token has no subject. If `deployment`
 * is set, the name is one of this deployment alone.
 */
export function subjectName({ iss, sub }: JWTPayload, deployment?: string): string | undefined {
  if (typeof sub !== "string" || sub === "" || sub.length > 512) return undefined;
  if (typeof iss !== "string" || iss.includes("#") || iss.length > 2048) return undefined;
  const isStorable = !/\p{Cc}/u.test(sub) && sub.isWellFormed() && !/[\p{Cc}\s]/u.test(iss);
  const prefix = deployment === undefined ? "jwt:" : `jwt@${deployment}:`;
  return isStorable ? `${prefix}${iss}#${sub}` : undefined;
}
