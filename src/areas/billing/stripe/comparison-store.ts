import type { Reads } from "../../../platform/storage/storage.ts";
import type { CollectionRow } from "../collection/collection-store.ts";
import type { InvoiceRow } from "../invoices/invoice-store.ts";

/** An invoice with its collection. */
export interface CollectedInvoice
  extends Pick<InvoiceRow, "id" | "number" | "status" | "currency" | "amount_due">,
    Pick<CollectionRow, "stripe_id" | "amount" | "failures" | "error"> {
  bucket_id: string;
}

/** Invoices that Stripe collects, finalized since a time, in order. */
export function collectedSince(
  reads: Reads,
  { accountSeq, mode, since, limit }: { accountSeq: number; mode: string; since: number; limit: number },
): Promise<CollectedInvoice[]> {
  return reads.all(
    `SELECT invoices.id, invoices.number, invoices.status, invoices.currency, invoices.amount_due,
       stripe_invoices.stripe_id, stripe_invoices.amount, stripe_invoices.failures, stripe_invoices.error,
       metering_buckets.id AS bucket_id
     FROM stripe_invoices JOIN invoices ON invoices.seq = stripe_invoices.invoice_seq
     JOIN metering_buckets ON metering_buckets.seq = invoices.bucket_seq
     WHERE stripe_invoices.account_seq = ? AND stripe_invoices.mode = ? AND stripe_invoices.created_on >= ?
     ORDER BY invoices.seq LIMIT ?`,
    [accountSeq, mode, since, limit],
  );
}
