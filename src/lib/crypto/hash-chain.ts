/** What the first link of a chain follows. */
export const emptyChain = "0".repeat(64);

/**
 * The hash of a link: it covers the link before, the number of its first entry, from 1, and its content: the text of an entry,
 * or a pack of several. In hex. Bun's own function takes half the time of the one of `node:crypto`.
 */
export function linkHash(previous: string, number: number, content: string | Uint8Array): string {
  const before = `${previous}\n${number}\n`;
  if (typeof content === "string") return Bun.SHA256.hash(before + content, "hex");
  return new Bun.SHA256().update(before).update(content).digest("hex");
}

/** Describes entries that are not those that their hash is over: which of many it was cannot be known. The id is that of the first. */
export function changedLink(first: number, last: number, id: unknown): { number: number; id?: string; detail: string } {
  const others = last > first ? `or one of the ${last - first} after it ` : "";
  const detail = `${others}was changed after it was sealed`;
  return { number: first, ...(typeof id === "string" ? { id } : {}), detail };
}

/** Describes the first entry that is missing: by its own id where something left of it has that, else by the id of the entry before. */
export function missingEntry(
  number: number,
  { id, previousId }: { id?: string | undefined; previousId?: string | undefined } = {},
): { number: number; id?: string; previousId?: string; detail: string } {
  return { number, ...(id ? { id } : previousId ? { previousId } : {}), detail: "is missing" };
}

/** What the signature of a chain's head is over. */
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
