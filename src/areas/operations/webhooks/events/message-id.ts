import { hash } from "node:crypto";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const timeLength = 8;
const identityLength = 16; // 95 bits

/**
 * Derives an id, in the format of all ids, that is the same whenever the same cause is read again: receivers
 * deduplicate by it. `cause` identifies the event; the account distinguishes the causes of two installations.
 */
export function messageIdOf(accountId: string, cause: string, time: number): string {
  const digest = BigInt(`0x${hash("sha256", `${accountId} ${cause}`, "hex")}`);
  return `msg_${base62(BigInt(Math.max(0, time)), timeLength)}${base62(digest, identityLength)}`;
}

/** The lowest digits. */
function base62(value: bigint, length: number): string {
  let text = "";
  let rest = value;
  for (let at = 0; at < length; at++) {
    text = alphabet[Number(rest % 62n)] + text;
    rest /= 62n;
  }
  return text;
}
