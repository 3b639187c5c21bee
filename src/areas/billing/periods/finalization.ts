import type { Act } from "../../../core/access.ts";
import type { WriteTransaction } from "../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../../metering/buckets.ts";
import type { Subscription } from "../../metering/subscriptions/subscriptions.ts";
import { deleteDraft } from "../invoices/invoice-store.ts";
import { completeDraft, finalize, type Invoice, linesOf } from "../invoices/invoices.ts";
import { profileOf } from "../settings/settings.ts";
import { settleBefore } from "./credit-settlement.ts";
import { billUnderCaps } from "./write-offs.ts";

/**
 * Completes a draft with the overage that is billable by then, and finalizes it. Without a billing profile it stays a
 * complete draft. A draft without lines is deleted. Returns undefined in this case.
 */
export async function finalizeDraft(
  transaction: WriteTransaction,
  act: Act,
  bucket: MeteringBucket,
  subscription: Subscription | undefined,
  draft: Invoice,
  billableUntil = draft.finalizes_on ?? act.now,
): Promise<Invoice | undefined> {
  if (subscription) await settleBefore(transaction, act, bucket, subscription);
  const overage = subscription
    ? await billUnderCaps(transaction, bucket, subscription, billableUntil)
    : { lines: [], paid: 0n, writtenOff: 0n };
  if (overage.lines.length === 0 && linesOf(draft).length === 0) {
    await deleteDraft(transaction, draft.seq);
    return undefined;
  }
  const complete = await completeDraft(transaction, act, bucket, draft, overage);
  const hasProfile = (await profileOf(transaction, act.account.seq)) !== undefined;
  return hasProfile ? finalize(transaction, act, bucket, complete) : complete;
}
