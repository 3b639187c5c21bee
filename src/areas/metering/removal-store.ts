import { removedAccountSeq } from "../../core/database/removed-account.ts";
import type { Reads, WriteTransaction } from "../../platform/storage/storage.ts";

/** Gives the bucket away: its name is free, and nothing finds it or what is in it any more. */
export async function markRemoved(transaction: WriteTransaction, seq: number): Promise<void> {
  await transaction.run("UPDATE metering_buckets SET account_seq = ?, name = NULL WHERE seq = ?", [
    removedAccountSeq,
    seq,
  ]);
}

/** For the audit log. */
export async function countContents(reads: Reads, seq: number): Promise<Record<"plans" | "subscriptions", number>> {
  const held = await reads.one<{ plans: number; subscriptions: number }>(
    `SELECT (SELECT count(*) FROM plans WHERE bucket_seq = ?) AS plans,
      (SELECT count(*) FROM subscriptions WHERE bucket_seq = ?) AS subscriptions`,
    [seq, seq],
  );
  return { plans: Number(held!.plans), subscriptions: Number(held!.subscriptions) };
}

export function findRemoved(reads: Reads): Promise<{ seq: number } | undefined> {
  return reads.one("SELECT seq FROM metering_buckets WHERE account_seq = ? ORDER BY seq LIMIT 1", [removedAccountSeq]);
}

/** Each takes its counters and its history along, of every period and meter. */
const subscriptionsInPiece = 10;

const subscriptions =
  "DELETE FROM subscriptions WHERE seq IN (SELECT seq FROM subscriptions WHERE bucket_seq = ? LIMIT ?) RETURNING seq";

/** Events after subscriptions: until a subscription is gone, events of it can come. */
const contents = [
  "DELETE FROM usage_events WHERE seq IN (SELECT seq FROM usage_events WHERE bucket_seq = ? LIMIT ?) RETURNING seq",
  "DELETE FROM plans WHERE seq IN (SELECT seq FROM plans WHERE bucket_seq = ? LIMIT ?) RETURNING seq",
  `DELETE FROM plan_history WHERE (plan_seq, valid_until) IN (
    SELECT plan_seq, valid_until FROM plan_history WHERE bucket_seq = ? LIMIT ?
  ) RETURNING plan_seq`,
];

/** Returns how many rows it removed, at most so many. */
export async function removeContents(
  transaction: WriteTransaction,
  { seq }: { seq: number },
  rows: number,
): Promise<number> {
  const removed = await transaction.all(subscriptions, [seq, Math.ceil(rows / subscriptionsInPiece)]);
  if (removed.length > 0) return removed.length;
  for (const statement of contents) {
    const others = await transaction.all(statement, [seq, rows]);
    if (others.length > 0) return others.length;
  }
  return 0;
}

/** Rejected by the database if a plan or subscription has come in the meantime. */
export async function removeBucket(transaction: WriteTransaction, seq: number): Promise<void> {
  await transaction.run("DELETE FROM metering_buckets WHERE seq = ?", [seq]);
}
