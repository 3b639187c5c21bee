import type { JWTPayload } from "jose";
import { matchesPattern } from "./patterns.ts";
import type { ClaimPatterns } from "./present.ts";

/** The first claim that is missing or matches none of its patterns. A list matches with one of its items. */
export function unmatchedClaim(claims: JWTPayload, wanted: ClaimPatterns): string | undefined {
  return Object.entries(wanted).find(([name, patterns]) => {
    const values = textsOf(Object.hasOwn(claims, name) ? claims[name] : undefined);
    return ![patterns].flat().some((pattern) => values.some((value) => matchesPattern(pattern, value)));
  })?.[0];
}

/** Providers send numbers and booleans as such or as text. */
function textsOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value])
    .filter((one) => ["string", "number", "boolean"].includes(typeof one))
    .map(String);
}

const branchPrefix = "refs/heads/";

/** The branch that a claim names. Undefined if it names none: a tag of the same name is not the branch. */
export function branchIn(claims: JWTPayload, name: string): string | undefined {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
  if (typeof value !== "string") return undefined;
  const branch = value.startsWith(branchPrefix) ? value.slice(branchPrefix.length) : value;
  const isBranch = branch !== "" && branch.length <= 255 && !branch.startsWith("refs/");
  return isBranch ? branch : undefined;
}
