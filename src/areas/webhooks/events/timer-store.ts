import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";

/** The last row that a scan has processed. */
export interface ScanPosition {
  time: number;
  seq: number;
}

export function scanPosition(reads: Reads, name: string): Promise<ScanPosition | undefined> {
  return reads.one("SELECT reached_time AS time, reached_seq AS seq FROM webhook_timers WHERE name = ?", [name]);
}

export async function setScanPosition(
  transaction: WriteTransaction,
  name: string,
  { time, seq }: ScanPosition,
): Promise<void> {
  await transaction.run(
    `INSERT INTO webhook_timers (name, reached_time, reached_seq) VALUES (?, ?, ?)
      ON CONFLICT (name) DO UPDATE SET reached_time = excluded.reached_time, reached_seq = excluded.reached_seq`,
    [name, time, seq],
  );
}

/** The account's id and number. */
export interface OwnerColumns {
  account_seq: number;
  account_id: string;
}

export interface ExpiringKeyRow extends OwnerColumns {
  time: number;
  seq: number;
  id: string;
  description: string | null;
  created_on: number;
  updated_on: number;
  consumer_id: string;
  consumer_name: string;
  bucket_id: string;
  bucket_name: string;
}

export function keysByExpiry(
  reads: Reads,
  after: ScanPosition,
  until: number,
  limit: number,
): Promise<ExpiringKeyRow[]> {
  return reads.all(
    `SELECT api_keys.expires_on AS time, api_keys.seq, api_keys.id, api_keys.description, api_keys.created_on,
        api_keys.updated_on, consumers.id AS consumer_id, consumers.name AS consumer_name,
        key_buckets.id AS bucket_id, key_buckets.name AS bucket_name,
        accounts.seq AS account_seq, accounts.id AS account_id
      FROM api_keys JOIN consumers ON consumers.seq = api_keys.consumer_seq
        JOIN key_buckets ON key_buckets.seq = api_keys.bucket_seq
        JOIN accounts ON accounts.seq = key_buckets.account_seq
      WHERE api_keys.expires_on IS NOT NULL AND (api_keys.expires_on, api_keys.seq) > (?, ?) AND api_keys.expires_on <= ?
      ORDER BY api_keys.expires_on, api_keys.seq LIMIT ?`,
    [after.time, after.seq, until, limit],
  );
}

export interface TimedSubscriptionRow extends OwnerColumns {
  time: number;
  seq: number;
  id: string;
  bucket_seq: number;
  bucket_id: string;
  bucket_name: string | null;
}

const subscriptionColumns = `subscriptions.seq, subscriptions.id, subscriptions.bucket_seq,
    metering_buckets.id AS bucket_id, metering_buckets.name AS bucket_name,
    accounts.seq AS account_seq, accounts.id AS account_id`;
const subscriptionTables = `subscriptions JOIN metering_buckets ON metering_buckets.seq = subscriptions.bucket_seq
    JOIN accounts ON accounts.seq = metering_buckets.account_seq`;

export function subscriptionsByTrialEnd(
  reads: Reads,
  after: ScanPosition,
  until: number,
  limit: number,
): Promise<TimedSubscriptionRow[]> {
  return reads.all(
    `SELECT subscriptions.trial_end_date AS time, ${subscriptionColumns} FROM ${subscriptionTables}
      WHERE subscriptions.trial_end_date IS NOT NULL
        AND (subscriptions.trial_end_date, subscriptions.seq) > (?, ?) AND subscriptions.trial_end_date <= ?
      ORDER BY subscriptions.trial_end_date, subscriptions.seq LIMIT ?`,
    [after.time, after.seq, until, limit],
  );
}

/** Subscriptions whose next period has begun, or is not computed yet. */
export function subscriptionsToRenew(reads: Reads, now: number, limit: number): Promise<TimedSubscriptionRow[]> {
  return reads.all(
    `SELECT subscriptions.renews_on AS time, ${subscriptionColumns} FROM ${subscriptionTables}
      WHERE subscriptions.renews_on <= ? ORDER BY subscriptions.renews_on LIMIT ?`,
    [now, limit],
  );
}

export async function setRenewal(transaction: WriteTransaction, seq: number, renewsOn: number): Promise<void> {
  await transaction.run("UPDATE subscriptions SET renews_on = ? WHERE seq = ?", [renewsOn, seq]);
}

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

/** Counters that were written since they were last compared, in the order of their key, after a position. */
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

/** Unless it was written in the meantime: then it is compared again. */
export async function setChecked(
  transaction: WriteTransaction,
  row: UncheckedCounterRow,
  announced: { percent: number; max: string | null },
): Promise<void> {
  await transaction.run(
    `UPDATE usage_counters SET is_unchecked = 0, announced_percent = ?, announced_max = ?
      WHERE subscription_seq = ? AND period_start = ? AND meter = ?
        AND whole = ? AND billionths = ? AND consumed_whole = ? AND consumed_billionths = ?`,
    [
      announced.percent,
      announced.max,
      row.subscription_seq,
      row.period_start,
      row.meter,
      row.whole,
      row.billionths,
      row.consumed_whole,
      row.consumed_billionths,
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
