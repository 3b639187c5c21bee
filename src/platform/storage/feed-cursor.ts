import type { Reads, WriteTransaction } from "./storage.ts";

/** A change as storage keeps it for those who read it later. */
export interface ChangeRow {
  seq: number;
  account_seq: number | null;
  kind: string;
  subject: string;
  details: string;
  state: string | null;
  topics: string | null;
}

/** Where in the changes a reader stands, and how to get on from there. */
export interface FeedCursor {
  /** The next changes with details that meet a condition in SQL, in order; moves the cursor past them and the others. */
  next(transaction: WriteTransaction, reader: string, limit: number, wanted: string): Promise<ChangeRow[]>;
  /** Whether there may be changes that were not read. */
  hasUnread(reads: Reads, reader: string): Promise<boolean>;
  /** Those of an account that were not read, the newest first. Some that were read a moment ago may be among them. */
  unread(reads: Reads, reader: string, accountSeq: number, limit: number): Promise<ChangeRow[]>;
}

export const columns = "seq, account_seq, kind, subject, details, state, topics";

/** One writer: what has a higher number was committed later. */
export const sqliteCursor: FeedCursor = {
  async next(transaction, reader, limit, wanted) {
    const position = await positionOf(transaction, reader);
    const newest = await transaction.one<{ seq: number | null }>("SELECT max(seq) AS seq FROM changes", []);
    const rows = await transaction.all<ChangeRow>(
      `SELECT ${columns} FROM changes WHERE seq > ? AND details IS NOT NULL AND ${wanted} ORDER BY seq LIMIT ?`,
      [position, limit],
    );
    const end = rows.length < limit ? (newest?.seq ?? position) : rows.at(-1)!.seq;
    if (end > position) await transaction.run("UPDATE feed_cursors SET position = ? WHERE reader = ?", [end, reader]);
    return rows;
  },
  async hasUnread(reads, reader) {
    const sql = "SELECT 1 AS found FROM changes WHERE seq > ? LIMIT 1";
    return (await reads.one(sql, [await positionOf(reads, reader)])) !== undefined;
  },
  async unread(reads, reader, accountSeq, limit) {
    return reads.all(
      `SELECT ${columns} FROM changes WHERE seq > ? AND account_seq = ? AND details IS NOT NULL ORDER BY seq DESC LIMIT ?`,
      [await positionOf(reads, reader), accountSeq, limit],
    );
  },
};

async function positionOf(reads: Reads, reader: string): Promise<number> {
  const sql = "SELECT position FROM feed_cursors WHERE reader = ?";
  return (await reads.one<{ position: number }>(sql, [reader]))?.position ?? 0;
}
