/** The previous hash of the first link. */
export const emptyChain = "0".repeat(64);

/**
 * Returns the hash of a link in hex. It covers the previous hash, the number of the first entry (from 1) and the
 * content: the text of an entry, or a pack of several entries. `Bun.SHA256` takes half the time of `node:crypto`.
 */
export function linkHash(previous: string, number: number, content: string | Uint8Array): string {
  const before = `${previous}\n${number}\n`;
  if (typeof content === "string") return Bun.SHA256.hash(before + content, "hex");
  return new Bun.SHA256().update(before).update(content).digest("hex");
}

/**
 * Describes a link whose content does not match its hash. In a pack, it is unknown which entry was changed, so `id` is
 * that of the first.
 */
export function changedLink(first: number, last: number, id: unknown): { number: number; id?: string; detail: string } {
  const others = last > first ? `or one of the ${last - first} after it ` : "";
  const detail = `${others}was changed after it was sealed`;
  return { number: first, ...(typeof id === "string" ? { id } : {}), detail };
}

/**
 * Describes the first missing entry: by its own id if that is known from elsewhere, else by the id of the previous
 * entry.
 */
export function missingEntry(
  number: number,
  { id, previousId }: { id?: string | undefined; previousId?: string | undefined } = {},
): { number: number; id?: string; previousId?: string; detail: string } {
  return { number, ...(id ? { id } : previousId ? { previousId } : {}), detail: "is missing" };
}

/** Returns the text that the signature of a chain's head signs. */
export function headText(head: {
  account: string;
  count: number;
  hash: string;
  time: string;
  trimmed?: number | undefined;
}): string {
  const text = `tollgate-audit-head\n${head.account}\n${head.count}\n${head.hash}\n${head.time}`;
  return head.trimmed === undefined ? text : `${text}\n${head.trimmed}`;
}
