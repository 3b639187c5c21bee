import type { z } from "zod";
import { invalid } from "../../../../../core/problems/problem.ts";
import { allWith, countOf, forUpdate } from "../../../../../platform/storage/query.ts";
import { hasRows } from "../../../../../platform/storage/rows.ts";
import type { Reads, WriteTransaction } from "../../../../../platform/storage/storage.ts";
import type { RowOf } from "../../../../../platform/storage/tables.ts";
import { bucketColumns, joinBucket, type OfBucket } from "../../../metering-buckets/metering-buckets.ts";
import type { PaymentProvider, ProviderMode } from "../../payments/interface.ts";
import type { stripeMethod } from "../../payments/provider-schema.ts";
import { collectable } from "./amounts.ts";

/** What the credentials are encrypted for. */
export const sealPurpose = "payment-provider";

const ofCustomer = "(bucket_seq, customer_key) IN (SELECT bucket_seq, customer_key FROM owners)";

/**
 * Stripe charges customers and issues the legal invoices. Within a transaction, work is only queued in the table
 * `stripe_invoices`; InvoiceSync performs it.
 */
export const stripe: PaymentProvider = {
  type: "stripe",
  paysOnline: true,
  movesMoney: true,
  issuesInvoices: true,
  keepsMethods: true,
  // The time of Stripe cannot be moved with that of a bucket.
  followsTestClock: false,
  tables: {
    stripe_customers: ofCustomer,
    stripe_invoices: `invoice_seq IN (SELECT seq FROM invoices WHERE ${ofCustomer})`,
  },
  payable: collectable,

  /** Queues the invoice, or continues it now with another attempt. */
  async requestPayment(transaction, { invoiceSeq, accountSeq, mode, now }) {
    await transaction.run(
      `INSERT INTO stripe_invoices (invoice_seq, account_seq, mode, attempts, generation, failures, next_on, wakes, created_on,
         updated_on) VALUES (?, ?, ?, 0, 0, 0, ?, 0, ?, ?)
       ON CONFLICT (invoice_seq) DO UPDATE SET next_on = excluded.next_on, failures = 0, wakes = stripe_invoices.wakes + 1,
         requested = stripe_invoices.requested + 1`,
      [invoiceSeq, accountSeq, mode, now, now, now],
    );
    return "requested";
  },

  /** What Stripe never had was paid outside of it, and is refunded there. A change of the invoice has queued the refund. */
  async refund(transaction, { invoiceSeq, amount }) {
    const isQueued = await hasRows(transaction, "FROM stripe_invoices WHERE invoice_seq = ?", [invoiceSeq]);
    return isQueued ? "requested" : amount;
  },

  invoiceUpdated: (transaction, invoiceSeq, now) => wakeInvoices(transaction, now, "invoice_seq = ?", [invoiceSeq]),

  async isCharging(transaction, invoiceSeqs) {
    return (await lockBegun(transaction, invoiceSeqs)).some(({ charging }) => charging === 1);
  },

  /** An invoice that exists at Stripe is voided there first: until Stripe confirms that, it may be paid. */
  async stopPayments(transaction, invoiceSeqs, now) {
    const begun = await lockBegun(transaction, invoiceSeqs);
    for (const { invoice_seq, void_on } of begun)
      await wakeInvoices(transaction, now, "invoice_seq = ?", [void_on ?? now, invoice_seq], { also: "void_on = ?" });
    return begun.length > 0 ? "stopping" : "stopped";
  },

  sealCredentials(keyring, mode, { secretKey, webhookSecret }, before) {
    if (secretKey !== undefined && !secretKey.slice(3).startsWith(`${mode}_`))
      throw invalid("/secretKey", `must be a ${mode} key: sk_${mode}_… or rk_${mode}_…`);
    const seal = (name: string, given: string | undefined, stored: Uint8Array | null) => {
      if (given !== undefined) return keyring.seal(given, sealPurpose);
      if (stored === null) throw invalid(`/${name}`, "is required for the type stripe");
      return stored;
    };
    return {
      secret_key: seal("secretKey", secretKey, before.secret_key),
      webhook_secret: seal("webhookSecret", webhookSecret, before.webhook_secret),
    };
  },

  /** Invoices that waited for valid credentials continue. */
  credentialsChanged: (transaction, accountSeq, mode, now) =>
    wakeInvoices(transaction, now, `${ofAccount} AND next_on IS NOT NULL`, [accountSeq, mode], {
      also: "failures = 0",
    }),

  labelOf(method) {
    const { brand, kind, last4 } = method as z.output<typeof stripeMethod>;
    return [brand ?? kind, last4].filter(Boolean).join(" ending in ");
  },
};

