import { usedIn } from "../../../counting/counters/counter-store.ts";
import { numberOf } from "../../../lib/amount.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { allowances } from "../../subscriptions/allowance.ts";
import { findSubscription, periodOf, planChange, type Subscription } from "../../subscriptions/subscriptions.ts";
import { type Usage, usageAt, usageOf } from "./usage.ts";

interface ChangePreview {
  subscription: Subscription;
  before: Usage;
  after: Usage;
  /** The maximums of each period from the next one on. */
  next: Record<string, { label: string | undefined; max: number }>;
}

/** Returns the effect of a change of plans on this period and later ones. Throws the same errors as the change. */
export async function previewPlanChange(
  reads: Reads,
  bucket: MeteringBucket,
  id: string,
  { planExternalIds, prorate }: { planExternalIds: string[]; prorate?: number | undefined },
  now: number,
): Promise<ChangePreview> {
  const subscription = await findSubscription(reads, bucket, id);
  const change = { planExternalIds, prorate: prorate === undefined ? undefined : { share: prorate, usedIn } };
  const { plans, allowance } = await planChange(reads, bucket, subscription, change, now);
  const before = await usageAt(reads, subscription, now);
  const period = periodOf(subscription, now);
  const row = { ...subscription.row, ...allowance };
  const used = await usedIn(reads, row.seq, period.start);
  const later = allowances({ allowance_period: null, allowance: null }, plans, period.end);
  return {
    subscription,
    before,
    after: usageOf(allowances(row, plans, period.start), period, used),
    next: Object.fromEntries([...later].map(([meter, { label, max }]) => [meter, { label, max: numberOf(max) }])),
  };
}
