import type { Reads, WriteTransaction } from "../storage.ts";

/** A stored row for durable readers: a change with its details, or a pack of changes; see change-pack.ts. */
export interface ChangeRow {
  seq: number;
  account_seq: number | null;
  /** In a pack of several kinds, one line for each change. */
  kind: string;
  /** In a pack, the value of its first change. */
  subject: string;
  /** In a pack, its metadata. */
  details: string;
  /** In a pack, one line for each change, which is empty if the change has none. */
  state: string | null;
  topics: string | null;
  count: number;
  pack: Uint8Array | null;
}

/** The position of a durable reader in the changes. */
export interface FeedCursor {
  /**
   * Returns the next rows with details that meet a SQL condition, in order and up to a number of changes. Moves the
   * cursor past them and past the skipped rows.
   */
  next(transaction: WriteTransaction, reader: string, limit: number, wanted: string): Promise<ChangeRow[]>;
  /** Whether there may be unread changes. */
  hasUnread(reads: Reads, reader: string): Promise<boolean>;
  /** Returns the unread changes of an account, the newest first. Changes that were just read may be included. */
  unread(reads: Reads, reader: string, page: UnreadPage): Promise<ChangeRow[]>;
}

interface UnreadPage {
  accountSeq: number;
  /** Only changes with a lower `seq`. */
  before: number;
  /** The maximum number of changes. A pack is not split. */
  limit: number;
}

export const columns = "seq, account_seq, kind, subject, details, state, topics, count, pack";

/**
 * Returns rows that meet a condition, up to a number of changes. A pack is large, so its changes are counted before it
 * is read.
 */
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

/** SQLite has one writer, so a higher number was committed later. */
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
