import { hasRows } from "../../../platform/storage/rows.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import type { RowOf } from "../../../platform/storage/tables.ts";

/** The name of the oldest consumer in the first of the buckets that has one, and that bucket's. */
export async function firstConsumer(reads: Reads, buckets: { seq: number; name: string }[]) {
  for (const { seq, name: keyBucket } of buckets) {
    const query = "SELECT name FROM consumers WHERE bucket_seq = ? ORDER BY seq LIMIT 1";
    const row = await reads.one<{ name: string }>(query, [seq]);
    if (row) return { consumer: row.name, keyBucket };
  }
  return {};
}

/** The external id of the oldest plan. */
export async function firstPlan(reads: Reads, accountSeq: number): Promise<string | undefined> {
  const row = await reads.one<{ external_id: string }>(
    `SELECT external_id FROM plans WHERE bucket_seq IN (SELECT seq FROM metering_buckets WHERE account_seq = ?)
     ORDER BY seq LIMIT 1`,
    [accountSeq],
  );
  return row?.external_id;
}

/** Whether a plan of a bucket that is no test bucket has a price. */
export function isSelling(reads: Reads, accountSeq: number): Promise<boolean> {
  const from = `FROM plans WHERE price IS NOT NULL
    AND bucket_seq IN (SELECT seq FROM metering_buckets WHERE account_seq = ? AND test_clock IS NULL)`;
  return hasRows(reads, from, [accountSeq]);
}

/** Whether a custom domain is verified. */
export function hasDomain(reads: Reads, accountSeq: number): Promise<boolean> {
  return hasRows(reads, "FROM domains WHERE account_seq = ? AND status <> 'pending'", [accountSeq]);
}

export function hasSubscription(reads: Reads, accountSeq: number): Promise<boolean> {
  const from = `FROM metering_buckets WHERE account_seq = ?
    AND EXISTS (SELECT 1 FROM subscriptions WHERE subscriptions.bucket_seq = metering_buckets.seq)`;
  return hasRows(reads, from, [accountSeq]);
}

/** Whether a deployment has a version that serves. */
export function hasDeployment(reads: Reads, accountSeq: number): Promise<boolean> {
  return hasRows(reads, "FROM deployments WHERE account_seq = ? AND active_version_seq IS NOT NULL", [accountSeq]);
}

interface ListedDeployment {
  name: string;
  project: string;
  branch: string;
  message: string;
}

/** Those whose last build or start failed are first. */
export function deploymentsByState(reads: Reads, accountSeq: number, limit: number): Promise<ListedDeployment[]> {
  return reads.all(
    `SELECT name, project, branch, message FROM deployments WHERE account_seq = ?
     ORDER BY CASE WHEN message = '' THEN 1 ELSE 0 END, seq LIMIT ?`,
    [accountSeq, limit],
  );
}

interface FailingWebhook {
  id: string;
  url: string;
  disabled_reason: string | null;
}

/** Webhooks that are failing, or were disabled for it. */
export function failingWebhooks(reads: Reads, accountSeq: number, limit: number): Promise<FailingWebhook[]> {
  return reads.all(
    `SELECT id, url, disabled_reason FROM webhooks WHERE account_seq = ?
     AND (disabled_reason IS NOT NULL OR (is_enabled = 1 AND failing_since IS NOT NULL)) ORDER BY seq LIMIT ?`,
    [accountSeq, limit],
  );
}

export function ratesOfPlans(reads: Reads, bucketSeq: number, ids: string[]) {
  return reads.all<Pick<RowOf<"plans">, "id" | "meters" | "price" | "rates">>(
    `SELECT id, meters, price, rates FROM plans WHERE bucket_seq = ? AND id IN (${ids.map(() => "?").join(", ")})`,
    [bucketSeq, ...ids],
  );
}
