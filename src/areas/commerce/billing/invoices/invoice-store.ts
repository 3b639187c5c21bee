import type { Paging } from "../../../../lib/paging.ts";
import { allWith, insertRow, type OneRead, readPage } from "../../../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { ChangesOf, RowOf } from "../../../../platform/storage/tables.ts";
import {
  bucketColumns,
  joinBucket,
  type MeteringBucket,
  type OfBucket,
} from "../../metering-buckets/metering-buckets.ts";
import { storeDue } from "../customers/customer-store.ts";

export type InvoiceRow = RowOf<"invoices">;

type BucketKeys = Pick<MeteringBucket, "seq">;

export function findInvoice(reads: OneRead, bucketSeq: number, id: string): Promise<InvoiceRow | undefined> {
  return reads.one("SELECT * FROM invoices WHERE bucket_seq = ? AND id = ?", [bucketSeq, id]);
}

export function invoicesWithIds(reads: Reads, { seq }: BucketKeys, ids: string[]): Promise<InvoiceRow[]> {
  const keys = ids.map((id) => [seq, id]);
  const query = (held: string) =>
    `SELECT * FROM invoices WHERE (bucket_seq, id) IN (SELECT column1, column2 FROM ${held} AS held)`;
  return allWith(reads, ["bigint", "text"], keys, query);
}

export interface InvoiceFilter {
  customerKey?: string | undefined;
  customerKeys?: string[] | undefined;
  subscriptionId?: string | undefined;
  status?: string | undefined;
  /** Without drafts. */
  isFinalized?: boolean | undefined;
}

export function listInvoices(reads: Reads, { seq }: BucketKeys, filter: InvoiceFilter, paging: Paging) {
  let query = reads.query.selectFrom("invoices").where("bucket_seq", "=", seq);
  if (filter.customerKey !== undefined) query = query.where("customer_key", "=", filter.customerKey);
  if (filter.customerKeys !== undefined) query = query.where("customer_key", "in", filter.customerKeys);
  if (filter.subscriptionId !== undefined) query = query.where("subscription_id", "=", filter.subscriptionId);
  if (filter.status !== undefined) query = query.where("status", "=", filter.status);
  if (filter.isFinalized) query = query.where("status", "<>", "draft");
  return readPage(query, paging, { large: ["lines"] });
}

export function invoicesOfSubscription(
  reads: Reads,
  bucketSeq: number,
  subscriptionId: string,
  ...statuses: ("draft" | "open" | "uncollectible")[]
): Promise<InvoiceRow[]> {
  return reads.all(
    `SELECT * FROM invoices WHERE bucket_seq = ? AND subscription_id = ? AND status IN (${statuses.map(() => "?").join(", ")})
       AND corrects_id IS NULL ORDER BY seq`,
    [bucketSeq, subscriptionId, ...statuses],
  );
}

export async function insertInvoice(
  transaction: WriteTransaction,
  invoice: Omit<InvoiceRow, "seq">,
): Promise<InvoiceRow> {
  const inserted = await insertRow(transaction, "invoices", invoice);
  if (inserted.status === "open") await storeDue(transaction, inserted);
  return inserted;
}

export async function updateInvoice(
  transaction: WriteTransaction,
  invoice: Pick<InvoiceRow, "seq" | "bucket_seq" | "customer_key" | "status">,
  values: ChangesOf<"invoices">,
): Promise<void> {
  await transaction.update("invoices", invoice.seq, values);
  if (values.status === undefined && values.amount_due === undefined) return;
  // Drafts are not owed yet.
  if ((values.status ?? invoice.status) !== "draft") await storeDue(transaction, invoice);
}

/** Only a draft that turned out to be empty is deleted: it has no number. */
export async function deleteDraft(transaction: WriteTransaction, seq: number): Promise<void> {
  await transaction.run("DELETE FROM invoices WHERE seq = ? AND status = 'draft'", [seq]);
}

/** Complete drafts of accounts that have a billing profile, in order. Without the plus sign, SQLite reads all invoices in order. */
export function waitingDrafts(reads: Reads, limit: number): Promise<(OfBucket & { id: string })[]> {
  return reads.all(
    `SELECT invoices.id, ${bucketColumns} FROM invoices ${joinBucket("invoices.bucket_seq")}
     JOIN billing_profiles ON billing_profiles.account_seq = accounts.seq
     WHERE invoices.status = 'draft' AND invoices.finalizes_on IS NULL ORDER BY +invoices.seq LIMIT ?`,
    [limit],
  );
}

