/**
 * A copy of a Latin-1 text: a part of a text keeps the whole of it in memory, and what is cut from the head of a request would
 * keep 32 kB.
 */
export function ownCopy(text: string): string {
  return Buffer.from(text, "latin1").toString("latin1");
}
