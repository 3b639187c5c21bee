import { formatDateTime } from "../../../lib/time/time.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import { usageSeries } from "../../metering/usage/usage-series.ts";
import { findMeteringBucket, timeIn } from "../../metering-buckets/metering-buckets.ts";
import { statusAt } from "../../subscriptions/status.ts";
import { currentSubscription, periodOf, subscriptionsOf } from "../../subscriptions/subscriptions.ts";

/** The usage of a customer in the current period, by meter and day. */
export async function customerUsage(
  reads: Reads,
  accountSeq: number,
  {
    meteringBucket,
    customerKey,
    now: serverNow,
  }: { meteringBucket: string | undefined; customerKey: string; now: number },
) {
  const none = { subscription: null, meters: {} };
  if (meteringBucket === undefined) return none;
  const bucket = await findMeteringBucket(reads, accountSeq, meteringBucket);
  const now = timeIn(bucket, serverNow);
  const subscription = await currentSubscription(reads, bucket, customerKey, now);
  if (!subscription) {
    const all = await subscriptionsOf(reads, bucket, customerKey);
    const unpaid = all.find(({ row, plans }) => statusAt(row, plans, now) === "unpaid");
    return unpaid ? { ...none, unpaidPlans: unpaid.plans.map(({ label }) => label) } : none;
  }
  const { start, end } = periodOf(subscription, now);
  const { times, meters } = await usageSeries(reads, subscription, { step: "1d" }, now);
  const shownTimes = times.map(formatDateTime);
  const shown = Object.entries(meters).map(([name, { points, ...meter }]) => [
    name,
    { ...meter, points: points.map((used, index) => ({ time: shownTimes[index]!, used })) },
  ]);
  return {
    subscription: {
      status: statusAt(subscription.row, subscription.plans, now),
      plans: subscription.plans.map(({ label }) => label),
      periodStart: formatDateTime(start),
      periodEnd: formatDateTime(end),
    },
    meters: Object.fromEntries(shown),
  };
}
