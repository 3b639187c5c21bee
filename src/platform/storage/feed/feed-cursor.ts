import type { Reads, WriteTransaction } from "../storage.ts";

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

/** Where in the changes a reader stands, and how to get on from there. */
export interface FeedCursor {
  /**
   * The next rows with details that meet a condition in SQL, in order, until there are so many changes; moves the cursor past
   * them and the others.
   */
  next(transaction: WriteTransaction, reader: string, limit: number, wanted: string): Promise<ChangeRow[]>;
  /** Whether there may be changes that were not read. */
  hasUnread(reads: Reads, reader: string): Promise<boolean>;
  /** Those of an account that were not read, the newest first. Some that were read a moment ago may be among them. */
  unread(reads: Reads, reader: string, page: UnreadPage): Promise<ChangeRow[]>;
}

export interface UnreadPage {
  accountSeq: number;
  /** A `seq`: changes with a lower one. */
  before: number;
  /** Of changes; a pack is not split. */
  limit: number;
}

export const columns = "seq, account_seq, kind, subject, details, state, topics, count, pack";

/** The rows that meet a condition until they are so many changes. A pack is long, so it is counted before it is read. */
async function rowsUntil(
  reads: Reads,
  order: "ASC" | "DESC",
  condition: string,
  parameters: unknown[],
  limit: number,
): Promise<ChangeRow[]> {
  const from = `FROM changes WHERE ${condition} AND details IS NOT NULL`;
  const counted = await reads.all<{ seq: number; count: number }>(
    `SELECT seq, count ${from} ORDER BY seq ${order} LIMIT ?`,
    [...parameters, limit],
  );
  let [total, last] = [0, 0];
  for (const { seq, count } of counted) {
    last = seq;
    total += count;
    if (total >= limit) break;
  }
  const until = order === "ASC" ? "seq <= ?" : "seq >= ?";
  if (total === 0) return [];
  return reads.all(`SELECT ${columns} ${from} AND ${until} ORDER BY seq ${order}`, [...parameters, last]);
}

/** One writer: what has a higher number was committed later. */
export const sqliteCursor: FeedCursor = {
  async next(transaction, reader, limit, wanted) {
    const position = await positionOf(transaction, reader);
    const newest = await transaction.one<{ seq: number | null }>("SELECT max(seq) AS seq FROM changes", []);
    const rows = await rowsUntil(transaction, "ASC", `seq > ? AND ${wanted}`, [position], limit);
    const end = countChanges(rows) < limit ? (newest?.seq ?? position) : rows.at(-1)!.seq;
    if (end > position) await transaction.run("UPDATE feed_cursors SET position = ? WHERE reader = ?", [end, reader]);
    return rows;
  },
  async hasUnread(reads, reader) {
    const sql = "SELECT 1 AS found FROM changes WHERE seq > ? LIMIT 1";
    return (await reads.one(sql, [await positionOf(reads, reader)])) !== undefined;
  },
  async unread(reads, reader, { accountSeq, before, limit }) {
    const position = await positionOf(reads, reader);
    return rowsUntil(reads, "DESC", "seq > ? AND seq < ? AND account_seq = ?", [position, before, accountSeq], limit);
  },
};

export function countChanges(rows: ChangeRow[]): number {
  return rows.reduce((sum, { count }) => sum + count, 0);
}

async function positionOf(reads: Reads, reader: string): Promise<number> {
  const sql = "SELECT position FROM feed_cursors WHERE reader = ?";
  return (await reads.one<{ position: number }>(sql, [reader]))?.position ?? 0;
}
