import type { JWTPayload } from "jose";
import type { JwtOptions } from "./schema.ts";

/** The scopes of a token: `scope` with blanks between them (RFC 9068), or `scp` as a text or a list. */
export function scopesOf({ scope, scp }: JWTPayload): string[] {
  const value = scope ?? scp;
  if (Array.isArray(value)) return value.filter((one) => typeof one === "string");
  return typeof value === "string" ? value.split(" ").filter((one) => one !== "") : [];
}

/** The first claim that is missing or has another value. A list in the token fits if it contains the value. */
export function wrongClaim(claims: JWTPayload, required: JwtOptions["requiredClaims"]): string | undefined {
  for (const [name, wanted] of Object.entries(required)) {
    const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
    const values: unknown[] = Array.isArray(value) ? value : [value];
    const isWanted = Array.isArray(wanted) ? wanted.some((one) => values.includes(one)) : values.includes(wanted);
    if (!isWanted) return name;
  }
  return undefined;
}

/** Whoever the token was issued to, under a name that no other issuer's token has. Undefined if it names nobody. */
export function subjectName({ iss, sub }: JWTPayload): string | undefined {
  if (typeof sub !== "string" || sub === "" || sub.length > 512) return undefined;
  if (typeof iss !== "string" || iss.includes("#") || iss.length > 2048) return undefined;
  const isStorable = !/\p{Cc}/u.test(sub) && sub.isWellFormed() && !/[\p{Cc}\s]/u.test(iss);
  return isStorable ? `jwt:${iss}#${sub}` : undefined;
}
