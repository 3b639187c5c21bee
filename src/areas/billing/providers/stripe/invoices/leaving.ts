import type { Act } from "../../../../../core/access.ts";
import { Problem } from "../../../../../core/problems/problem.ts";
import type { WriteTransaction } from "../../../../../platform/storage/storage.ts";
import { findMeteringBucket } from "../../../../metering-buckets/metering-buckets.ts";
import { updateInvoice } from "../../../invoices/invoice-store.ts";
import { lockInvoice, numberFor } from "../../../invoices/invoices.ts";
import type { ProviderMode } from "../../../payments/interface/provider.ts";
import { profileOf } from "../../../settings/settings.ts";
import { countUnfinished, deleteNotBegun, notBegun } from "./leaving-store.ts";

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
