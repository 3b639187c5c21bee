import type { BucketContext } from "../../metering-buckets/metering-buckets.ts";
import type { Subscription } from "../../subscriptions/subscriptions.ts";
import { lowerUse } from "../credit-grants/use-store.ts";
import { deleteDraft } from "../invoices/invoice-store.ts";
import { completeDraft, createDraft, finalize, type Invoice } from "../invoices/invoices.ts";
import { returnUsage } from "../invoices/usage-returns.ts";
import { invoiceLinesOf, sumOf } from "../plan-terms/lines.ts";
import { profileOf } from "../settings/settings.ts";
import { billUnderCaps } from "../spending/bill-under-caps.ts";
import { settleBillable } from "../spending/credit-settlement.ts";

/** Of a subscription that was deleted. */
const noOverage: Omit<Awaited<ReturnType<typeof billUnderCaps>>, "periods"> = {
  ...{ lines: [], corrections: [], paid: 0n, writtenOff: 0n },
  otherCurrencies: new Set(),
};

/**
 * Completes a draft with the overage that is billable by then, and finalizes it. Without a billing profile it stays a
 * complete draft. A draft without lines is deleted. Returns undefined in this case.
 */
export async function finalizeDraft(
  context: BucketContext,
  subscription: Subscription | undefined,
  draft: Invoice,
  billableUntil = draft.finalizes_on ?? context.act.now,
): Promise<Invoice | undefined> {
  const { transaction, act, bucket } = context;
  if (subscription) await settleBillable(context, subscription, billableUntil);
  const overage = subscription
    ? await billUnderCaps(transaction, bucket, subscription, billableUntil, draft.currency)
    : noOverage;
  // A plan without a price may have got one in another currency.
  for (const currency of overage.otherCurrencies) {
    const { customer_key: customerKey, id: subscriptionId } = subscription!.row;
    const more = { customerKey, subscriptionId, currency, lines: [], finalizesOn: act.now };
    const other = await createDraft(context, more);
    await finalizeDraft(context, subscription, other, billableUntil);
  }
  const lines = [...overage.lines];
  for (const correction of overage.corrections) {
    const { line, periodStart, segmentSeq } = correction;
    const room = sumOf([...invoiceLinesOf(draft), ...lines]);
    const returned = await returnUsage(context, draft, correction, room);
    lines.push(...returned.lines);
    const place = { subscriptionSeq: subscription!.row.seq, periodStart, segmentSeq, meter: line.meter! };
    await lowerUse(transaction, place, returned.used);
  }
  if (lines.length === 0 && invoiceLinesOf(draft).length === 0) {
    await deleteDraft(transaction, draft.seq);
    return undefined;
  }
  const profile = await profileOf(transaction, act.account.seq);
  const complete = await completeDraft(context, draft, { ...overage, lines });
  return profile ? finalize(context, complete, profile) : complete;
}
