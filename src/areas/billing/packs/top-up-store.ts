import type { Reads } from "../../../platform/storage/storage.ts";
import { accountColumns, type DueGrantCustomer, joinAccounts } from "../credit-grants/grant-store.ts";

/** A customer whose automatic top-up is on, and what changes with its credit. */
export interface TopUpCustomer extends DueGrantCustomer {
  bucket_seq: number;
  version: number;
  /** Of its grants and of what they pay. Null without any. */
  revision: number | null;
  /** The sum of the versions of its counters. Null without usage. */
  counted: number | string | null;
}

export function topUpCustomers(
  reads: Reads,
  after: Pick<TopUpCustomer, "bucket_seq" | "customer_key">,
  limit: number,
): Promise<TopUpCustomer[]> {
  return reads.all(
    `SELECT customers.bucket_seq, customers.customer_key, customers.version, customer_credits.revision,
       ${accountColumns}, (SELECT SUM(usage_counters.version) FROM subscriptions CROSS JOIN usage_counters
        WHERE usage_counters.subscription_seq = subscriptions.seq AND subscriptions.bucket_seq = customers.bucket_seq
          AND subscriptions.customer_key = customers.customer_key) AS counted
     FROM customers ${joinAccounts("customers")}
     LEFT JOIN customer_credits ON customer_credits.bucket_seq = customers.bucket_seq
       AND customer_credits.customer_key = customers.customer_key
     WHERE (customers.bucket_seq, customers.customer_key) > (?, ?) AND customers.top_up IS NOT NULL
       AND customers.top_up LIKE '%"isEnabled":true%'
     ORDER BY customers.bucket_seq, customers.customer_key LIMIT ?`,
    [after.bucket_seq, after.customer_key, limit],
  );
}

/** The customers of subscriptions. */
export async function customersOfSubscriptions(reads: Reads, seqs: Iterable<number>) {
  const found: Pick<TopUpCustomer, "bucket_seq" | "customer_key">[] = [];
  const rows = Array.from(seqs, (seq) => [seq]);
  for (const { sql, parameters } of reads.tablesOf(["bigint"], rows))
    found.push(
      ...(await reads.all<(typeof found)[number]>(
        `SELECT bucket_seq, customer_key FROM subscriptions WHERE seq IN (SELECT column1 FROM ${sql} AS held)`,
        parameters,
      )),
    );
  return found;
}
