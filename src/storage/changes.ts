import type { Change } from "./change.ts";
import type { Storage, WriteTransaction } from "./storage.ts";

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
const rowsAtOnce = 5000;

/**
 * Removes what every follower has long seen, a little at a time so that nobody waits long. Oldest first, so no index by age
 * is needed; never the newest, so that no number is given out twice.
 */
export async function trimChanges(storage: Storage, now: number): Promise<void> {
  const before = now - keptMilliseconds;
  while (await isOldest(storage, before)) {
    await storage.write((transaction) =>
      transaction.run(
        `DELETE FROM changes WHERE seq IN (
          SELECT seq FROM (SELECT seq, at FROM changes ORDER BY seq LIMIT ${rowsAtOnce}) AS oldest WHERE at < ?
        ) AND seq < (SELECT max(seq) FROM changes)`,
        [before],
      ),
    );
  }
}

/** Whether the oldest change, unless it is also the newest, is from before a moment. */
async function isOldest({ reads }: Storage, before: number): Promise<boolean> {
  const oldest = await reads.all<{ at: number }>("SELECT at FROM changes ORDER BY seq LIMIT 2", []);
  return oldest.length === 2 && oldest[0]!.at < before;
}
