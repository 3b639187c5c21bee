import { hash } from "node:crypto";

const prefix = "tollgate-domain=";
const digits = 40;
const proofLength = prefix.length + digits;

/** Where the TXT record of a host is looked up. */
export function proofName(host: string): string {
  return `_tollgate.${host}`;
}

/**
 * The value that proves a host for an account. It names the account and is no secret: the owner of the host's DNS decides
 * which account may serve it.
 */
export function proofValue(accountId: string): string {
  return `${prefix}${hash("sha256", `domain proof of ${accountId}`, "hex").slice(0, digits)}`;
}

/**
 * The values among the strings of TXT records that are meant as proofs, of whichever account. A record may have several strings,
 * and which belong together is not known, so neighbours that make up a proof are one. All of them are of the host's owner.
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
