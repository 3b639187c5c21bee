import type { Reads } from "../../../../../platform/storage/storage.ts";
import type { InvoiceRow } from "../../../invoices/invoice-store.ts";
import type { StripeInvoiceRow } from "../stripe-invoice-store.ts";

/** An invoice with its state at Stripe. */
export interface CollectedInvoice
  extends Pick<InvoiceRow, "id" | "number" | "status" | "currency" | "amount_due" | "refunded">,
    Pick<
      StripeInvoiceRow,
      "stripe_id" | "amount" | "failures" | "error" | "next_on" | "payment_intent" | "created_on"
    > {
  bucket_id: string;
  /** Of a credit pack whose payment was refunded or disputed at Stripe: what was used of it by then. */
  reversed_used: string | null;
  granted: string | null;
  granted_currency: string | null;
  granted_meter: string | null;
}

/** Invoices that Stripe collects, finalized since a time, the newest first. */
export function collectedSince(
  reads: Reads,
  { accountSeq, mode, since, limit }: { accountSeq: number; mode: string; since: number; limit: number },
): Promise<CollectedInvoice[]> {
  return reads.all(
    `SELECT invoices.id, invoices.number, invoices.status, invoices.currency, invoices.amount_due, invoices.refunded,
       stripe_invoices.stripe_id, stripe_invoices.amount, stripe_invoices.failures, stripe_invoices.error,
       stripe_invoices.next_on, stripe_invoices.payment_intent, stripe_invoices.created_on, metering_buckets.id AS bucket_id,
       pack_purchases.reversed_used, pack_purchases.grant_amount AS granted,
       pack_purchases.grant_currency AS granted_currency, pack_purchases.grant_meter AS granted_meter
     FROM stripe_invoices JOIN invoices ON invoices.seq = stripe_invoices.invoice_seq
     JOIN metering_buckets ON metering_buckets.seq = invoices.bucket_seq
     LEFT JOIN pack_purchases ON pack_purchases.id = invoices.purchase_id
     WHERE stripe_invoices.account_seq = ? AND stripe_invoices.mode = ? AND stripe_invoices.created_on >= ?
     ORDER BY stripe_invoices.created_on DESC, invoices.seq DESC LIMIT ?`,
    [accountSeq, mode, since, limit],
  );
}

const pageSize = 500;

/** Which of these ids are of invoices of the account, also of earlier ones. */
export async function knownInvoices(reads: Reads, accountSeq: number, ids: string[]): Promise<Set<string>> {
  const known = new Set<string>();
  for (let from = 0; from < ids.length; from += pageSize) {
    const rows = await reads.query
      .selectFrom("invoices")
      .innerJoin("metering_buckets", "metering_buckets.seq", "invoices.bucket_seq")
      .select("invoices.id")
      .where("metering_buckets.account_seq", "=", accountSeq)
      .where("invoices.id", "in", ids.slice(from, from + pageSize))
      .execute();
    for (const { id } of rows) known.add(id);
  }
  return known;
}
