import type { Reads } from "../storage.ts";
import { type ChangeRow, columns, type FeedCursor } from "./feed-cursor.ts";

interface CursorRow {
  position: number;
  snapshot: string | null;
  target: string | null;
  current: string;
  /** The cursor is from a cluster that was ahead of this one: a dump was restored. */
  is_foreign: boolean;
}

const cursorOf = `SELECT position, snapshot, target, pg_current_snapshot()::text AS current,
    coalesce(pg_snapshot_xmax(snapshot::pg_snapshot) > pg_snapshot_xmax(pg_current_snapshot()), false) AS is_foreign
  FROM feed_cursors WHERE reader = ?`;
const moveTo = "UPDATE feed_cursors SET position = ?, snapshot = ?, target = ? WHERE reader = ?";

/** What became visible between two snapshots. */
const firstPage = (wanted: string) => `SELECT ${columns} FROM changes
  WHERE xid >= pg_snapshot_xmin(?::pg_snapshot) AND xid < pg_snapshot_xmax(?::pg_snapshot)
    AND NOT pg_visible_in_snapshot(xid, ?::pg_snapshot) AND pg_visible_in_snapshot(xid, ?::pg_snapshot)
    AND details IS NOT NULL AND ${wanted}
  ORDER BY seq LIMIT ?`;
/** By number from where the last page ended: a sort of all that is left for each page would be quadratic. */
const laterPage = (wanted: string) => `SELECT ${columns} FROM changes
  WHERE seq > ? AND pg_visible_in_snapshot(xid, ?::pg_snapshot)
    AND (?::text IS NULL OR NOT pg_visible_in_snapshot(xid, ?::pg_snapshot))
    AND details IS NOT NULL AND ${wanted}
  ORDER BY seq LIMIT ?`;

/**
 * Numbers commit out of order, so the cursor is a snapshot: what it sees is read. A pass reads what the current snapshot (the
 * target) sees beyond that, in pages by number; the target becomes the snapshot after the last page. A cursor without a
 * snapshot is new, or comes from SQLite: everything beyond its position is unread.
 */
export const postgresCursor: FeedCursor = {
  async next(transaction, reader, limit, wanted) {
    const cursor = await transaction.one<CursorRow>(cursorOf, [reader]);
    if (!cursor) return [];
    if (cursor.is_foreign) {
      // Transaction ids begin anew there. Those of the restored rows would make them look as if not committed yet.
      await transaction.run(
        "UPDATE changes SET xid = pg_current_xact_id() WHERE xid >= pg_snapshot_xmax(pg_current_snapshot())",
        [],
      );
      await transaction.run(moveTo, [cursor.position, null, null, reader]);
      return [];
    }
    const { position, snapshot } = cursor;
    const target = cursor.target ?? cursor.current;
    const rows =
      snapshot !== null && cursor.target === null
        ? await transaction.all<ChangeRow>(firstPage(wanted), [snapshot, target, snapshot, target, limit])
        : await transaction.all<ChangeRow>(laterPage(wanted), [position, target, snapshot, snapshot, limit]);
    const last = rows.at(-1)?.seq ?? position;
    const isDone = rows.length < limit;
    const moved = isDone ? [Math.max(position, last), target, null] : [last, snapshot, target];
    await transaction.run(moveTo, [...moved, reader]);
    return rows;
  },
  async hasUnread(reads, reader) {
    const cursor = await reads.one<CursorRow>(cursorOf, [reader]);
    if (!cursor) return false;
    const { snapshot, target, is_foreign } = cursor;
    if (snapshot === null || target !== null || is_foreign) return true;
    const sql = `SELECT 1 AS found FROM changes WHERE xid >= pg_snapshot_xmin(?::pg_snapshot)
      AND NOT pg_visible_in_snapshot(xid, ?::pg_snapshot) LIMIT 1`;
    return (await reads.one(sql, [snapshot, snapshot])) !== undefined;
  },
  async unread(reads: Reads, reader, { accountSeq, before, limit }) {
    const cursor = await reads.one<CursorRow>(cursorOf, [reader]);
    if (!cursor) return [];
    const { snapshot, position } = cursor;
    const ending = "AND seq < ? AND account_seq = ? AND details IS NOT NULL ORDER BY seq DESC LIMIT ?";
    if (snapshot === null)
      return reads.all(`SELECT ${columns} FROM changes WHERE seq > ? ${ending}`, [position, before, accountSeq, limit]);
    const sql = `SELECT ${columns} FROM changes WHERE xid >= pg_snapshot_xmin(?::pg_snapshot)
      AND NOT pg_visible_in_snapshot(xid, ?::pg_snapshot) ${ending}`;
    return reads.all(sql, [snapshot, snapshot, before, accountSeq, limit]);
  },
};
