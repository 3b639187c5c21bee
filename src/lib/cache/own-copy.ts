/**
 * Copies a Latin-1 string. A slice retains its parent string, so a short slice of a request head would retain up to 32
 * kB.
 */
export function ownCopy(text: string): string {
  return Buffer.from(text, "latin1").toString("latin1");
}
