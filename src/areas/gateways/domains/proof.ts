import { hash } from "node:crypto";

const prefix = "tollgate-domain=";
const digits = 40;
const proofLength = prefix.length + digits;

/** The name of the TXT record of a host. */
export function proofName(host: string): string {
  return `_tollgate.${host}`;
}

/**
 * The value that proves a host for an account. It contains the account and is no secret: the owner of the host's DNS
 * decides which account may serve it.
 */
export function proofValue(accountId: string): string {
  return `${prefix}${hash("sha256", `domain proof of ${accountId}`, "hex").slice(0, digits)}`;
}

/**
 * Returns the values among the strings of TXT records that are proofs of any account. A record may have several
 * strings, and it is unknown which belong together, so adjacent strings that form a proof are joined. All of them are
 * written by the host's owner.
 */
export function proofsIn(strings: string[]): string[] {
  const proofs = strings.filter((value) => value.startsWith(prefix));
  for (let first = 0; first < strings.length; first++) {
    let joined = strings[first]!;
    for (let next = first + 1; next < strings.length && joined.length < proofLength; next++) {
      joined += strings[next]!;
      if (joined.length === proofLength && joined.startsWith(prefix)) proofs.push(joined);
    }
  }
  return proofs;
}