export type StripeInvoiceRow = RowOf<"stripe_invoices">;

/** The condition of the rows of an account and a mode. */
export const ofAccount = "account_seq = ? AND mode = ?";

/**
 * Continues queued invoices now that meet a condition: they or their counterparts at Stripe have changed.
 * @param values those of `also`, which changes other columns, and of the condition
 */
export function wakeInvoices(
  transaction: WriteTransaction,
  now: number,
  condition: string,
  values: unknown[],
  { also }: { also?: string } = {},
): Promise<void> {
  const changes = ["next_on = ?", "wakes = wakes + 1", ...(also === undefined ? [] : [also])].join(", ");
  return transaction.run(`UPDATE stripe_invoices SET ${changes} WHERE ${condition}`, [now, ...values]);
}

/** Those of some invoices that may exist at Stripe. They stay locked. */
function lockBegun(transaction: WriteTransaction, invoiceSeqs: number[]): Promise<StripeInvoiceRow[]> {
  const seqs = invoiceSeqs.map((seq) => [seq]);
  const begunOf = (held: string) => `SELECT * FROM stripe_invoices WHERE began_on IS NOT NULL
    AND invoice_seq IN (SELECT column1 FROM ${held} AS held) ORDER BY invoice_seq`;
  return allWith(transaction, ["bigint"], seqs, (held) => forUpdate(transaction, begunOf(held)));
}

/** Invoices that are due and not leased, the earliest first. */
export function dueInvoices(reads: Reads, now: number, limit: number): Promise<{ invoice_seq: number }[]> {
  return reads.all(
    `SELECT invoice_seq FROM stripe_invoices WHERE next_on <= ? AND (lease_until IS NULL OR lease_until <= ?)
     ORDER BY next_on LIMIT ?`,
    [now, now, limit],
  );
}

/** Where an invoice belongs. Undefined if its bucket was deleted. */
export function placeOfInvoice(reads: Reads, invoiceSeq: number) {
  return reads.one<OfBucket & { invoice_id: string }>(
    `SELECT invoices.id AS invoice_id, ${bucketColumns} FROM stripe_invoices
     JOIN invoices ON invoices.seq = stripe_invoices.invoice_seq ${joinBucket("invoices.bucket_seq")}
     WHERE stripe_invoices.invoice_seq = ? AND accounts.seq = stripe_invoices.account_seq`,
    [invoiceSeq],
  );
}

/** Whether an invoice of the customer that is void here may still be paid at Stripe. */
export function hasUnconfirmedVoid(reads: Reads, bucketSeq: number, customerKey: string): Promise<boolean> {
  const unconfirmed = `FROM invoices JOIN stripe_invoices ON stripe_invoices.invoice_seq = invoices.seq
    WHERE invoices.bucket_seq = ? AND invoices.customer_key = ? AND invoices.status = 'void'
      AND stripe_invoices.began_on IS NOT NULL AND stripe_invoices.next_on IS NOT NULL`;
  return hasRows(reads, unconfirmed, [bucketSeq, customerKey]);
}

/**
 * Counts the invoices that Stripe may have and that are open here, or whose end is not known at Stripe yet. Stripe does not
 * charge for one that it has marked as uncollectible. Invoices of buckets that were deleted do not count.
 */
export function countUnfinished(reads: Reads, accountSeq: number, mode: ProviderMode): Promise<number> {
  const unfinished = `FROM stripe_invoices JOIN invoices ON invoices.seq = stripe_invoices.invoice_seq
    JOIN metering_buckets ON metering_buckets.seq = invoices.bucket_seq AND metering_buckets.account_seq = ?
    WHERE stripe_invoices.account_seq = metering_buckets.account_seq AND stripe_invoices.mode = ?
      AND stripe_invoices.began_on IS NOT NULL
      AND (invoices.status = 'open' OR (stripe_invoices.next_on IS NOT NULL
        AND NOT (invoices.status = 'uncollectible' AND COALESCE(stripe_invoices.stripe_status, '') = 'uncollectible')))`;
  return countOf(reads, unfinished, [accountSeq, mode]);
}
