import { accountOf, systemAct } from "../../../../core/access.ts";
import type { Clock } from "../../../../lib/time/clock.ts";
import type { Reads, Storage } from "../../../../platform/storage/storage.ts";
import {
  bucketColumns,
  findMeteringBucket,
  joinBucket,
  type MeteringBucket,
} from "../../metering-buckets/metering-buckets.ts";
import { subscriptionSeqsOf } from "../../subscriptions/subscriptions.ts";
import type { DueCustomer } from "../credit-grants/grant-store.ts";
import { lockCustomerBilling } from "../credit-grants/wallet.ts";
import { ChangedCustomers } from "../customers/changed-customers.ts";
import { creditsAt } from "../spending/credit-use.ts";
import { announceSpending, reachedThresholds } from "../spending/spending.ts";

interface Dependencies {
  storage: Storage;
  clock: Clock;
  failed(error: unknown): void;
}

/**
 * Compares the spending of customers who use something now with their caps, before the settlement at the end of the hour
 * does. Any number of nodes may do so: a transaction that announces locks the customer's credits and compares again.
 */
export class SpendThresholds {
  /**
   * The usage and the caps that were compared, by customer. Measured on SQLite with 10,000 capped customers: a comparison
   * takes 19 queries and 0.6 ms of CPU time, an unchanged customer 7 µs. Comparing all of them again every half minute
   * would be 190,000 queries and 6 s.
   */
  readonly #customers = new ChangedCustomers();

  constructor(private readonly dependencies: Dependencies) {}

  async announce(signal?: AbortSignal): Promise<void> {
    const { storage, clock, failed } = this.dependencies;
    const now = clock.now();
    await this.#customers.compare({
      storage,
      now,
      pageAfter: (after, limit) => cappedCustomers(storage.reads, after, now, limit),
      stateOf: ({ version, whole, billionths }) => (whole === null ? undefined : `${version} ${whole} ${billionths}`),
      isDue: (reads, bucket, { customer_key }) => hasReached(reads, bucket, customer_key, now),
      perform: (customer) => announceFor(storage, customer, now).then(() => true),
      failed,
      signal,
    });
  }
}

async function announceFor(storage: Storage, customer: CappedCustomer, now: number): Promise<void> {
  const { account_seq, bucket_id, customer_key } = customer;
  const bucket = await findMeteringBucket(storage.reads, account_seq, bucket_id);
  const act = systemAct({ account: accountOf(customer), now }, now);
  await storage.write(async (transaction) => {
    await lockCustomerBilling(transaction, bucket, customer_key);
    const { caps, subscriptions } = await spendingOf(transaction, bucket, customer_key, now);
    for (const { uses, ...subscription } of subscriptions)
      await announceSpending({ transaction, act, bucket }, subscription, caps, uses);
  });
}

async function hasReached(reads: Reads, bucket: MeteringBucket, customerKey: string, now: number): Promise<boolean> {
  const { caps, subscriptions } = await spendingOf(reads, bucket, customerKey, now);
  for (const { seq, uses } of subscriptions)
    if ((await reachedThresholds(reads, seq, caps, now, uses)).length > 0) return true;
  return false;
}

/** Usage of this hour that meter grants cover is not spending, although the ledger does not have it yet. */
async function spendingOf(reads: Reads, bucket: MeteringBucket, customerKey: string, now: number) {
  const { uses, caps } = await creditsAt(reads, bucket, customerKey, now);
  const subscriptions = await subscriptionSeqsOf(reads, bucket, customerKey);
  return { caps, subscriptions: subscriptions.map(({ seq, id }) => ({ seq, id, customerKey, uses: uses.get(seq) })) };
}

interface CappedCustomer extends DueCustomer {
  bucket_seq: number;
  version: number;
  /** What its subscriptions used in this hour and the one before, in two parts. Null without usage. */
  whole: number | string | null;
  billionths: number | string | null;
}

const hourMilliseconds = 60 * 60 * 1000;

/**
 * CROSS JOIN makes SQLite read the subscriptions first. Otherwise it reads the usage of all customers in the two hours
 * for each customer.
 */
const recentSum = (column: string) => `(SELECT SUM(usage_hours.${column}) FROM subscriptions CROSS JOIN usage_hours
  WHERE usage_hours.subscription_seq = subscriptions.seq AND usage_hours.time IN (?, ?)
    AND subscriptions.bucket_seq = customers.bucket_seq AND subscriptions.customer_key = customers.customer_key)`;

/** The condition of the index `customers_capped`. */
const isCapped = "(customers.spend_cap IS NOT NULL OR customers.credit_limit IS NOT NULL)";

export const cappedCustomersSql = `SELECT customers.bucket_seq, customers.customer_key, customers.version,
    ${bucketColumns}, ${recentSum("whole")} AS whole, ${recentSum("billionths")} AS billionths
  FROM customers ${joinBucket("customers.bucket_seq")}
  WHERE (customers.bucket_seq, customers.customer_key) > (?, ?) AND ${isCapped} AND metering_buckets.test_clock IS NULL
  ORDER BY customers.bucket_seq, customers.customer_key LIMIT ?`;

/** Customers with a cap and what they used recently, in buckets with the server's time. */
function cappedCustomers(
  reads: Reads,
  after: Pick<CappedCustomer, "bucket_seq" | "customer_key">,
  now: number,
  limit: number,
): Promise<CappedCustomer[]> {
  const hour = now - (now % hourMilliseconds);
  const hours = [hour - hourMilliseconds, hour];
  return reads.all(cappedCustomersSql, [...hours, ...hours, after.bucket_seq, after.customer_key, limit]);
}
