import type { Minor } from "../../../../lib/text/minor-units.ts";
import type { WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { BucketContext, MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import type { Subscription } from "../../subscriptions/subscriptions.ts";
import { CreditUses, lowerUse, newSpendPeriod, saveSpendPeriod, spendPeriodsOf } from "../credit-grants/use-store.ts";
import { readCaps } from "../customers/customers.ts";
import { deleteDraft } from "../invoices/invoice-store.ts";
import { completeDraft, createDraft, finalize, type Invoice } from "../invoices/invoices.ts";
import { returnUsage } from "../invoices/returns.ts";
import { type BilledOverage, billOverage, type UsageCorrection } from "../overage/overage-lines.ts";
import { type DraftLine, invoiceLinesOf, sumOf } from "../plan-terms/lines.ts";
import { billingSegmentsOf } from "../plan-terms/segments.ts";
import { profileOf } from "../settings/settings.ts";
import { settleBillable } from "../spending/credit-settlement.ts";
import { writtenOffOf } from "../spending/spending.ts";

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

/** Takes the pending overage into an invoice. What is beyond a cap, or not covered by prepaid money, is shown and not billed. */
export async function billUnderCaps(
  transaction: WriteTransaction,
  bucket: MeteringBucket,
  { row, plans }: Subscription,
  at: number,
  currency: string,
): Promise<BilledOverage> {
  const billed = await billOverage(transaction, { row, plans }, at, currency);
  if (row.has_credits !== 1) return billed;
  const { lines, periods, corrections } = billed;
  const caps = await readCaps(transaction, bucket, row.customer_key);
  const segments = await billingSegmentsOf(transaction, row.seq);
  const spent = await spendPeriodsOf(transaction, row.seq);
  const uses = await CreditUses.read(transaction, row.seq);
  let sum = billed.writtenOff;
  for (const [start, currency] of periods) {
    let cost = 0n;
    for (const { seq, period_start, billed } of segments)
      if (period_start === start)
        for (const [meter, { amount }] of Object.entries(JSON.parse(billed) as Record<string, { amount: string }>))
          cost += BigInt(amount) - uses.of(start, seq, meter).shownWrittenOff;
    const spend = spent.get(start) ?? newSpendPeriod(row.seq, start);
    const writtenOff = writtenOffOf(cost, spend, caps, currency);
    if (writtenOff === spend.applied) continue;
    await saveSpendPeriod(transaction, { ...spend, applied: writtenOff });
    // Usage that costs less is beyond the cap by less: that part was never billed, so it is not returned.
    const more = offset(
      writtenOff - spend.applied,
      corrections.filter(({ periodStart }) => periodStart === start),
    );
    if (more === 0n) continue;
    const overage = lines.find(({ kind, periodStart }) => kind === "overage" && periodStart >= start);
    lines.push(writtenOffLine(more, overage?.periodStart ?? start, overage?.periodEnd ?? start));
    sum += more;
  }
  return { ...billed, writtenOff: sum };
}

/** Reduces corrections by what is no longer written off. Returns the rest. */
function offset(more: Minor, corrections: UsageCorrection[]): Minor {
  let rest = more;
  for (const { line } of corrections) {
    if (rest >= 0n) break;
    const part = rest > line.amount ? rest : line.amount;
    line.amount -= part;
    rest -= part;
  }
  return rest;
}

export const beyondCap = "Beyond the spending cap, not billed";

function writtenOffLine(amount: Minor, periodStart: number, periodEnd: number): DraftLine {
  return { kind: "credit", description: beyondCap, quantity: 1, amount: -amount, periodStart, periodEnd };
}
