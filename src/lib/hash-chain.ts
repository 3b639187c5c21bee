/** What the first link of a chain follows. */
export const emptyChain = "0".repeat(64);

/**
 * The hash of a link: it covers the link before, its own number from 1, and its text. In hex. Bun's own function takes half
 * the time of the one of `node:crypto`.
 */
export function linkHash(previous: string, number: number, text: string): string {
  return Bun.SHA256.hash(`${previous}\n${number}\n${text}`, "hex");
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