/** Returns the next number of a series. The row stays locked until the transaction ends, so that no number is lost. */
export async function nextNumber(transaction: WriteTransaction, accountSeq: number, series: string): Promise<number> {
  const row = await transaction.one<{ last: number }>(
    `INSERT INTO number_series (account_seq, series, last) VALUES (?, ?, 1)
     ON CONFLICT (account_seq, series) DO UPDATE SET last = number_series.last + 1 RETURNING last`,
    [accountSeq, series],
  );
  return row!.last;
}

/** Locks a series until the transaction ends. */
export async function lockNumbers(transaction: WriteTransaction, accountSeq: number, series: string): Promise<void> {
  await transaction.run(
    `INSERT INTO number_series (account_seq, series, last) VALUES (?, ?, 0)
     ON CONFLICT (account_seq, series) DO UPDATE SET last = number_series.last`,
    [accountSeq, series],
  );
}

/** The invoices of a subscription without credit notes, in order. */
export function allInvoicesOf(reads: Reads, bucketSeq: number, subscriptionId: string): Promise<InvoiceRow[]> {
  return reads.all(
    "SELECT * FROM invoices WHERE bucket_seq = ? AND subscription_id = ? AND corrects_id IS NULL ORDER BY seq",
    [bucketSeq, subscriptionId],
  );
}

/** The credit notes of a subscription's invoices, in order. */
export function creditNotesOfSubscription(reads: Reads, bucketSeq: number, subscriptionId: string) {
  return reads.all<InvoiceRow>(
    "SELECT * FROM invoices WHERE bucket_seq = ? AND subscription_id = ? AND corrects_id IS NOT NULL ORDER BY seq",
    [bucketSeq, subscriptionId],
  );
}

const lateAtOnce = 500;

type LateInvoice = Pick<InvoiceRow, "seq" | "currency" | "amount_due" | "due_on"> & { failed_on: number };

/** Open invoices that are overdue or whose payment failed, in the order of creation, after one. */
export function lateInvoicesAfter(reads: Reads, bucketSeq: number, seq: number): Promise<LateInvoice[]> {
  return reads.all(
    `SELECT seq, currency, amount_due, due_on, failed_on FROM invoices
     WHERE bucket_seq = ? AND seq > ? AND status = 'open' AND failed_on IS NOT NULL AND corrects_id IS NULL
     ORDER BY seq LIMIT ${lateAtOnce}`,
    [bucketSeq, seq],
  );
}

const finalizedAtOnce = 500;

/** The invoices and credit notes that were finalized in a range of time, in order. */
export async function* finalizedBetween(
  reads: Reads,
  bucketSeq: number,
  from: number,
  to: number,
): AsyncGenerator<InvoiceRow> {
  for (let [time, seq] = [from, 0]; ; ) {
    const rows = await reads.all<InvoiceRow>(
      `SELECT * FROM invoices WHERE bucket_seq = ? AND (finalized_on, seq) > (?, ?) AND finalized_on < ?
       ORDER BY finalized_on, seq LIMIT ${finalizedAtOnce}`,
      [bucketSeq, time, seq, to],
    );
    yield* rows;
    if (rows.length < finalizedAtOnce) return;
    const last = rows.at(-1)!;
    [time, seq] = [last.finalized_on!, last.seq];
  }
}

/** What a customer owes, the oldest first. */
export function openInvoices(reads: Reads, { seq }: BucketKeys, customerKey: string): Promise<InvoiceRow[]> {
  return reads.all(
    `SELECT * FROM invoices WHERE bucket_seq = ? AND customer_key = ? AND status = 'open' AND corrects_id IS NULL
     ORDER BY seq`,
    [seq, customerKey],
  );
}

/** The invoice of an account, in any of its buckets. */
export function invoiceOfAccount(reads: Reads, accountSeq: number, id: string): Promise<InvoiceRow | undefined> {
  return reads.one(
    `SELECT invoices.* FROM invoices JOIN metering_buckets ON metering_buckets.seq = invoices.bucket_seq
     WHERE metering_buckets.account_seq = ? AND invoices.id = ?`,
    [accountSeq, id],
  );
}

/** The credit notes of an invoice, in order. */
export function creditNotesOf(reads: Reads, bucketSeq: number, invoiceId: string, customerKey: string) {
  return reads.all<InvoiceRow>(
    "SELECT * FROM invoices WHERE bucket_seq = ? AND customer_key = ? AND corrects_id = ? ORDER BY seq",
    [bucketSeq, customerKey, invoiceId],
  );
}
