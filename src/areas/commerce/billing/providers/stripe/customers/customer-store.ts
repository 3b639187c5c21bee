import { locking, type OneRead } from "../../../../../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../../../../../platform/storage/storage.ts";
import type { RowOf } from "../../../../../../platform/storage/tables.ts";
import { bucketColumns, joinBucket, type OfBucket } from "../../../../metering-buckets/metering-buckets.ts";

export type StripeCustomerRow = RowOf<"stripe_customers">;

export function findStripeCustomer(
  reads: OneRead,
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
  const key = { bucket_seq: bucketSeq, customer_key: customerKey };
  const row = { ...key, stripe_id: null, began_on: now, generation: 0, wakes: 0 };
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

/**
 * Forgets the customer at Stripe with its payment method, which the next call creates with another idempotency key. The
 * new one is compared at once, so that the customer's payment method here is that of the new one.
 */
export async function renewCustomer(
  transaction: WriteTransaction,
  bucketSeq: number,
  customerKey: string,
  generation: number,
): Promise<void> {
  await transaction.run(
    `UPDATE stripe_customers SET stripe_id = NULL, generation = generation + 1, payment_method = NULL, session_id = NULL,
       sync_on = began_on, wakes = wakes + 1
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

/** Compares the customer with Stripe at times until a page of Stripe, which is opened now, cannot be used any more. */
export async function watchCustomer(
  transaction: WriteTransaction,
  bucketSeq: number,
  customerKey: string,
  { from, until }: { from: number; until: number },
): Promise<void> {
  await transaction.run(
    `UPDATE stripe_customers SET sync_on = CASE WHEN sync_on < ? THEN sync_on ELSE ? END, sync_until = ?, wakes = wakes + 1
     WHERE bucket_seq = ? AND customer_key = ?`,
    [from, from, until, bucketSeq, customerKey],
  );
}

/** Undefined if the customer is not due any more, or if another node has leased it. */
export async function leaseCustomer(
  transaction: WriteTransaction,
  { bucket_seq, customer_key }: Pick<StripeCustomerRow, "bucket_seq" | "customer_key">,
  { lease, now, until }: { lease: string; now: number; until: number },
): Promise<StripeCustomerRow | undefined> {
  const stripeCustomer = await findStripeCustomer(locking(transaction), bucket_seq, customer_key);
  if (!stripeCustomer || stripeCustomer.stripe_id === null) return undefined;
  const { sync_on, lease_until } = stripeCustomer;
  if (sync_on === null || sync_on > now || (lease_until !== null && lease_until > now)) return undefined;
  const leased = { lease, lease_until: until };
  await updateStripeCustomer(transaction, bucket_seq, customer_key, leased);
  return { ...stripeCustomer, ...leased };
}

export type DueStripeCustomer = StripeCustomerRow & OfBucket;

/** Customers to compare with Stripe, the earliest first. */
export function dueCustomers(reads: Reads, now: number, limit: number): Promise<DueStripeCustomer[]> {
  return reads.all(
    `SELECT stripe_customers.*, ${bucketColumns} FROM stripe_customers ${joinBucket("stripe_customers.bucket_seq")}
     WHERE stripe_customers.sync_on <= ? AND stripe_customers.stripe_id IS NOT NULL
       AND (stripe_customers.lease_until IS NULL OR stripe_customers.lease_until <= ?)
     ORDER BY stripe_customers.sync_on LIMIT ?`,
    [now, now, limit],
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
    `UPDATE stripe_customers SET sync_on = ?, wakes = wakes + 1 WHERE stripe_id = ? AND bucket_seq IN (
       SELECT seq FROM metering_buckets WHERE account_seq = ?)`,
    [now, stripeId, accountSeq],
  );
}

/** Invoices that were not sent to Stripe yet are issued with what the customer has entered there. */
export async function completeBuyers(
  transaction: WriteTransaction,
  bucketSeq: number,
  customerKey: string,
  details: object,
): Promise<void> {
  const waiting = await transaction.all<{ seq: number; buyer: string }>(
    `SELECT invoices.seq, invoices.buyer FROM invoices JOIN stripe_invoices ON stripe_invoices.invoice_seq = invoices.seq
     WHERE invoices.bucket_seq = ? AND invoices.customer_key = ? AND invoices.status = 'open' AND stripe_invoices.began_on IS NULL`,
    [bucketSeq, customerKey],
  );
  for (const { seq, buyer } of waiting) {
    const completed = JSON.stringify({ ...JSON.parse(buyer), ...details });
    await transaction.run("UPDATE invoices SET buyer = ? WHERE seq = ?", [completed, seq]);
  }
}
