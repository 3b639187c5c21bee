import type { Amount } from "../../../../lib/amount.ts";
import type { WriteTransaction } from "../../../../platform/storage/storage.ts";
import { marksOf } from "../../metering/counters/usage-marks.ts";
import { type LostUsage, moveEarlyUsage } from "../../metering/usage/early-usage.ts";
import { usedInPeriod } from "../../metering/usage/usage.ts";
import type { BucketContext } from "../../metering-buckets/metering-buckets.ts";
import { allowancesIn } from "../../subscriptions/allowance-history.ts";
import {
  findSubscriptionForUpdate,
  periodOf,
  type Subscription,
  subscriptionSeqsOf,
} from "../../subscriptions/subscriptions.ts";
import { returnUnits } from "../credit-grants/returned-credits.ts";
import { type CreditUse, CreditUses, saveUse } from "../credit-grants/use-store.ts";
import { overageIn } from "../overage/overage-lines.ts";
import { billingSegmentsOf } from "../plan-terms/segment-store.ts";
import { hasPricedMeters } from "../plan-terms/segments.ts";

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
    for (const some of Map.groupBy(ofOne, ({ periodStart, meter }) => `${periodStart} ${meter}`).values()) {
      const { periodStart, meter } = some[0]!;
      const most = some.reduce((sum, { amount }) => sum + amount, 0n);
      const amount = await uncover(transaction, subscription, uses, { periodStart, meter, most });
      if (amount > 0n) await returnUnits(context, customerKey, { subscriptionId: id, meter, amount });
    }
  }
}

/** Lowers what grants cover of a meter in a period to what is left of its usage. Returns by how much. */
async function uncover(
  transaction: WriteTransaction,
  subscription: Subscription,
  uses: CreditUses,
  { periodStart, meter, most }: { periodStart: number; meter: string; most: Amount },
): Promise<Amount> {
  let returned = 0n;
  const lower = async (use: CreditUse, units: Amount, seen: Amount) => {
    const surplus = least(use.covered - units, most - returned);
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
  // The last one first: usage that moves is the latest.
  for (const [index, segment] of [...segments.entries()].reverse()) {
    const use = uses.of(periodStart, segment.seq, meter);
    if (use.covered === 0n || !hasPricedMeters(segment)) continue;
    const overage = await overageIn(transaction, seq, segment, segments[index + 1], marks);
    const own = overage.find((each) => each.meter === meter);
    if (own) await lower(use, own.units, least(use.seen, own.units));
  }
  const unbilled = uses.of(periodStart, 0, meter);
  const total = (await usedInPeriod(transaction, seq, periodStart)).get(meter) ?? 0n;
  // Without a price, usage is compared by its total, which only falls if events move.
  if (unbilled.seen > total) {
    const allowed = await allowancesIn(transaction, subscription, periodOf(subscription, periodStart));
    const max = allowed.get(meter)?.max ?? 0n;
    await lower(unbilled, total > max ? total - max : 0n, total);
  }
  return returned;
}

function least(left: Amount, right: Amount): Amount {
  return left < right ? left : right;
}
