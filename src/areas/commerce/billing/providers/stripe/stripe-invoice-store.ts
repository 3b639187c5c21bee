import { locking, type OneRead } from "../../../../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../../../../platform/storage/storage.ts";
import type { RowOf } from "../../../../../platform/storage/tables.ts";
import { bucketColumns, joinBucket, type OfBucket } from "../../../metering-buckets/metering-buckets.ts";

const ofCustomer = "(bucket_seq, customer_key) IN (SELECT bucket_seq, customer_key FROM owners)";

/** See `PaymentProvider.tables`. */
export const stripeTables = {
  stripe_customers: ofCustomer,
  stripe_invoices: `invoice_seq IN (SELECT seq FROM invoices WHERE ${ofCustomer})`,
};

export type StripeInvoiceRow = RowOf<"stripe_invoices">;

export function findStripeInvoice(reads: OneRead, invoiceSeq: number): Promise<StripeInvoiceRow | undefined> {
  return reads.one("SELECT * FROM stripe_invoices WHERE invoice_seq = ?", [invoiceSeq]);
}

/** Queues an invoice for Stripe, or continues it now with another attempt. */
export async function queueStripeInvoice(
  transaction: WriteTransaction,
  { invoiceSeq, accountSeq, mode, now }: { invoiceSeq: number; accountSeq: number; mode: string; now: number },
): Promise<void> {
  await transaction.run(
    `INSERT INTO stripe_invoices (invoice_seq, account_seq, mode, attempts, generation, failures, next_on, wakes, created_on,
       updated_on) VALUES (?, ?, ?, 0, 0, 0, ?, 0, ?, ?)
     ON CONFLICT (invoice_seq) DO UPDATE SET next_on = excluded.next_on, failures = 0, wakes = stripe_invoices.wakes + 1,
       requested = stripe_invoices.requested + 1`,
    [invoiceSeq, accountSeq, mode, now, now, now],
  );
}

/** Continues an invoice now, if it was queued: it or its counterpart at Stripe has changed. */
export async function wakeStripeInvoice(transaction: WriteTransaction, invoiceSeq: number, now: number): Promise<void> {
  await transaction.run("UPDATE stripe_invoices SET next_on = ?, wakes = wakes + 1 WHERE invoice_seq = ?", [
    now,
    invoiceSeq,
  ]);
}

/** Continues an invoice now, and reads what was refunded at Stripe itself. */
export async function wakeForRefunds(transaction: WriteTransaction, invoiceSeq: number, now: number): Promise<void> {
  await wakeStripeInvoice(transaction, invoiceSeq, now);
  await transaction.run("UPDATE stripe_invoices SET refund_events = refund_events + 1 WHERE invoice_seq = ?", [
    invoiceSeq,
  ]);
}

/** The invoice whose payment Stripe took. */
export function stripeInvoiceOfPayment(
  reads: Reads,
  { accountSeq, mode, paymentIntent }: { accountSeq: number; mode: string; paymentIntent: string },
): Promise<StripeInvoiceRow | undefined> {
  return reads.one("SELECT * FROM stripe_invoices WHERE account_seq = ? AND mode = ? AND payment_intent = ?", [
    accountSeq,
    mode,
    paymentIntent,
  ]);
}

/** Those of some invoices that may exist at Stripe. They stay locked. */
export async function lockBegun(transaction: WriteTransaction, invoiceSeqs: number[]): Promise<StripeInvoiceRow[]> {
  const begun: StripeInvoiceRow[] = [];
  for (const seq of invoiceSeqs) {
    const row = await findStripeInvoice(locking(transaction), seq);
    if (row && row.began_on !== null) begun.push(row);
  }
  return begun;
}

/** Whether an invoice of the customer that is void here may still be paid at Stripe. */
export async function hasUnconfirmedVoid(reads: Reads, bucketSeq: number, customerKey: string): Promise<boolean> {
  const row = await reads.one(
    `SELECT 1 FROM invoices JOIN stripe_invoices ON stripe_invoices.invoice_seq = invoices.seq
     WHERE invoices.bucket_seq = ? AND invoices.customer_key = ? AND invoices.status = 'void'
       AND stripe_invoices.began_on IS NOT NULL AND stripe_invoices.next_on IS NOT NULL LIMIT 1`,
    [bucketSeq, customerKey],
  );
  return row !== undefined;
}

/** Continues the invoices of a customer that were not sent to Stripe yet. */
export async function wakeUnbegun(
  transaction: WriteTransaction,
  bucketSeq: number,
  customerKey: string,
  now: number,
): Promise<void> {
  await transaction.run(
    `UPDATE stripe_invoices SET next_on = ?, wakes = wakes + 1 WHERE began_on IS NULL AND next_on IS NOT NULL
       AND invoice_seq IN (SELECT seq FROM invoices WHERE bucket_seq = ? AND customer_key = ? AND status = 'open')`,
    [now, bucketSeq, customerKey],
  );
}

