import { allWith, saveRow } from "../../../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";

/** The last row that a scan has processed. */
export interface ScanPosition {
  time: number;
  seq: number;
}

export function scanPosition(reads: Reads, name: string): Promise<ScanPosition | undefined> {
  return reads.one("SELECT reached_time AS time, reached_seq AS seq FROM webhook_timers WHERE name = ?", [name]);
}

export function setScanPosition(transaction: WriteTransaction, name: string, { time, seq }: ScanPosition) {
  return saveRow(transaction, "webhook_timers", { name, reached_time: time, reached_seq: seq }, ["name"]);
}

/** The account that owns a row. */
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

/** What the times of its periods follow from. */
export interface RenewingSubscription extends TimedSubscriptionRow {
  quota_reset_anchor: number;
  renewal_strategy: string;
  created_on: number;
}

/** Subscriptions whose next period has begun, or is not computed yet. */
export function subscriptionsToRenew(reads: Reads, now: number, limit: number): Promise<RenewingSubscription[]> {
  return reads.all(
    `SELECT subscriptions.renews_on AS time, quota_reset_anchor, renewal_strategy, subscriptions.created_on,
       ${subscriptionColumns} FROM ${subscriptionTables}
      WHERE subscriptions.renews_on <= ? ORDER BY subscriptions.renews_on LIMIT ?`,
    [now, limit],
  );
}

/** Returns the ids of accounts by their `seq`. */
export async function accountIdsOf(reads: Reads, accountSeqs: readonly number[]): Promise<Map<number, string>> {
  const rows = await allWith<{ seq: number; id: string }>(
    reads,
    ["bigint"],
    [...new Set(accountSeqs)].map((seq) => [seq]),
    (wanted) => `SELECT seq, id FROM accounts WHERE seq IN (SELECT column1 FROM ${wanted} AS wanted)`,
  );
  return new Map(rows.map(({ seq, id }) => [seq, id]));
}

/** The subscriptions must be locked. */
export async function setRenewals(
  transaction: WriteTransaction,
  renewals: [seq: number, renewsOn: number][],
): Promise<void> {
  for (const { sql, parameters } of transaction.tablesOf(["bigint", "bigint"], renewals))
    await transaction.run(
      `UPDATE subscriptions SET renews_on = column2 FROM ${sql} AS renewals WHERE seq = column1`,
      parameters,
    );
}
