import type { ShortageCode, SpendBudget } from "../../../../counting/quotas/quota-definition.ts";
import type { Amount } from "../../../../lib/amount.ts";
import { minorDigits } from "../../../../lib/currencies.ts";
import type { Minor } from "../../../../lib/text/minor-units.ts";
import type { Period } from "../../../../lib/time/calendar.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import { marksOf } from "../../metering/counters/usage-marks.ts";
import type { MeterCredits, SpendingLimitSource, SpendingLimits } from "../../metering/spending-limits.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { allowancesIn } from "../../subscriptions/allowance-history.ts";
import { billsUsage, statusAt } from "../../subscriptions/state.ts";
import { findSubscription, type Subscription } from "../../subscriptions/subscriptions.ts";
import { creditRevision } from "../credit-grants/grant-store.ts";
import { moneyIn, type PrepaidCover, writtenOffAt } from "../credit-grants/money-terms.ts";
import { CreditUses, spendPeriodsOf } from "../credit-grants/use-store.ts";
import type { Wallet } from "../credit-grants/wallet.ts";
import { blockingCap, type Caps, hasCaps } from "../customers/caps.ts";
import { costOf, isPrepaid, overageIn, overageInAll, type SegmentOverage } from "../overage/overage-lines.ts";
import { exactPricing, productScale } from "../overage/overage-price.ts";
import {
  type BillingSegmentRow,
  hasPricedMeters,
  openSegment,
  recentSegmentsOf,
  segmentKindAt,
  termsAt,
} from "../plan-terms/segments.ts";
import { creditsAt } from "./credit-use.ts";
import { allowedCost } from "./spending.ts";

/** A cost that usage must not exceed, without what is written off, and the meters whose usage costs it. */
interface Limit {
  code: ShortageCode;
  priced: PricedMeter[];
  /** In the unit of exact prices. */
  most: bigint;
}

interface PricedMeter {
  meter: string;
  priceOf(units: Amount): bigint;
  /** Units that were compared with credits and cost something. */
  billed: Amount;
  /** Units up to this total are within the allowance, compared already, or covered by credits. */
  free: Amount;
}

/** What a cap that blocks, and money for prepaid rates, allow in the current segment of a period. Undefined without both. */
async function budgetOf(
  reads: Reads,
  subscriptionSeq: number,
  periodStart: number,
  overage: SegmentOverage[],
  uses: CreditUses,
  wallet: Wallet,
  caps: Caps,
  /** Whether money of the wallet pays for prepaid usage of requests. */
  usesMoney: boolean,
): Promise<SpendBudget | undefined> {
  const [first] = overage;
  if (!first) return undefined;
  const { currency } = first;
  const useOf = ({ segment, meter }: SegmentOverage) => uses.of(periodStart, segment.seq, meter);
  const pricedOf = (each: SegmentOverage): PricedMeter => {
    const { seen, covered } = useOf(each);
    const free = each.start + seen + wallet.balanceOf({ meter: each.meter });
    return { meter: each.meter, priceOf: exactPricing(each.rate), billed: seen - covered, free };
  };
  const exact = (minor: Minor) => (minor * productScale) / 10n ** BigInt(minorDigits(currency)!);
  const limits: Limit[] = [];
  const cap = blockingCap(caps, currency);
  if (cap) {
    const spend = (await spendPeriodsOf(reads, subscriptionSeq)).get(periodStart);
    const earlier = await costBefore(reads, subscriptionSeq, first.segment, uses);
    const allowed = allowedCost(spend, caps, currency)! + (spend?.writtenOff ?? 0n) - earlier;
    limits.push({ code: cap.code, priced: overage.map(pricedOf), most: exact(allowed) });
  }
  const prepaid = overage.filter(isPrepaid);
  const pricedPrepaid = prepaid.map(pricedOf);
  const usable = usesMoney ? wallet.balanceOf({ currency }) : 0n;
  const money = prepaid.reduce((sum, each) => sum + moneyIn(useOf(each)), usable);
  const covers = prepaid.map((each, index): [PricedMeter, PrepaidCover] => {
    const { cost, writtenOff, writtenOffLast } = useOf(each);
    const cover = { cost: exact(cost), writtenOff: exact(writtenOff), writtenOffLast: exact(writtenOffLast) };
    return [pricedPrepaid[index]!, cover];
  });
  // Without money, the limits of the meters reject the usage, and workers need not ask about each request.
  if (prepaid.length > 0 && (money > 0n || cap))
    limits.push({ code: "credit_exhausted", priced: pricedPrepaid, most: exact(money) });
  if (limits.length === 0) return undefined;
  /** If usage has been returned since it was compared, less may be written off. */
  const freeAt = (before: (meter: string) => Amount): bigint =>
    covers.reduce((sum, [priced, cover]) => sum + writtenOffAt(cover, costAt([priced], before)), 0n);
  return {
    meters: new Set(limits.flatMap(({ priced }) => priced.map(({ meter }) => meter))),
    rejects(before, after) {
      const free = freeAt(before);
      for (const { code, priced, most } of limits) {
        const cost = costAt(priced, after);
        // Usage that costs nothing stays possible when the limit is reached, and so does usage that reaches a cheaper tier.
        if (cost - free > most && cost > costAt(priced, before)) return code;
      }
      return undefined;
    },
  };
}

