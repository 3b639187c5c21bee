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
