import type { Change } from "./change.ts";
import type { WriteTransaction } from "./storage.ts";

/** `origin` is the node that writes: it tells its followers at once, and need not hear of it from the feed again. */
export async function appendChanges(
  transaction: WriteTransaction,
  changes: Change[],
  origin: string,
  now: number,
): Promise<void> {
  if (changes.length === 0) return;
  await transaction.insertAll(
    "changes",
    changes.map(({ accountSeq, actor, kind, subject, data }) => ({
      at: now,
      origin,
      account_seq: accountSeq,
      actor,
      kind,
      subject,
      data: data ? JSON.stringify(data) : null,
    })),
  );
}

const keptMilliseconds = 7 * 24 * 60 * 60 * 1000;

/**
 * Removes what every follower has long seen, a little at a time. Oldest first, so no index by age is needed; never the
 * newest, so that no number is given out twice.
 */
export async function trimChanges(transaction: WriteTransaction, now: number): Promise<void> {
  await transaction.run(
    `DELETE FROM changes WHERE seq IN (
      SELECT seq FROM (SELECT seq, at FROM changes ORDER BY seq LIMIT 1000) AS oldest WHERE at < ?
    ) AND seq < (SELECT max(seq) FROM changes)`,
    [now - keptMilliseconds],
  );
}
