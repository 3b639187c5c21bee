import type { Period } from "../../../../lib/time/calendar.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import type { MeterCredits, SpendingLimitSource, SpendingLimits } from "../../metering/spending-limits.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { allowancesIn } from "../../subscriptions/allowance-history.ts";
import { billsUsage, statusAt } from "../../subscriptions/status.ts";
import { findSubscription, type Subscription } from "../../subscriptions/subscriptions.ts";
import { creditRevision } from "../credit-grants/grant-store.ts";
import { CreditUses } from "../credit-grants/use-store.ts";
import { hasCaps } from "../customers/caps.ts";
import { currentOverage } from "../overage/current-overage.ts";
import { creditsAt } from "./credit-use.ts";
import { budgetOf } from "./spend-budget.ts";

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
    const units = wallet.unitsOf(meter);
    const billed = allowance.isPriced && isBilling ? overage.find((each) => each.meter === meter) : undefined;
    if (billed) meters.set(meter, { base: billed.start + own.of(period.start, billed.segment.seq, meter).seen, units });
    else {
      const { seen } = own.of(period.start, 0, meter);
      meters.set(meter, { base: seen > allowance.max ? seen : allowance.max, units });
    }
  }
  return limits;
}
