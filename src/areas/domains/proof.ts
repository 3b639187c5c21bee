import { hash } from "node:crypto";

const prefix = "tollgate-domain=";
const digits = 40;

/** Where the TXT record of a host is looked up. */
export function proofName(host: string): string {
  return `_tollgate.${host}`;
}

/**
 * The value that proves a host for an account. It names the account and is no secret: whoever controls the host's DNS decides
 * which account may serve it.
 */
export function proofValue(accountId: string): string {
  return `${prefix}${hash("sha256", `domain proof of ${accountId}`, "hex").slice(0, digits)}`;
}

/** Whether a TXT record is meant as a proof, of whichever account. */
export function isProof(value: string): boolean {
  return value.startsWith(prefix);
}
