import type { Reads } from "../storage.ts";
import { type ChangeRow, columns, type FeedCursor } from "./feed-cursor.ts";

interface CursorRow {
  position: number;
  snapshot: string | null;
  target: string | null;
  current: string;
  /** The cursor is from a cluster that was ahead of this one, because a dump was restored. */
  is_foreign: boolean;
  /** Rows of such a cluster are unread: this one has not handed out their transaction ids yet. */
  has_foreign: boolean;
}

const cursorOf = `SELECT position, snapshot, target, pg_current_snapshot()::text AS current,
    coalesce(pg_snapshot_xmax(snapshot::pg_snapshot) > pg_snapshot_xmax(pg_current_snapshot()), false) AS is_foreign,
    EXISTS (SELECT 1 FROM changes WHERE xid >= pg_snapshot_xmax(pg_current_snapshot())) AS has_foreign
  FROM feed_cursors WHERE reader = ?`;
const moveTo = "UPDATE feed_cursors SET position = ?, snapshot = ?, target = ? WHERE reader = ?";

/**
 * Selects the lowest number of the rows that one snapshot does not see and a later one may see: those written after it or
 * in progress in it. It does not select everything since the oldest transaction of the snapshot, because a transaction
 * that stays open for long, in any database of the cluster, would make each query read all changes since. It reads an
 * index only. From that number on, a page is found by walking the primary key: selecting and sorting all unseen rows took
 * 1.2 s for 500,000.
 */
export const firstUnseen = `SELECT min(seq) AS first FROM (
    SELECT seq FROM changes WHERE xid >= pg_snapshot_xmax(?::pg_snapshot) AND xid < pg_snapshot_xmax(?::pg_snapshot)
    UNION ALL
    SELECT seq FROM changes WHERE xid = ANY (ARRAY(SELECT pg_snapshot_xip(?::pg_snapshot)))
  ) AS unseen`;
const anyAfter = `SELECT 1 AS found FROM (
    (SELECT 1 FROM changes WHERE xid >= pg_snapshot_xmax(?::pg_snapshot) ORDER BY xid LIMIT 1)
    UNION ALL
    (SELECT 1 FROM changes WHERE xid = ANY (ARRAY(SELECT pg_snapshot_xip(?::pg_snapshot))) ORDER BY xid LIMIT 1)
  ) AS unseen LIMIT 1`;
/** By number, from the first unseen row or the end of the last page. */
export const pageAfter = (wanted: string) => `SELECT ${columns} FROM changes
  WHERE seq > ? AND pg_visible_in_snapshot(xid, ?::pg_snapshot)
    AND (?::text IS NULL OR NOT pg_visible_in_snapshot(xid, ?::pg_snapshot))
    AND details IS NOT NULL AND ${wanted}
  ORDER BY seq LIMIT ?`;

/**
 * Numbers commit out of order, so the cursor is a snapshot: the changes it sees are read. A pass reads the changes that
 * the current snapshot (the target) sees in addition, in pages by number. After the last page the target becomes the
 * snapshot. A cursor without a snapshot is new or comes from SQLite: everything after its position is unread.
 */
export const postgresCursor: FeedCursor = {
  async next(transaction, reader, limit, wanted) {
    const cursor = await transaction.one<CursorRow>(cursorOf, [reader]);
    if (!cursor) return [];
    if (cursor.is_foreign || cursor.has_foreign) {
      // Transaction ids of the other cluster are unrelated: with them, restored rows would look uncommitted.
      await transaction.run(
        "UPDATE changes SET xid = pg_current_xact_id() WHERE xid >= pg_snapshot_xmax(pg_current_snapshot())",
        [],
      );
      if (cursor.is_foreign) await transaction.run(moveTo, [cursor.position, null, null, reader]);
      return [];
    }
    const { position, snapshot } = cursor;
    const target = cursor.target ?? cursor.current;
    const isBegun = snapshot === null || cursor.target !== null;
    const before = isBegun ? position : await beforeUnseen(transaction, snapshot, target);
    const rows = await transaction.all<ChangeRow>(pageAfter(wanted), [before, target, snapshot, snapshot, limit]);
    const last = rows.at(-1)?.seq ?? position;
    const isDone = rows.length < limit;
    const moved = isDone ? [Math.max(position, last), target, null] : [last, snapshot, target];
    await transaction.run(moveTo, [...moved, reader]);
    return rows;
  },
  async hasUnread(reads, reader) {
    const cursor = await reads.one<CursorRow>(cursorOf, [reader]);
    if (!cursor) return false;
    const { snapshot, target, is_foreign, has_foreign } = cursor;
    if (snapshot === null || target !== null || is_foreign || has_foreign) return true;
    return (await reads.one(anyAfter, [snapshot, snapshot])) !== undefined;
  },
  async unread(reads: Reads, reader, { accountSeq, before, limit }) {
    const cursor = await reads.one<CursorRow>(cursorOf, [reader]);
    // Before the reader has registered, everything is unread.
    const snapshot = cursor?.snapshot ?? null;
    const after = snapshot === null ? (cursor?.position ?? 0) : await beforeUnseen(reads, snapshot, cursor!.current);
    const sql = `SELECT ${columns} FROM changes
      WHERE seq > ? AND seq < ? AND account_seq = ? AND details IS NOT NULL
        AND (?::text IS NULL OR NOT pg_visible_in_snapshot(xid, ?::pg_snapshot))
      ORDER BY seq DESC LIMIT ?`;
    return reads.all(sql, [after, before, accountSeq, snapshot, snapshot, limit]);
  },
};

/** Returns a number below those of all rows that `seen` does not see and `target` does. */
async function beforeUnseen(reads: Reads, seen: string, target: string): Promise<number> {
  const row = await reads.one<{ first: number | null }>(firstUnseen, [seen, target, seen]);
  return (row?.first ?? Number.MAX_SAFE_INTEGER) - 1;
}
