import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { RowOf } from "../../../../platform/storage/tables.ts";

export type BillingSegmentRow = RowOf<"billing_segments">;

/** All segments of a subscription, in order. The last one may be open. */
export function billingSegmentsOf(reads: Reads, subscriptionSeq: number): Promise<BillingSegmentRow[]> {
  return reads.all("SELECT * FROM billing_segments WHERE subscription_seq = ? ORDER BY seq", [subscriptionSeq]);
}

/** The segments of periods that end after a time. */
export function recentSegmentsOf(reads: Reads, subscriptionSeq: number, since: number): Promise<BillingSegmentRow[]> {
  return reads.all("SELECT * FROM billing_segments WHERE subscription_seq = ? AND period_end > ? ORDER BY seq", [
    subscriptionSeq,
    since,
  ]);
}

export function openSegment(reads: Reads, subscriptionSeq: number): Promise<BillingSegmentRow | undefined> {
  return reads.one("SELECT * FROM billing_segments WHERE subscription_seq = ? AND ends_on IS NULL ORDER BY seq DESC", [
    subscriptionSeq,
  ]);
}

/** The segment before another one, by default the last one. */
export function segmentBefore(reads: Reads, subscriptionSeq: number, seq = Number.MAX_SAFE_INTEGER) {
  return reads.one<BillingSegmentRow>(
    "SELECT * FROM billing_segments WHERE subscription_seq = ? AND seq < ? ORDER BY seq DESC LIMIT 1",
    [subscriptionSeq, seq],
  );
}

export async function insertSegment(
  transaction: WriteTransaction,
  billingSegment: Omit<BillingSegmentRow, "seq">,
): Promise<BillingSegmentRow> {
  return { seq: await transaction.insert("billing_segments", billingSegment), ...billingSegment };
}

export async function closeSegment(transaction: WriteTransaction, seq: number, endsOn: number): Promise<void> {
  await transaction.run("UPDATE billing_segments SET ends_on = ? WHERE seq = ?", [endsOn, seq]);
}

export async function setBilled(transaction: WriteTransaction, seq: number, billed: string): Promise<void> {
  await transaction.run("UPDATE billing_segments SET billed = ? WHERE seq = ?", [billed, seq]);
}
