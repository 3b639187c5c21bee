import { forUpdate } from "../../../../platform/storage/query.ts";
import { hasRows } from "../../../../platform/storage/rows.ts";
import type { ColumnType, Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
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
}

type CounterKey = Pick<UncheckedCounterRow, "subscription_seq" | "period_start" | "meter">;

const unchecked = `SELECT usage_counters.subscription_seq, period_start, meter, whole, billionths, consumed_whole, consumed_billionths,
    announced_percent, announced_max, accounts.seq AS account_seq, accounts.id AS account_id
  FROM usage_counters JOIN subscriptions ON subscriptions.seq = usage_counters.subscription_seq
    JOIN metering_buckets ON metering_buckets.seq = subscriptions.bucket_seq
    JOIN accounts ON accounts.seq = metering_buckets.account_seq
  WHERE is_unchecked = 1 AND (usage_counters.subscription_seq, period_start, meter) > (?, ?, ?)
  ORDER BY usage_counters.subscription_seq, period_start, meter LIMIT ?`;

/**
 * Locks and returns the next counters that were written since they were last compared with their maximum, in key order.
 * Those that are being written are left out: they are found the next time, and the locks of both cannot be a deadlock.
 */
export function lockUnchecked(
  transaction: WriteTransaction,
  after: CounterKey,
  limit: number,
): Promise<UncheckedCounterRow[]> {
  return transaction.all(
    transaction.locksRows ? `${unchecked} FOR NO KEY UPDATE OF usage_counters SKIP LOCKED` : unchecked,
    [after.subscription_seq, after.period_start, after.meter, limit],
  );
}

export const hasUnchecked = (reads: Reads): Promise<boolean> =>
  hasRows(reads, "FROM usage_counters WHERE is_unchecked = 1", []);

const types: ColumnType[] = ["bigint", "bigint", "text", "bigint", "text"];

/** Marks locked counters as compared, and stores what was last announced. */
export async function setChecked(transaction: WriteTransaction, counters: UncheckedCounterRow[]): Promise<void> {
  const rows = counters.map(({ subscription_seq, period_start, meter, announced_percent, announced_max }) => [
    subscription_seq,
    period_start,
    meter,
    announced_percent,
    announced_max,
  ]);
  for (const { sql, parameters } of transaction.tablesOf(types, rows))
    await transaction.run(
      `UPDATE usage_counters SET is_unchecked = 0, announced_percent = column4, announced_max = column5
        FROM ${sql} AS compared
        WHERE subscription_seq = column1 AND period_start = column2 AND meter = column3`,
      parameters,
    );
}

/** The thresholds of a period that began longer ago are not announced: a year and two days. */
export const announcedMilliseconds = 368 * 24 * 60 * 60 * 1000;

/**
 * Marks counters of subscriptions whose maximums have changed to be compared again, of periods since a time. They are
 * locked in the order in which all transactions lock counters.
 */
export async function uncheckCounters(
  transaction: WriteTransaction,
  subscriptions: readonly { accountSeq: number; bucketId: string; subscriptionId: string }[],
  from: number,
): Promise<void> {
  const rows = subscriptions.map(({ accountSeq, bucketId, subscriptionId }) => [accountSeq, bucketId, subscriptionId]);
  for (const { sql, parameters } of transaction.tablesOf(["bigint", "text", "text"], rows)) {
    const keys = `SELECT subscription_seq, period_start, meter FROM usage_counters
      WHERE subscription_seq IN (SELECT subscriptions.seq FROM ${sql} AS changed
          JOIN metering_buckets ON account_seq = column1 AND metering_buckets.id = column2
          JOIN subscriptions ON bucket_seq = metering_buckets.seq AND subscriptions.id = column3)
        AND period_start >= ? AND is_unchecked = 0`;
    const inOrder = `${keys} ORDER BY CONCAT(subscription_seq, ' ', period_start) COLLATE "C", meter COLLATE "C"`;
    await transaction.run(
      `WITH found AS (${transaction.locksRows ? forUpdate(transaction, inOrder) : keys}) UPDATE usage_counters SET is_unchecked = 1
        WHERE (subscription_seq, period_start, meter) IN (SELECT subscription_seq, period_start, meter FROM found)`,
      [...parameters, from],
    );
  }
}

/** Whether any webhook, enabled or disabled, may subscribe to a type. The table is short and read without an index. */
export function isWanted(reads: Reads, type: string): Promise<boolean> {
  const patterns = ["*", `${type.slice(0, type.indexOf("."))}.*`, type].map((pattern) => `%"${pattern}"%`);
  return hasRows(reads, "FROM webhooks WHERE events LIKE ? OR events LIKE ? OR events LIKE ?", patterns);
}
