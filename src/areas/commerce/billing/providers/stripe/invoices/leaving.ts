import type { Act } from "../../../../../../core/access.ts";
import { Problem } from "../../../../../../core/problems/problem.ts";
import type { Reads, WriteTransaction } from "../../../../../../platform/storage/storage.ts";
import { findMeteringBucket } from "../../../../metering-buckets/metering-buckets.ts";
import { updateInvoice } from "../../../invoices/invoice-store.ts";
import { lockInvoice, numberFor } from "../../../invoices/invoices.ts";
import type { ProviderMode } from "../../../payments/interface/provider.ts";
import { profileOf } from "../../../settings/settings.ts";

/**
 * To be called before another payment provider replaces Stripe, whose keys are erased then. Invoices that were never sent
 * to Stripe get a number of ours. Throws 409 while Stripe has others that are not finished, unless `force` is set: it
 * would keep charging for them, and nothing here would notice.
 */
export async function leaveStripe(
  transaction: WriteTransaction,
  act: Act,
  mode: ProviderMode,
  { force }: { force: boolean },
): Promise<void> {
  const { seq: accountSeq } = act.account;
  const count = force ? 0 : await countUnfinished(transaction, accountSeq, mode);
  if (count > 0) throw unfinished(count, mode);
  for (const { invoice_id, bucket_id } of await notBegun(transaction, accountSeq, mode)) {
    const bucket = await findMeteringBucket(transaction, accountSeq, bucket_id);
    const invoice = await lockInvoice(transaction, bucket, invoice_id);
    const profile = (await profileOf(transaction, accountSeq))!;
    await updateInvoice(transaction, invoice, {
      number: invoice.number ?? (await numberFor({ transaction, act, bucket }, profile, "")),
      collection_state: null,
      version: invoice.version + 1,
      updated_on: act.now,
    });
  }
  // An invoice that is about to be sent loses its lease with its row.
  await deleteNotBegun(transaction, accountSeq, mode);
}

function unfinished(count: number, mode: ProviderMode): Problem {
  const invoices = count === 1 ? "1 invoice that is" : `${count} invoices that are`;
  return new Problem("collections_unfinished", {
    detail:
      `Stripe has ${invoices} not paid yet, in ${mode} mode, and would keep charging. Wait until they are paid, or void ` +
      "them, or mark them as paid. With force=true the keys are erased anyway.",
  });
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
