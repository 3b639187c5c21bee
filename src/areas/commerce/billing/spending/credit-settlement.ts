import type { Amount } from "../../../../lib/amount.ts";
import { smaller } from "../../../../lib/money.ts";
import type { WriteTransaction } from "../../../../platform/storage/storage.ts";
import { marksOf } from "../../metering/counters/usage-marks.ts";
import { type LostUsage, moveEarlyUsage } from "../../metering/usage/early-usage.ts";
import { usedInPeriod } from "../../metering/usage/usage.ts";
import { asSystem, type BucketContext, type MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { allowancesIn } from "../../subscriptions/allowance-history.ts";
import { limitsChanged, periodOf } from "../../subscriptions/state.ts";
import {
  findSubscriptionForUpdate,
  type Subscription,
  subscriptionSeqsOf,
  subscriptionsOfCustomer,
} from "../../subscriptions/subscriptions.ts";
import { reviseCredits } from "../credit-grants/grant-store.ts";
import { nextHour } from "../credit-grants/grants.ts";
import { returnMoney, returnUnits } from "../credit-grants/returned-credits.ts";
import { type CreditUse, CreditUses, lowerMoney, saveUse } from "../credit-grants/use-store.ts";
import { lockCustomerBilling, Wallet } from "../credit-grants/wallet.ts";
import { hasCaps } from "../customers/caps.ts";
import { lockBillable, overageIn, type SegmentOverage } from "../overage/overage-lines.ts";
import { overageUnits } from "../overage/overage-price.ts";
import { billingSegmentsOf, hasPricedMeters } from "../plan-terms/segments.ts";
import { type CreditState, type CreditUseComparison, creditsAt, lateCreditMilliseconds } from "./credit-use.ts";
import { announceSpending } from "./spending.ts";

/**
 * Writes what a customer's grants pay of its usage so far: entries in the ledger, and the uses that invoices show. Called
 * each hour, and before everything that changes grants, terms or invoices.
 */
export async function settleCredits(
  context: BucketContext,
  customerKey: string,
  { more, until = context.act.now, billedSeq }: CreditUseComparison = {},
): Promise<CreditState> {
  const { transaction, act, bucket } = context;
  await lockCustomerBilling(transaction, bucket, customerKey);
  const state = await creditsAt(transaction, bucket, customerKey, act.now, {
    more,
    until,
    ...(billedSeq === undefined ? {} : { billedSeq }),
  });
  for (const use of state.changed) await saveUse(transaction, use);
  for (const { seq, granted } of state.adjusted) await transaction.update("rollovers", seq, { granted });
  const { wallet, surplus, caps } = state;
  const hasChanged = wallet.hasChanged || state.changed.size > 0;
  await wallet.save(context);
  for (const { use, ...returned } of surplus) {
    lowerMoney(use, await returnMoney(context, customerKey, returned));
    await saveUse(transaction, use);
  }
  const isCapped = hasCaps(caps);
  if (isCapped)
    for (const { seq, id } of await subscriptionSeqsOf(transaction, bucket, customerKey))
      await announceSpending(context, { seq, id, customerKey }, caps);
  const isOver = wallet.isUsedUp && surplus.length === 0 && !isCapped;
  await reviseCredits(transaction, bucket.seq, customerKey, isOver ? null : nextHour(until));
  if (hasChanged) await limitsChanged(context, customerKey);
  return state;
}

/** Before usage is billed: grants pay for the usage that the invoice has, and for no more than that. */
export async function settleBillable(
  context: BucketContext,
  { row }: Subscription,
  billableUntil: number,
): Promise<void> {
  const { transaction, act } = context;
  if (row.has_credits !== 1) return;
  await lockBillable(transaction, row.seq, act.now - lateCreditMilliseconds, billableUntil);
  await settleCredits(context, row.customer_key, { billedSeq: row.seq });
}

/** Before anything else uses or adds credit: the usage so far is paid from what there is, and not from what is added. */
export async function settleUsed(context: BucketContext, customerKey: string): Promise<void> {
  const { transaction, bucket } = context;
  await lockCustomerBilling(transaction, bucket, customerKey);
  const subscriptions = await subscriptionsOfCustomer(transaction, bucket.seq, customerKey);
  if (subscriptions.some(({ has_credits }) => has_credits === 1)) await settleCredits(asSystem(context), customerKey);
}

/** Settles credits before other terms apply to a subscription. */
export async function settleBefore(context: BucketContext, { row }: Subscription): Promise<void> {
  if (row.has_credits === 1) await settleCredits(context, row.customer_key);
}

/** After other terms apply to a subscription: what was used before them is not beyond a new maximum. */
export async function skipPastUsage(
  transaction: WriteTransaction,
  bucket: MeteringBucket,
  subscription: Subscription,
  now: number,
): Promise<void> {
  const { row } = subscription;
  if (row.has_credits !== 1) return;
  const { meters } = await Wallet.read(transaction, bucket.seq, row.customer_key, now);
  const { start } = periodOf(subscription, now);
  const uses = await CreditUses.read(transaction, row.seq);
  const used = await usedInPeriod(transaction, row.seq, start);
  for (const meter of meters) {
    const use = uses.of(start, 0, meter);
    const total = used.get(meter) ?? 0n;
    if (total <= use.seen) continue;
    use.seen = total;
    await saveUse(transaction, use);
  }
}

/** Moves early usage to the subscription that is current at its time, with the units of grants that cover it. */
export async function moveUsage(...[context, customerKey, options]: Parameters<typeof moveEarlyUsage>) {
  await returnLostUnits(context, customerKey, await moveEarlyUsage(context, customerKey, options));
}

/**
 * After usage has left a subscription, or the segment in which it was counted: grants again the units of meter grants
 * that covered it, so that they cover it where it counts now. What a higher maximum includes is not granted again.
 */
export async function returnLostUnits(context: BucketContext, customerKey: string, lost: LostUsage[]): Promise<void> {
  const { transaction, bucket } = context;
  if (lost.length === 0) return;
  const subscriptions = await subscriptionSeqsOf(transaction, bucket, customerKey);
  for (const [seq, ofOne] of Map.groupBy(lost, ({ subscriptionSeq }) => subscriptionSeq)) {
    const uses = await CreditUses.read(transaction, seq);
    if (uses.isEmpty) continue;
    const { id } = subscriptions.find((each) => each.seq === seq)!;
    const subscription = await findSubscriptionForUpdate(transaction, bucket, id);
    for (const some of Map.groupBy(
      ofOne,
      ({ periodStart, meter, time }) => `${periodStart} ${meter} ${time}`,
    ).values()) {
      const amount = some.reduce((sum, each) => sum + each.amount, 0n);
      const returned = await uncover(transaction, subscription, uses, { ...some[0]!, amount });
      const { meter } = some[0]!;
      if (returned > 0n) await returnUnits(context, customerKey, { subscriptionId: id, meter, amount: returned });
    }
  }
}

/** Lowers what grants cover of a meter in a period by what is no longer beyond the allowance. Returns by how much. */
async function uncover(
  transaction: WriteTransaction,
  subscription: Subscription,
  uses: CreditUses,
  lost: LostUsage,
): Promise<Amount> {
  const { periodStart, meter, amount } = lost;
  let returned = 0n;
  const lower = async (use: CreditUse, units: Amount, seen: Amount, most: Amount) => {
    const surplus = smaller(use.covered - units, most);
    if (surplus > 0n) {
      use.covered -= surplus;
      returned += surplus;
    }
    use.seen = seen > use.covered ? seen : use.covered;
    await saveUse(transaction, use);
  };
  const { seq } = subscription.row;
  const segments = (await billingSegmentsOf(transaction, seq)).filter((each) => each.period_start === periodStart);
  const marks = await marksOf(transaction, seq);
  for (const [index, segment] of segments.entries()) {
    const use = uses.of(periodStart, segment.seq, meter);
    if (use.covered === 0n || !hasPricedMeters(segment)) continue;
    const overage = await overageIn(transaction, seq, segment, segments[index + 1], marks);
    const own = overage.find((each) => each.meter === meter);
    if (own) await lower(use, own.units, smaller(use.seen, own.units), overageLost(own, lost));
  }
  const unbilled = uses.of(periodStart, 0, meter);
  const total = (await usedInPeriod(transaction, seq, periodStart)).get(meter) ?? 0n;
  // Without a price, usage is compared by its total, which only falls if events move.
  if (unbilled.seen > total) {
    const allowed = await allowancesIn(transaction, subscription, periodOf(subscription, periodStart));
    const max = allowed.get(meter)?.max ?? 0n;
    await lower(unbilled, total > max ? total - max : 0n, total, amount);
  }
  return returned;
}

/**
 * How many units less are beyond the allowance of a segment. Usage before it also leaves it more of the allowance. What a
 * higher maximum includes is not lost.
 */
function overageLost(
  { segment, allowance, before, atEnd, units }: SegmentOverage,
  { amount, time }: LostUsage,
): Amount {
  if (time !== undefined && segment.starts_on > time)
    return overageUnits(allowance, before + amount, atEnd + amount) - units;
  const isOfSegment = segment.ends_on === null || (time !== undefined && time <= segment.ends_on);
  return isOfSegment ? overageUnits(allowance, before, atEnd + amount) - units : 0n;
}
