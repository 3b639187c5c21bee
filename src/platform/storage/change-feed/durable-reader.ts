import type { Reads, Storage, WriteTransaction } from "../storage.ts";
import { type ChangeRow, columns, countChanges, type FeedCursor, sqliteCursor } from "./feed-cursor.ts";

/** Processes changes in the transaction that marks them as read. */
type ChangeWork = (transaction: WriteTransaction, rows: ChangeRow[]) => Promise<void>;

interface DurableReaderOptions {
  /** The maximum number of changes in one transaction. A pack is not split. */
  page?: number;
  /** A SQL condition on the row of a change. Other changes are skipped, which costs almost nothing. */
  wanted?: string;
}

/**
 * Reads every change that has details, in order and without loss: its cursor is stored, and moves in the transaction of
 * the work. Changes of one resource are read in the order in which they were written. One node reads at a time.
 */
export class DurableReader {
  readonly #cursor: FeedCursor;
  readonly #page: number;
  readonly #wanted: string;
  #isRegistered = false;

  constructor(
    private readonly storage: Storage,
    /** Identifies the cursor and must never change. */
    readonly name: string,
    { page = 500, wanted = "TRUE" }: DurableReaderOptions = {},
  ) {
    this.#page = page;
    this.#wanted = wanted;
    this.#cursor = storage.engine === "postgres" ? postgresCursor : sqliteCursor;
    // Another database may not know the reader.
    storage.feed.subscribe(
      () => {},
      () => {
        this.#isRegistered = false;
      },
    );
  }

  /** Runs the work with the next page. Returns the number of changes, which is 0 also if another node is reading. */
  async read(work: ChangeWork): Promise<number> {
    await this.#register();
    if (!(await this.#cursor.hasUnread(this.storage.reads, this.name))) return 0;
    return this.storage.write(async (transaction) => {
      if (!(await transaction.tryLock(`reader ${this.name}`))) return 0;
      const rows = await this.#cursor.next(transaction, this.name, this.#page, this.#wanted);
      if (rows.length > 0) await work(transaction, rows);
      return countChanges(rows);
    });
  }

  /** Reads pages until there are no new changes. */
  async readAll(work: ChangeWork, signal?: AbortSignal): Promise<void> {
    while (!signal?.aborted) {
      if ((await this.read(work)) < this.#page) return;
    }
  }

  /** Returns pages of an account's unread changes, the newest first. Changes that were just read may be included. */
  async *unread(accountSeq: number, limit: number): AsyncGenerator<ChangeRow[]> {
    let before = Number.MAX_SAFE_INTEGER;
    for (;;) {
      const rows = await this.#cursor.unread(this.storage.reads, this.name, { accountSeq, before, limit });
      if (rows.length === 0) return;
      yield rows;
      if (countChanges(rows) < limit) return;
      before = rows.at(-1)!.seq;
      await new Promise(setImmediate);
    }
  }

  /** From then on, changes that the reader has not read are not trimmed. */
  async #register(): Promise<void> {
    if (this.#isRegistered) return;
    await this.storage.write((transaction) =>
      transaction.run("INSERT INTO feed_cursors (reader, position) VALUES (?, 0) ON CONFLICT DO NOTHING", [this.name]),
    );
    this.#isRegistered = true;
  }
}

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
