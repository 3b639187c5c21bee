import { recordChange } from "../../../../core/changes/record.ts";
import { minorDigits } from "../../../../lib/currencies.ts";
import { smaller } from "../../../../lib/money.ts";
import { formatMinor, type Minor } from "../../../../lib/text/minor-units.ts";
import { formatDateTime } from "../../../../lib/time/time.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import { type BucketContext, namedMeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import {
  CreditUses,
  newSpendPeriod,
  type SpendPeriod,
  saveSpendPeriod,
  spendPeriodsOf,
} from "../credit-grants/use-store.ts";
import { blockingCap, type Caps, lowerCap, noCaps } from "../customers/caps.ts";
import { mailSpending } from "../invoices/billing-mails.ts";
import { costOf, overageInAll } from "../overage/overage-lines.ts";
import { type BillingSegmentRow, currencyOf, recentSegmentsOf, segmentTermsOf } from "../plan-terms/segments.ts";

/** The caps that limit the overage of a period: its own after its end, otherwise those of the customer. */
export function allowedCost(spend: SpendPeriod | undefined, caps: Caps, currency: string): Minor | undefined {
  const cap = spend?.isOver ? spend.cap : (blockingCap(caps, currency)?.minor ?? null);
  if (cap === null) return undefined;
  return spend !== undefined && spend.owed > cap ? spend.owed : cap;
}

/** What a cap removes from the cost of a period. No change of a cap removes what was owed before it. */
export function writtenOffOf(cost: Minor, spend: SpendPeriod | undefined, caps: Caps, currency: string): Minor {
  const before = spend === undefined ? 0n : fixedOf(cost, spend);
  const allowed = allowedCost(spend, caps, currency);
  const excess = allowed === undefined ? 0n : cost - before - allowed;
  return before + (excess > 0n ? excess : 0n);
}

/** What was beyond former caps. If usage turns out to cost less, that falls first, and then what was owed. */
function fixedOf(cost: Minor, { writtenOff, owed }: SpendPeriod): Minor {
  if (cost <= owed) return 0n;
  return smaller(cost - owed, writtenOff);
}

/** The cost of a period's overage, after meter grants and before money grants, without what prepaid rates write off. */
interface PeriodCost {
  segment: BillingSegmentRow;
  currency: string;
  cost: Minor;
}

/**
 * The costs of the recent periods of a subscription, by their start. Usage that was written since it was compared with
 * credits is left out: meter grants may cover it, and then it costs nothing.
 */
async function recentCosts(
  reads: Reads,
  subscriptionSeq: number,
  since: number,
  known?: CreditUses,
): Promise<Map<number, PeriodCost>> {
  const segments = await recentSegmentsOf(reads, subscriptionSeq, since);
  const uses = known ?? (await CreditUses.read(reads, subscriptionSeq));
  const costs = new Map<number, PeriodCost>();
  for (const overage of await overageInAll(reads, subscriptionSeq, segments)) {
    const { segment, meter, units, currency } = overage;
    const before = costs.get(segment.period_start)?.cost ?? 0n;
    const { seen } = uses.of(segment.period_start, segment.seq, meter);
    const { owed } = costOf({ ...overage, units: smaller(units, seen) }, uses);
    costs.set(segment.period_start, { segment, currency, cost: before + owed });
  }
  return costs;
}

/** Before the caps of a customer change: fixes what is owed and what is written off under the old ones. */
export async function fixSpending(
  transaction: WriteTransaction,
  subscriptionSeq: number,
  caps: Caps,
  now: number,
): Promise<void> {
  const periods = await spendPeriodsOf(transaction, subscriptionSeq);
  const costs = await recentCosts(transaction, subscriptionSeq, 0);
  const segments = await recentSegmentsOf(transaction, subscriptionSeq, 0);
  // Also those without a price: a simulation may give them one.
  for (const [start, segment] of new Map(segments.map((each) => [each.period_start, each]))) {
    const spend = periods.get(start) ?? newSpendPeriod(subscriptionSeq, start);
    if (spend.isOver) continue;
    // Without a cap, or while the subscription was not active, the end of a period is not stored.
    if (segment.period_end <= now) await endSpending(transaction, subscriptionSeq, segment, caps);
    else {
      const former = { until: now, cap: capOf(segment, caps) };
      const formerCaps = spend.formerCaps && [...spend.formerCaps, former];
      await saveSpendPeriod(transaction, { ...fixed(spend, costs.get(start), caps), formerCaps, threshold: 0 });
    }
  }
}

