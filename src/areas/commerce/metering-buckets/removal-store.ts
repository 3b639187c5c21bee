import { removedAccountSeq } from "../../../core/database/removed-account.ts";
import { deleteEventsOf, deleteSomeEventsOf, deleteSomeKeysOf } from "../../../counting/events/event-keys.ts";
import { isPartitioned } from "../../../counting/events/event-table.ts";
import { countList, removeCountsPiece } from "../../../platform/storage/counted-lists.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";

/** Transfers the bucket to the removed account: its name is free, and neither it nor its contents can be found. */
export async function markMeteringRemoved(transaction: WriteTransaction, seq: number): Promise<void> {
  await transaction.run("UPDATE metering_buckets SET account_seq = ?, name = NULL WHERE seq = ?", [
    removedAccountSeq,
    seq,
  ]);
}

/** Whether the bucket has finalized invoices, which must be kept. */
export async function hasInvoices(reads: Reads, bucketSeq: number): Promise<boolean> {
  const sql = "SELECT 1 AS found FROM invoices WHERE bucket_seq = ? AND finalized_on IS NOT NULL LIMIT 1";
  return (await reads.one(sql, [bucketSeq])) !== undefined;
}

/** The counted list of a bucket's subscriptions. */
export const subscriptionList = "subscriptions";

/** For the audit log. */
export async function countContents(
  reads: Reads,
  { seq, id }: { seq: number; id: string },
): Promise<Record<"plans" | "subscriptions", number>> {
  const held = await reads.one<{ plans: number }>("SELECT count(*) AS plans FROM plans WHERE bucket_seq = ?", [seq]);
  return { plans: Number(held!.plans), subscriptions: await countList(reads, id, subscriptionList) };
}

export function findRemovedMetering(reads: Reads): Promise<{ seq: number; id: string } | undefined> {
  return reads.one("SELECT seq, id FROM metering_buckets WHERE account_seq = ? ORDER BY seq LIMIT 1", [
    removedAccountSeq,
  ]);
}

/** A subscription is deleted with its counters and history, of every period and meter. */
const subscriptionsInPiece = 10;

const subscriptionsOf = "SELECT seq FROM subscriptions WHERE bucket_seq = ? OR former_bucket_seq = ? LIMIT ?";
const subscriptions = `DELETE FROM subscriptions WHERE seq IN (${subscriptionsOf}) RETURNING seq`;

/**
 * Partitions have no index of buckets: events are removed by their subscription, first in pieces, then those that have
 * arrived in the meantime together with it.
 */
async function removePartitioned(transaction: WriteTransaction, bucketSeq: number, rows: number): Promise<number> {
  const some = [bucketSeq, bucketSeq, Math.ceil(rows / subscriptionsInPiece)];
  const found = await transaction.all<{ seq: number }>(subscriptionsOf, some);
  let removed = 0;
  for (const { seq } of found) {
    removed += await deleteSomeEventsOf(transaction, seq, rows - removed);
    if (removed >= rows) return removed;
    await transaction.run("DELETE FROM subscriptions WHERE seq = ?", [seq]);
    await deleteEventsOf(transaction, seq);
    removed += 1;
  }
  return removed > 0 ? removed : deleteSomeKeysOf(transaction, bucketSeq, rows);
}

/** Events after subscriptions, because events can arrive until a subscription is deleted. */
const eventsOfBucket =
  "DELETE FROM usage_events WHERE seq IN (SELECT seq FROM usage_events WHERE bucket_seq = ? LIMIT ?) RETURNING seq";

const contents = [
  "DELETE FROM plans WHERE seq IN (SELECT seq FROM plans WHERE bucket_seq = ? LIMIT ?) RETURNING seq",
  `DELETE FROM plan_history WHERE (plan_seq, valid_until) IN (
    SELECT plan_seq, valid_until FROM plan_history WHERE bucket_seq = ? LIMIT ?
  ) RETURNING plan_seq`,
];

/** Removes at most the given number of rows. Returns how many it removed. */
export async function removeContents(
  transaction: WriteTransaction,
  { seq, id }: { seq: number; id: string },
  rows: number,
): Promise<number> {
  if (isPartitioned(transaction)) {
    const removed = await removePartitioned(transaction, seq, rows);
    if (removed > 0) return removed;
  } else {
    const removed = await transaction.all(subscriptions, [seq, seq, Math.ceil(rows / subscriptionsInPiece)]);
    if (removed.length > 0) return removed.length;
    const events = await transaction.all(eventsOfBucket, [seq, rows]);
    if (events.length > 0) return events.length;
  }
  for (const statement of contents) {
    const others = await transaction.all(statement, [seq, rows]);
    if (others.length > 0) return others.length;
  }
  return removeCountsPiece(transaction, id, rows);
}

/** Rejected by the database if a plan or subscription was created in the meantime. */
export async function removeBucket(transaction: WriteTransaction, seq: number): Promise<void> {
  await transaction.run("DELETE FROM metering_buckets WHERE seq = ?", [seq]);
}
