import type { Reads, WriteTransaction } from "../../../../../platform/storage/storage.ts";

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