function fixed(spend: SpendPeriod, period: PeriodCost | undefined, caps: Caps): SpendPeriod {
  if (!period) return spend;
  const writtenOff = writtenOffOf(period.cost, spend, caps, period.currency);
  return { ...spend, writtenOff, owed: period.cost - writtenOff };
}

/** Changes the cap of a period that is over, when a simulation computes its usage again. */
export async function changeCap(
  transaction: WriteTransaction,
  { subscriptionSeq, periodStart }: Pick<SpendPeriod, "subscriptionSeq" | "periodStart">,
  cap: Minor | null,
): Promise<void> {
  const spend = (await spendPeriodsOf(transaction, subscriptionSeq)).get(periodStart)!;
  const costs = await recentCosts(transaction, subscriptionSeq, 0);
  await saveSpendPeriod(transaction, { ...fixed(spend, costs.get(periodStart), noCaps), cap });
}

/** At the end of a period: usage that arrives later is compared with the caps of the period. */
export async function endSpending(
  transaction: WriteTransaction,
  subscriptionSeq: number,
  segment: BillingSegmentRow,
  caps: Caps,
): Promise<void> {
  const periods = await spendPeriodsOf(transaction, subscriptionSeq);
  const spend = periods.get(segment.period_start) ?? newSpendPeriod(subscriptionSeq, segment.period_start);
  await saveSpendPeriod(transaction, { ...spend, isOver: true, cap: capOf(segment, caps) });
}

/** The cap that blocks in the currency of a segment. */
export function capOf(segment: BillingSegmentRow, caps: Caps): Minor | null {
  const currency = currencyOf(segmentTermsOf(segment));
  return (currency === undefined ? undefined : blockingCap(caps, currency))?.minor ?? null;
}

const thresholds = [100, 80, 50] as const;
/** Customers get no mail about half of a cap: most periods would have one. */
const firstMailed = 80;

/** A threshold of the lower cap that was reached and not announced. */
interface ReachedThreshold extends PeriodCost {
  threshold: number;
  cap: NonNullable<ReturnType<typeof lowerCap>>;
  spend: SpendPeriod;
}

/**
 * The thresholds to announce, at most one for each period.
 * @param uses what grants pay, if it is more recent than what is stored
 */
export async function reachedThresholds(
  reads: Reads,
  subscriptionSeq: number,
  caps: Caps,
  now: number,
  uses?: CreditUses,
): Promise<ReachedThreshold[]> {
  const periods = await spendPeriodsOf(reads, subscriptionSeq);
  const reached: ReachedThreshold[] = [];
  for (const [start, period] of await recentCosts(reads, subscriptionSeq, now, uses)) {
    const cap = lowerCap(caps, period.currency);
    const spend = periods.get(start) ?? newSpendPeriod(subscriptionSeq, start);
    if (!cap || spend.isOver) continue;
    const threshold = thresholds.find((each) => period.cost * 100n >= cap.minor * BigInt(each));
    if (threshold !== undefined && threshold > spend.threshold) reached.push({ ...period, threshold, cap, spend });
  }
  return reached;
}

/** Announces that a part of the lower cap is spent: each threshold once for a period and a cap. */
export async function announceSpending(
  context: BucketContext,
  { seq, id: subscriptionId, customerKey }: { seq: number; id: string; customerKey: string },
  caps: Caps,
  uses?: CreditUses,
): Promise<void> {
  const { transaction, act, bucket } = context;
  for (const reached of await reachedThresholds(transaction, seq, caps, act.now, uses)) {
    const { threshold, cost, cap, currency, spend, segment } = reached;
    await saveSpendPeriod(transaction, { ...spend, threshold });
    const money = (minor: Minor) => formatMinor(minor, minorDigits(currency)!);
    const after = {
      customerKey,
      subscriptionId,
      threshold,
      cost: money(cost),
      cap: { amount: money(cap.minor), action: cap.action },
      currency,
      periodStart: formatDateTime(segment.period_start),
      periodEnd: formatDateTime(segment.period_end),
    };
    const resource = { type: "customer", id: `${bucket.id}/${customerKey}`, name: customerKey };
    recordChange(transaction, act, "spend.threshold", { ...resource, parent: namedMeteringBucket(bucket), after });
    if (threshold < firstMailed) continue;
    const mailed = { ...after, periodEnd: segment.period_end };
    await mailSpending(context, customerKey, mailed);
  }
}
