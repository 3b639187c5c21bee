import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { OwnerColumns } from "./timed-event-store.ts";

export interface UncheckedCounterRow extends OwnerColumns {
  subscription_seq: number;
  period_start: number;
  meter: string;
  whole: number;
  billionths: number;
  consumed_whole: number;
  consumed_billionths: number;
  announced_percent: number;
  announced_max: string | null;
  bucket_seq: number;
  subscription_id: string;
}

export type CounterKey = Pick<UncheckedCounterRow, "subscription_seq" | "period_start" | "meter">;

/** Returns the next counters that were written since they were last compared with their maximum, in key order. */
export function uncheckedCounters(reads: Reads, after: CounterKey, limit: number): Promise<UncheckedCounterRow[]> {
  return reads.all(
    `SELECT usage_counters.subscription_seq, period_start, meter, whole, billionths, consumed_whole, consumed_billionths,
        announced_percent, announced_max, subscriptions.id AS subscription_id, subscriptions.bucket_seq,
        accounts.seq AS account_seq, accounts.id AS account_id
      FROM usage_counters JOIN subscriptions ON subscriptions.seq = usage_counters.subscription_seq
        JOIN metering_buckets ON metering_buckets.seq = subscriptions.bucket_seq
        JOIN accounts ON accounts.seq = metering_buckets.account_seq
      WHERE is_unchecked = 1 AND (usage_counters.subscription_seq, period_start, meter) > (?, ?, ?)
      ORDER BY usage_counters.subscription_seq, period_start, meter LIMIT ?`,
    [after.subscription_seq, after.period_start, after.meter, limit],
  );
}

/** Marks a counter as compared, unless it was written in the meantime: it is then compared again. */
export async function setChecked(
  transaction: WriteTransaction,
  uncheckedCounter: UncheckedCounterRow,
  announced: { percent: number; max: string | null },
): Promise<void> {
  await transaction.run(
    `UPDATE usage_counters SET is_unchecked = 0, announced_percent = ?, announced_max = ?
      WHERE subscription_seq = ? AND period_start = ? AND meter = ?
        AND whole = ? AND billionths = ? AND consumed_whole = ? AND consumed_billionths = ?`,
    [
      announced.percent,
      announced.max,
      uncheckedCounter.subscription_seq,
      uncheckedCounter.period_start,
      uncheckedCounter.meter,
      uncheckedCounter.whole,
      uncheckedCounter.billionths,
      uncheckedCounter.consumed_whole,
      uncheckedCounter.consumed_billionths,
    ],
  );
}

/** Marks the counters of a subscription to be compared again, because its maximums have changed. */
export async function uncheckCounters(
  transaction: WriteTransaction,
  subscriptionId: string,
  from: number,
): Promise<void> {
  await transaction.run(
    `UPDATE usage_counters SET is_unchecked = 1
      WHERE subscription_seq = (SELECT seq FROM subscriptions WHERE id = ?) AND period_start >= ? AND is_unchecked = 0`,
    [subscriptionId, from],
  );
}

/** Whether any webhook may subscribe to a type. The table is short and read without an index. */
export async function isWanted(reads: Reads, type: string): Promise<boolean> {
  const patterns = ["*", `${type.slice(0, type.indexOf("."))}.*`, type].map((pattern) => `%"${pattern}"%`);
  const sql =
    "SELECT 1 AS found FROM webhooks WHERE is_enabled = 1 AND (events LIKE ? OR events LIKE ? OR events LIKE ?) LIMIT 1";
  return (await reads.one(sql, patterns)) !== undefined;
}
