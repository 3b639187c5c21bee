import type { Amount } from "../../../../lib/amount.ts";
import { minorDigits } from "../../../../lib/currencies.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import { usedInPeriod } from "../../metering/usage/usage.ts";
import { spendPeriodsOf } from "../credit-grants/use-store.ts";
import { noCaps } from "../customers/caps.ts";
import { overageInAll, type SegmentOverage } from "../overage/overage-lines.ts";
import { overagePrice } from "../overage/overage-price.ts";
import { type BillingSegmentRow, billingSegmentsOf, pricedMeters, segmentTermsOf } from "../plan-terms/segments.ts";
import { allowedCost } from "../spending/spending.ts";
import { isWithin, maximumsOf, type SimulatedSubscription, type Span } from "./simulated-bill.ts";
import { placeOf, type UsedAmount } from "./usage-in-order.ts";

/** The first time at which usage would have reached a maximum beyond which it has no price. */
export async function reachedIn(
  reads: Reads,
  book: Reads,
  subscriptions: SimulatedSubscription[],
  span: Span,
): Promise<Map<string, number>> {
  const reached = new Map<string, number>();
  for (const { row, segments } of subscriptions)
    for (const [index, segment] of segments.entries()) {
      const isLast = segments[index + 1]?.period_start !== segment.period_start;
      if (!isLast || segment.kind === "idle" || !isWithin(segment, span)) continue;
      const terms = segmentTermsOf(segment);
      const priced = pricedMeters(terms);
      const used = await usedInPeriod(book, row.seq, segment.period_start);
      for (const [meter, most] of maximumsOf(terms)) {
        if (priced.includes(meter) || (used.get(meter) ?? 0n) < most || !used.has(meter)) continue;
        const on = await reachedOn(reads, row.seq, segment.period_start, meter, most);
        if (on !== undefined && on < (reached.get(meter) ?? Number.POSITIVE_INFINITY)) reached.set(meter, on);
      }
    }
  return reached;
}

/** The first day on which the usage of a meter in a period reached an amount. */
async function reachedOn(
  reads: Reads,
  subscriptionSeq: number,
  periodStart: number,
  meter: string,
  max: bigint,
): Promise<number | undefined> {
  const days = await reads.all<{ time: number; whole: number; billionths: number }>(
    `SELECT time, whole, billionths FROM usage_days WHERE subscription_seq = ? AND period_start = ? AND meter = ?
     ORDER BY time`,
    [subscriptionSeq, periodStart, meter],
  );
  let used = 0n;
  for (const { time, whole, billionths } of days) {
    used += BigInt(whole) * 1_000_000_000n + BigInt(billionths);
    if (used >= max) return time;
  }
  return days.at(-1)?.time;
}

/** The usage with which the cost of a period that is billed reached its cap. */
export async function capReachedIn(
  book: Reads,
  { subscription_seq: subscriptionSeq, period_start: periodStart }: BillingSegmentRow,
  usage: UsedAmount[],
): Promise<UsedAmount | undefined> {
  const spend = (await spendPeriodsOf(book, subscriptionSeq)).get(periodStart);
  const segments = (await billingSegmentsOf(book, subscriptionSeq)).filter((each) => each.period_start === periodStart);
  const all = await overageInAll(book, subscriptionSeq, segments);
  const cap = all[0] && allowedCost(spend, noCaps, all[0].currency);
  if (cap === undefined) return undefined;
  const used = new Map<string, Amount>();
  const costOf = ({ meter, start, units, rate, currency }: SegmentOverage) => {
    const begun = (used.get(meter) ?? 0n) - start;
    const most = begun < units ? begun : units;
    return most > 0n ? overagePrice(most, rate, minorDigits(currency)!) : 0n;
  };
  return usage.find((each) => {
    if (placeOf(each) !== placeOf({ subscriptionSeq, periodStart })) return false;
    used.set(each.meter, (used.get(each.meter) ?? 0n) + each.amount);
    return all.reduce((sum, overage) => sum + costOf(overage), 0n) > cap;
  });
}
