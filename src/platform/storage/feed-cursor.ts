import type { Reads, WriteTransaction } from "./storage.ts";

/** Changes as storage keeps them for those who read them later: one, with its details, or a pack; see change-pack.ts. */
export interface ChangeRow {
  seq: number;
  account_seq: number | null;
  /** Of a pack of several kinds, a line for each change. */
  kind: string;
  /** Of a pack, that of its first change. */
  subject: string;
  /** Of a pack, what is known of it without unpacking it. */
  details: string;
  /** Of a pack, a line for each change, empty where it has none. */
  state: string | null;
  topics: string | null;
  count: number;
  pack: Uint8Array | null;
}

/** How much is read at a time: so many rows, and no more once they are so many changes. */
export interface Page {
  rows: number;
  changes: number;
}

export function isFull(rows: ChangeRow[], page: Page): boolean {
  return rows.length >= page.rows || countChanges(rows) >= page.changes;
}

/** Where in the changes a reader stands, and how to get on from there. */
export interface FeedCursor {
  /** The next rows with details that meet a condition in SQL, in order; moves the cursor past them and the others. */
  next(transaction: WriteTransaction, reader: string, page: Page, wanted: string): Promise<ChangeRow[]>;
  /** Whether there may be changes that were not read. */
  hasUnread(reads: Reads, reader: string): Promise<boolean>;
  /** Those of an account that were not read, the newest first. Some that were read a moment ago may be among them. */
  unread(reads: Reads, reader: string, accountSeq: number, limit: number): Promise<ChangeRow[]>;
}

export const columns = "seq, account_seq, kind, subject, details, state, topics, count, pack";

/** A page of the rows that meet a condition. A pack is long, so it is counted before it is read. */
async function rowsUntil(
  reads: Reads,
  order: "ASC" | "DESC",
  condition: string,
  parameters: unknown[],
  page: Page,
): Promise<ChangeRow[]> {
  const from = `FROM changes WHERE ${condition} AND details IS NOT NULL`;
  const counted = await reads.all<{ seq: number; count: number }>(
    `SELECT seq, count ${from} ORDER BY seq ${order} LIMIT ?`,
    [...parameters, page.rows],
  );
  let [total, last] = [0, 0];
  for (const { seq, count } of counted) {
    last = seq;
    total += count;
    if (total >= page.changes) break;
  }
  const until = order === "ASC" ? "seq <= ?" : "seq >= ?";
  if (total === 0) return [];
  return reads.all(`SELECT ${columns} ${from} AND ${until} ORDER BY seq ${order}`, [...parameters, last]);
}

/** One writer: what has a higher number was committed later. */
export const sqliteCursor: FeedCursor = {
  async next(transaction, reader, page, wanted) {
    const position = await positionOf(transaction, reader);
    const newest = await transaction.one<{ seq: number | null }>("SELECT max(seq) AS seq FROM changes", []);
    const rows = await rowsUntil(transaction, "ASC", `seq > ? AND ${wanted}`, [position], page);
    const end = isFull(rows, page) ? rows.at(-1)!.seq : (newest?.seq ?? position);
    if (end > position) await transaction.run("UPDATE feed_cursors SET position = ? WHERE reader = ?", [end, reader]);
    return rows;
  },
  async hasUnread(reads, reader) {
    const sql = "SELECT 1 AS found FROM changes WHERE seq > ? LIMIT 1";
    return (await reads.one(sql, [await positionOf(reads, reader)])) !== undefined;
  },
  async unread(reads, reader, accountSeq, limit) {
    const position = await positionOf(reads, reader);
    return rowsUntil(reads, "DESC", "seq > ? AND account_seq = ?", [position, accountSeq], {
      rows: limit,
      changes: limit,
    });
  },
};

export function countChanges(rows: ChangeRow[]): number {
  return rows.reduce((sum, { count }) => sum + count, 0);
}

async function positionOf(reads: Reads, reader: string): Promise<number> {
  const sql = "SELECT position FROM feed_cursors WHERE reader = ?";
  return (await reads.one<{ position: number }>(sql, [reader]))?.position ?? 0;
}
