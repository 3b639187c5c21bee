import type { Selectable } from "kysely";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { Tables } from "../../../platform/storage/tables.ts";

export type StripeCustomerRow = Selectable<Tables["stripe_customers"]>;

export function findStripeCustomer(
  reads: Reads,
  bucketSeq: number,
  customerKey: string,
): Promise<StripeCustomerRow | undefined> {
  return reads.one("SELECT * FROM stripe_customers WHERE bucket_seq = ? AND customer_key = ?", [
    bucketSeq,
    customerKey,
  ]);
}

/** Records that the customer may exist at Stripe from now on. Does nothing if that was recorded before. */
export async function beginCustomer(
  transaction: WriteTransaction,
  bucketSeq: number,
  customerKey: string,
  now: number,
): Promise<void> {
  const row = { bucket_seq: bucketSeq, customer_key: customerKey, stripe_id: null, began_on: now, generation: 0 };
  await transaction.insertNew("stripe_customers", [row], ["bucket_seq", "customer_key"]);
}

/** Another node may have saved one: the first one stays. */
export async function saveCustomer(
  transaction: WriteTransaction,
  bucketSeq: number,
  customerKey: string,
  stripeId: string,
): Promise<string> {
  await transaction.run(
    "UPDATE stripe_customers SET stripe_id = ? WHERE bucket_seq = ? AND customer_key = ? AND stripe_id IS NULL",
    [stripeId, bucketSeq, customerKey],
  );
  return (await findStripeCustomer(transaction, bucketSeq, customerKey))?.stripe_id ?? stripeId;
}

/** The next call uses another idempotency key. */
export async function renewCustomer(
  transaction: WriteTransaction,
  bucketSeq: number,
  customerKey: string,
  generation: number,
): Promise<void> {
  await transaction.run(
    `UPDATE stripe_customers SET stripe_id = NULL, generation = generation + 1
     WHERE bucket_seq = ? AND customer_key = ? AND generation = ?`,
    [bucketSeq, customerKey, generation],
  );
}

export async function updateStripeCustomer(
  transaction: WriteTransaction,
  bucketSeq: number,
  customerKey: string,
  values: Partial<StripeCustomerRow>,
): Promise<void> {
  await transaction.query
    .updateTable("stripe_customers")
    .set(values)
    .where("bucket_seq", "=", bucketSeq)
    .where("customer_key", "=", customerKey)
    .execute();
}

export interface DueCustomer extends StripeCustomerRow {
  bucket_id: string;
  account_seq: number;
  account_id: string;
  account_name: string;
}

/** Customers to compare with Stripe, the earliest first. */
export function dueCustomers(reads: Reads, now: number, limit: number): Promise<DueCustomer[]> {
  return reads.all(
    `SELECT stripe_customers.*, metering_buckets.id AS bucket_id, accounts.seq AS account_seq, accounts.id AS account_id,
       accounts.name AS account_name
     FROM stripe_customers JOIN metering_buckets ON metering_buckets.seq = stripe_customers.bucket_seq
     JOIN accounts ON accounts.seq = metering_buckets.account_seq
     WHERE stripe_customers.sync_on <= ? AND stripe_customers.stripe_id IS NOT NULL
     ORDER BY stripe_customers.sync_on LIMIT ?`,
    [now, limit],
  );
}

/** Compares the customer with Stripe soon, if it is one of the account. */
export async function wakeCustomer(
  transaction: WriteTransaction,
  accountSeq: number,
  stripeId: string,
  now: number,
): Promise<void> {
  await transaction.run(
    `UPDATE stripe_customers SET sync_on = ? WHERE stripe_id = ? AND bucket_seq IN (
       SELECT seq FROM metering_buckets WHERE account_seq = ?)`,
    [now, stripeId, accountSeq],
  );
}
