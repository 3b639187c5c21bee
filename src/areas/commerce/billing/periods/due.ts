import type { Reads } from "../../../../platform/storage/storage.ts";
import { bucketColumns, joinBucket } from "../../metering-buckets/metering-buckets.ts";
import type { DueInBook } from "../credit-grants/grant-store.ts";

/** The steps of one transaction. On a busy PostgreSQL, a step takes tens of milliseconds. */
const maxSteps = 50;
/** No step begins after this time. PostgreSQL ends a transaction after 15 s; on SQLite, other writes wait for it. */
const maxMilliseconds = 1_000;

/** Returns milliseconds that never go back. */
export type Stopwatch = () => number;

export const stopwatch: Stopwatch = () => performance.now();

/** Limits the steps of one transaction by number and time. What is left is done by the next transaction. */
export class Piece {
  readonly #began: number;
  #steps = 0;

  constructor(private readonly elapsed: Stopwatch = stopwatch) {
    this.#began = elapsed();
  }

  /** Whether another step may begin. The first one always may, so that slow storage cannot prevent all progress. */
  begins(): boolean {
    this.#steps += 1;
    return this.#steps === 1 || (this.#steps <= maxSteps && this.elapsed() - this.#began < maxMilliseconds);
  }
}

export interface DueSubscription extends DueInBook {
  seq: number;
  id: string;
  bills_on: number;
  /** Whether it was deleted, and its late usage is to be billed. */
  is_deleted: number;
}

/** Subscriptions of buckets with the server's time that have a due step, the earliest first. */
export function dueSubscriptions(reads: Reads, now: number, limit: number): Promise<DueSubscription[]> {
  return reads.all(
    `SELECT subscriptions.seq, subscriptions.id, subscriptions.customer_key, ${bucketColumns}, subscriptions.bills_on, has_credits,
       CASE WHEN subscriptions.former_bucket_seq IS NULL THEN 0 ELSE 1 END AS is_deleted, CAST(COALESCE((
         SELECT SUM(octet_length(plans.meters)) FROM subscription_plans JOIN plans ON plans.seq = subscription_plans.plan_seq
         WHERE subscription_plans.subscription_seq = subscriptions.seq), 0)
         + CASE WHEN has_credits = 0 THEN 0 ELSE 200 * (
             SELECT COUNT(*) FROM grants JOIN grant_entries ON grant_seq = grants.seq
             WHERE grants.bucket_seq = subscriptions.bucket_seq AND grants.customer_key = subscriptions.customer_key) END
       AS bigint) AS bytes
     FROM subscriptions ${joinBucket("COALESCE(subscriptions.bucket_seq, subscriptions.former_bucket_seq)")}
     WHERE subscriptions.bills_on <= ? AND metering_buckets.test_clock IS NULL
     ORDER BY subscriptions.bills_on, subscriptions.seq LIMIT ?`,
    [now, limit],
  );
}

const monthMilliseconds = 28 * 24 * 60 * 60 * 1000;

/** At most how many renewals the subscriptions of a bucket have until a time. */
export async function renewalsUntil(reads: Reads, bucketSeq: number, until: number): Promise<number> {
  const row = await reads.one<{ renewals: number | string | null }>(
    `SELECT SUM((CAST(? AS bigint) - bills_on)
       / (CASE renewal_strategy WHEN 'yearly' THEN ${13 * monthMilliseconds} ELSE ${monthMilliseconds} END) + 1) AS renewals
     FROM subscriptions WHERE bucket_seq = ? AND bills_on <= ?`,
    [until, bucketSeq, until],
  );
  return Number(row?.renewals ?? 0);
}

type FirstDue = Pick<DueSubscription, "id" | "customer_key" | "bills_on" | "is_deleted">;

const firstDue = (column: string, isDeleted: 0 | 1) => `SELECT * FROM (
  SELECT seq, id, customer_key, bills_on, ${isDeleted} AS is_deleted FROM subscriptions WHERE ${column} = ? AND bills_on <= ?
  ORDER BY bills_on, seq LIMIT 1) AS of_${column}`;

/** The subscription of a bucket whose step is due first. */
export function firstDueIn(reads: Reads, bucketSeq: number, until: number): Promise<FirstDue | undefined> {
  return reads.one(
    `${firstDue("bucket_seq", 0)} UNION ALL ${firstDue("former_bucket_seq", 1)} ORDER BY bills_on, seq LIMIT 1`,
    [bucketSeq, until, bucketSeq, until],
  );
}
