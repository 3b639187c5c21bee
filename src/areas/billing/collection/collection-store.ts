import type { Selectable } from "kysely";
import { forUpdate } from "../../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { Tables } from "../../../platform/storage/tables.ts";

export type CollectionRow = Selectable<Tables["stripe_invoices"]>;

export function findCollection(reads: Reads, invoiceSeq: number): Promise<CollectionRow | undefined> {
  return reads.one("SELECT * FROM stripe_invoices WHERE invoice_seq = ?", [invoiceSeq]);
}

export function findCollectionForUpdate(transaction: WriteTransaction, invoiceSeq: number) {
  return transaction.one<CollectionRow>(forUpdate(transaction, "SELECT * FROM stripe_invoices WHERE invoice_seq = ?"), [
    invoiceSeq,
  ]);
}

export function collectionsOf(reads: Reads, invoiceSeqs: number[]): Promise<CollectionRow[]> {
  if (invoiceSeqs.length === 0) return Promise.resolve([]);
  return reads.query.selectFrom("stripe_invoices").selectAll().where("invoice_seq", "in", invoiceSeqs).execute();
}

/** Begins the collection, or continues it now with another attempt. */
export async function queueCollection(
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

/** Continues a collection now, if there is one: the invoice or its counterpart at Stripe has changed. */
export async function wakeCollection(transaction: WriteTransaction, invoiceSeq: number, now: number): Promise<void> {
  await transaction.run("UPDATE stripe_invoices SET next_on = ?, wakes = wakes + 1 WHERE invoice_seq = ?", [
    now,
    invoiceSeq,
  ]);
}

/** Continues a collection now, and reads what was refunded at Stripe itself. */
export async function wakeForRefunds(transaction: WriteTransaction, invoiceSeq: number, now: number): Promise<void> {
  await wakeCollection(transaction, invoiceSeq, now);
  await transaction.run("UPDATE stripe_invoices SET refund_events = refund_events + 1 WHERE invoice_seq = ?", [
    invoiceSeq,
  ]);
}

/** The collection whose payment Stripe took. */
export function collectionOfPayment(
  reads: Reads,
  { accountSeq, mode, paymentIntent }: { accountSeq: number; mode: string; paymentIntent: string },
): Promise<CollectionRow | undefined> {
  return reads.one("SELECT * FROM stripe_invoices WHERE account_seq = ? AND mode = ? AND payment_intent = ?", [
    accountSeq,
    mode,
    paymentIntent,
  ]);
}

/** The collections of the open invoices of a subscription that may exist at Stripe. They stay locked. */
export function begunCollections(
  transaction: WriteTransaction,
  bucketSeq: number,
  subscriptionId: string,
): Promise<CollectionRow[]> {
  return transaction.all(
    forUpdate(
      transaction,
      `SELECT * FROM stripe_invoices WHERE began_on IS NOT NULL AND invoice_seq IN (
         SELECT seq FROM invoices WHERE bucket_seq = ? AND subscription_id = ? AND status = 'open')`,
    ),
    [bucketSeq, subscriptionId],
  );
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

/** Continues the collections of a customer that have not begun at Stripe. */
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

/** Makes invoices due for collection again, after a change of the credentials of Stripe. */
export async function wakeAllCollections(
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

export interface DueCollection {
  invoice_seq: number;
}

export function dueCollections(reads: Reads, now: number, limit: number): Promise<DueCollection[]> {
  return reads.all(
    `SELECT invoice_seq FROM stripe_invoices WHERE next_on <= ? AND (lease_until IS NULL OR lease_until <= ?)
     ORDER BY next_on LIMIT ?`,
    [now, now, limit],
  );
}

/** Where the invoice of a collection belongs. Undefined if its bucket was deleted. */
export function collectionPlaceOf(reads: Reads, invoiceSeq: number) {
  return reads.one<{
    invoice_id: string;
    bucket_id: string;
    account_seq: number;
    account_id: string;
    account_name: string;
  }>(
    `SELECT invoices.id AS invoice_id, metering_buckets.id AS bucket_id, accounts.seq AS account_seq,
       accounts.id AS account_id, accounts.name AS account_name
     FROM stripe_invoices
     JOIN invoices ON invoices.seq = stripe_invoices.invoice_seq
     JOIN metering_buckets ON metering_buckets.seq = invoices.bucket_seq
     JOIN accounts ON accounts.seq = metering_buckets.account_seq
     WHERE stripe_invoices.invoice_seq = ? AND accounts.seq = stripe_invoices.account_seq`,
    [invoiceSeq],
  );
}

export async function updateCollection(
  transaction: WriteTransaction,
  invoiceSeq: number,
  values: Partial<CollectionRow>,
): Promise<void> {
  await transaction.query.updateTable("stripe_invoices").set(values).where("invoice_seq", "=", invoiceSeq).execute();
}

/** The collection of an invoice at Stripe. `ourId` is that of our invoice, for one whose id is not stored yet. */
export function collectionOfRemote(
  reads: Reads,
  { accountSeq, mode, stripeId, ourId }: { accountSeq: number; mode: string; stripeId: string; ourId: string },
): Promise<CollectionRow | undefined> {
  return reads.one(
    `SELECT stripe_invoices.* FROM stripe_invoices JOIN invoices ON invoices.seq = stripe_invoices.invoice_seq
     WHERE stripe_invoices.account_seq = ? AND stripe_invoices.mode = ?
       AND (stripe_invoices.stripe_id = ? OR (stripe_invoices.stripe_id IS NULL AND invoices.id = ?))`,
    [accountSeq, mode, stripeId, ourId],
  );
}
