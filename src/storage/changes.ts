import type { Change, WriteTransaction } from "./storage.ts";

/** Tells this process apart from other nodes on the same database. */
export const nodeName = crypto.randomUUID();

export async function appendChanges(transaction: WriteTransaction, changes: Change[], now: number): Promise<void> {
  if (changes.length === 0) return;
  await transaction.insertAll(
    "changes",
    changes.map(({ accountSeq, actor, kind, subject, data }) => ({
      at: now,
      origin: nodeName,
      account_seq: accountSeq,
      actor,
      kind,
      subject,
      data: data ? JSON.stringify(data) : null,
    })),
  );
}

const keptMilliseconds = 7 * 24 * 60 * 60 * 1000;

/** Removes what every follower has long seen, a little at a time. */
export async function trimChanges(transaction: WriteTransaction, now: number): Promise<void> {
  const old = transaction.query
    .selectFrom("changes")
    .select("seq")
    .where("at", "<", now - keptMilliseconds)
    .orderBy("at")
    .limit(1000);
  await transaction.query.deleteFrom("changes").where("seq", "in", old).execute();
}
