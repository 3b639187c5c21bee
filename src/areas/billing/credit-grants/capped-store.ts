import type { Reads } from "../../../platform/storage/storage.ts";
import { accountColumns, type DueGrantCustomer, joinAccounts } from "./grant-store.ts";

export interface CappedCustomer extends DueGrantCustomer {
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
    ${accountColumns}, ${recentSum("whole")} AS whole, ${recentSum("billionths")} AS billionths
  FROM customers ${joinAccounts("customers")}
  WHERE (customers.bucket_seq, customers.customer_key) > (?, ?) AND ${isCapped} AND metering_buckets.test_clock IS NULL
  ORDER BY customers.bucket_seq, customers.customer_key LIMIT ?`;

/** Customers with a cap and what they used recently, in buckets with the server's time. */
export function cappedCustomers(
  reads: Reads,
  after: Pick<CappedCustomer, "bucket_seq" | "customer_key">,
  now: number,
  limit: number,
): Promise<CappedCustomer[]> {
  const hour = now - (now % hourMilliseconds);
  const hours = [hour - hourMilliseconds, hour];
  return reads.all(cappedCustomersSql, [...hours, ...hours, after.bucket_seq, after.customer_key, limit]);
}