function costAt(meters: PricedMeter[], totalOf: (meter: string) => Amount): bigint {
  return meters.reduce((sum, { meter, priceOf, billed, free }) => {
    const total = totalOf(meter);
    return sum + priceOf(total > free ? billed + total - free : billed);
  }, 0n);
}

/** The limits that grants and caps of a customer give a subscription, all as of one time. */
export const spendingLimits: SpendingLimitSource = async (reads, bucket, row, period, now) => {
  for (;;) {
    const { seq } = bucket;
    const revision = await creditRevision(reads, seq, row.customer_key);
    const limits = await limitsAt(reads, bucket, row, period, now);
    // Grants and what they pay are several rows: balances of one time with uses of another would count twice.
    if ((await creditRevision(reads, seq, row.customer_key)) === revision) return limits;
  }
};

async function limitsAt(
  reads: Reads,
  bucket: MeteringBucket,
  subscription: Subscription["row"],
  period: Period,
  now: number,
): Promise<SpendingLimits> {
  const { wallet, uses, caps, current } = await creditsAt(reads, bucket, subscription.customer_key, now);
  const meters = new Map<string, MeterCredits>();
  const limits: SpendingLimits = { meters, budget: undefined, validUntil: wallet.changesOn };
  const isCurrent = current?.row.seq === subscription.seq;
  // Only the newest active subscription uses credits for requests. Caps limit each of them.
  if (!isCurrent && !hasCaps(caps)) return limits;
  const own = uses.get(subscription.seq) ?? (await CreditUses.read(reads, subscription.seq));
  const its = isCurrent ? current : await findSubscription(reads, bucket, subscription.id);
  const isBilling = billsUsage(statusAt(subscription, its.plans, now));
  const overage = await currentOverage(reads, its, period);
  if (isBilling)
    limits.budget = await budgetOf(reads, subscription.seq, period.start, overage, own, wallet, caps, isCurrent);
  if (!isCurrent) return limits;
  const allowed = await allowancesIn(reads, its, period);
  for (const meter of wallet.meters) {
    const allowance = allowed.get(meter);
    if (!allowance || !wallet.hasBegun(meter)) continue;
    const units = wallet.balanceOf({ meter });
    const billed = allowance.isPriced && isBilling ? overage.find((each) => each.meter === meter) : undefined;
    if (billed) meters.set(meter, { base: billed.start + own.of(period.start, billed.segment.seq, meter).seen, units });
    else {
      const { seen } = own.of(period.start, 0, meter);
      meters.set(meter, { base: seen > allowance.max ? seen : allowance.max, units });
    }
  }
  return limits;
}

/** The overage of the current segment of a period. Empty if nothing is billed. */
async function currentOverage(reads: Reads, subscription: Subscription, period: Period): Promise<SegmentOverage[]> {
  const { row } = subscription;
  const open = await openSegment(reads, row.seq);
  if (!open) return [];
  const segment = open.period_start === period.start ? open : await expectedSegment(reads, subscription, open, period);
  if (!hasPricedMeters(segment)) return [];
  return overageIn(reads, row.seq, segment, undefined, await marksOf(reads, row.seq));
}

/** The segment that the renewal will begin: a period has begun, and the step that is due then has not been done. */
async function expectedSegment(
  reads: Reads,
  subscription: Subscription,
  open: BillingSegmentRow,
  { start, end }: Period,
): Promise<BillingSegmentRow> {
  const terms = JSON.stringify(await termsAt(reads, subscription, start, start, undefined));
  const kind = segmentKindAt(subscription, start);
  return { ...open, seq: notStored, kind, period_start: start, period_end: end, starts_on: start, terms, billed: "{}" };
}

/** No row has this number, so no credits have paid for anything in it. 0 is that of meters that are not billed. */
const notStored = -1;

/** The cost of a period before its open segment. */
async function costBefore(
  reads: Reads,
  subscriptionSeq: number,
  open: BillingSegmentRow,
  uses: CreditUses,
): Promise<Minor> {
  const segments = await recentSegmentsOf(reads, subscriptionSeq, open.period_start);
  const isBefore = ({ seq, period_start }: BillingSegmentRow) => seq !== open.seq && period_start === open.period_start;
  const before = await overageInAll(reads, subscriptionSeq, segments, { isWanted: isBefore });
  return before.reduce((sum, overage) => sum + costOf(overage, uses).owed, 0n);
}
