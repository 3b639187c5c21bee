import type { Selectable } from "kysely";
import type { Change } from "../change.ts";
import { removeInPieces } from "../removal.ts";
import type { Storage } from "../storage.ts";
import type { Tables } from "../tables.ts";

/** The row of a change without its number. */
export type NewChange = Omit<Selectable<Tables["changes"]>, "seq">;

/** `origin` is the node that writes. It notifies its followers itself, and skips the change in the feed. */
export function changeRow(change: Change, origin: string, now: number): NewChange {
  const { accountSeq, actor, kind, subject, data, details, state, topics } = change;
  return {
    at: now,
    origin,
    account_seq: accountSeq,
    actor,
    kind,
    subject,
    data: data ? JSON.stringify(data) : null,
    details: details ? JSON.stringify(details) : null,
    state: state ? JSON.stringify(state) : null,
    topics: topics ?? null,
    count: 1,
    pack: null,
  };
}

const keptMilliseconds = 7 * 24 * 60 * 60 * 1000;

/** Whether a durable reader has not read a change. postgres-cursor.ts explains the case of PostgreSQL. */
const isUnread = {
  sqlite: "feed_cursors.position < changes.seq",
  postgres: `CASE WHEN feed_cursors.snapshot IS NOT NULL
      THEN NOT pg_visible_in_snapshot(changes.xid, feed_cursors.snapshot::pg_snapshot)
    ELSE feed_cursors.target IS NOT NULL OR feed_cursors.position < changes.seq END`,
};

/**
 * Deletes changes that every follower has seen long ago and every durable reader has read. Oldest first, so that no
 * index by age is needed; never the newest, so that no number is reused.
 */
export function trimChanges(storage: Storage, now: number, signal?: AbortSignal): Promise<void> {
  const sql = `DELETE FROM changes WHERE seq IN (
      SELECT seq FROM (SELECT seq, at FROM changes ORDER BY seq LIMIT ?) AS oldest WHERE at < ?
    ) AND seq < (SELECT max(seq) FROM changes)
      AND NOT EXISTS (SELECT 1 FROM feed_cursors WHERE ${isUnread[storage.engine]}) RETURNING seq`;
  return removeInPieces(
    storage,
    async (transaction, rows) => (await transaction.all(sql, [rows, now - keptMilliseconds])).length,
    { signal },
  );
}