/** Continues all invoices that wait, after a change of the credentials of Stripe. */
export async function wakeAllStripeInvoices(
  transaction: WriteTransaction,
  accountSeq: number,
  mode: string,
  now: number,
): Promise<void> {
  await transaction.run(
    `UPDATE stripe_invoices SET next_on = ?, failures = 0, wakes = wakes + 1 WHERE account_seq = ? AND mode = ? AND next_on IS NOT NULL`,
    [now, accountSeq, mode],
  );
}

export function dueStripeInvoices(reads: Reads, now: number, limit: number): Promise<{ invoice_seq: number }[]> {
  return reads.all(
    `SELECT invoice_seq FROM stripe_invoices WHERE next_on <= ? AND (lease_until IS NULL OR lease_until <= ?)
     ORDER BY next_on LIMIT ?`,
    [now, now, limit],
  );
}

/** Where an invoice belongs. Undefined if its bucket was deleted. */
export function placeOfStripeInvoice(reads: Reads, invoiceSeq: number) {
  return reads.one<OfBucket & { invoice_id: string }>(
    `SELECT invoices.id AS invoice_id, ${bucketColumns} FROM stripe_invoices
     JOIN invoices ON invoices.seq = stripe_invoices.invoice_seq ${joinBucket("invoices.bucket_seq")}
     WHERE stripe_invoices.invoice_seq = ? AND accounts.seq = stripe_invoices.account_seq`,
    [invoiceSeq],
  );
}

export async function updateStripeInvoice(
  transaction: WriteTransaction,
  invoiceSeq: number,
  values: Partial<StripeInvoiceRow>,
): Promise<void> {
  await transaction.query.updateTable("stripe_invoices").set(values).where("invoice_seq", "=", invoiceSeq).execute();
}

/** The invoice with an id at Stripe. `ourId` is that of our invoice, for one whose id at Stripe is not stored yet. */
export function stripeInvoiceWithId(
  reads: Reads,
  { accountSeq, mode, stripeId, ourId }: { accountSeq: number; mode: string; stripeId: string; ourId: string },
): Promise<StripeInvoiceRow | undefined> {
  return reads.one(
    `SELECT stripe_invoices.* FROM stripe_invoices JOIN invoices ON invoices.seq = stripe_invoices.invoice_seq
     WHERE stripe_invoices.account_seq = ? AND stripe_invoices.mode = ?
       AND (stripe_invoices.stripe_id = ? OR (stripe_invoices.stripe_id IS NULL AND invoices.id = ?))`,
    [accountSeq, mode, stripeId, ourId],
  );
}

/** Invoices of buckets that were deleted do not count. */
const ofAccount = `FROM stripe_invoices JOIN invoices ON invoices.seq = stripe_invoices.invoice_seq
  JOIN metering_buckets ON metering_buckets.seq = invoices.bucket_seq
  WHERE stripe_invoices.account_seq = ? AND stripe_invoices.mode = ?
    AND metering_buckets.account_seq = stripe_invoices.account_seq`;

/**
 * Invoices that Stripe may have and that are open here, or whose end is not known at Stripe yet. Stripe does not charge
 * for one that it has marked as uncollectible.
 */
export async function countUnfinished(reads: Reads, accountSeq: number, mode: string): Promise<number> {
  const row = await reads.one<{ count: number }>(
    `SELECT COUNT(*) AS count ${ofAccount} AND stripe_invoices.began_on IS NOT NULL
       AND (invoices.status = 'open' OR (stripe_invoices.next_on IS NOT NULL
         AND NOT (invoices.status = 'uncollectible' AND COALESCE(stripe_invoices.stripe_status, '') = 'uncollectible')))`,
    [accountSeq, mode],
  );
  return Number(row!.count);
}

/** Invoices that were never sent to Stripe, in order. */
export function notBegun(reads: Reads, accountSeq: number, mode: string) {
  return reads.all<{ invoice_id: string; bucket_id: string }>(
    `SELECT invoices.id AS invoice_id, metering_buckets.id AS bucket_id ${ofAccount}
       AND stripe_invoices.began_on IS NULL AND invoices.status NOT IN ('draft', 'void')
     ORDER BY invoices.seq`,
    [accountSeq, mode],
  );
}

export async function deleteNotBegun(transaction: WriteTransaction, accountSeq: number, mode: string): Promise<void> {
  await transaction.run("DELETE FROM stripe_invoices WHERE account_seq = ? AND mode = ? AND began_on IS NULL", [
    accountSeq,
    mode,
  ]);
}
