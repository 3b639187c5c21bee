import { ifFound } from "../../../core/problems/problem.ts";
import type {
  QuotaDefinition,
  QuotaLimit,
  QuotaOwner,
  QuotaSource,
} from "../../../counting/quotas/quota-definition.ts";
import { type LedgerOptions, QuotaLedger } from "../../../counting/quotas/quota-ledger.ts";
import { Slice } from "../../../lib/tasks/slices.ts";
import { type Clock, systemClock } from "../../../lib/time/clock.ts";
import type { Storage } from "../../../platform/storage/storage.ts";
import { findMeteringBucket, timeIn } from "../../metering-buckets/metering-buckets.ts";
import { featuresOf } from "../../plans/prices.ts";
import { allowances } from "../../subscriptions/allowance.ts";
import { allowsUsage, billsUsage, statusAt } from "../../subscriptions/status.ts";
import { currentSubscription, needsPayment, periodOf, type Subscription } from "../../subscriptions/subscriptions.ts";
import { type SpendingLimitSource, type SpendingLimits, spendingLimitsOf } from "../spending-limits.ts";
import { followQuotaChanges } from "./quota-changes.ts";
import { limitOf, statusEnd } from "./quota-limits.ts";
import { usageTexts } from "./usage-text.ts";

const always = { start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY };

/** Opens the ledger of this node, with the quotas of subscriptions. */
export function openQuotaLedger(
  storage: Storage,
  clock: Clock = systemClock,
  { credits, ...options }: LedgerOptions & { credits?: SpendingLimitSource } = {},
): QuotaLedger {
  const ledger = new QuotaLedger(storage, clock, quotaSource(credits), options);
  followQuotaChanges(storage.feed, {
    customers: ledger.customers,
    onEvict: () => ledger.abandonLoads(),
    onGap: () => ledger.startOver(),
    onCounted: (totals) => ledger.update(totals),
  });
  return ledger;
}

/** Reads the limits of a customer: the allowances of the newest valid subscription, with credits and caps. */
function quotaSource(credits: SpendingLimitSource | undefined): QuotaSource {
  return async (reads, { accountSeq, bucketId, customerKey }, now) => {
    // A bucket that does not exist has no subscription.
    const bucket = await ifFound(findMeteringBucket(reads, accountSeq, bucketId));
    // By its id, also if it was looked up by name, because changes of its plans contain the id.
    const groupKey = `${accountSeq} ${bucket ? bucket.id : bucketId}`;
    if (!bucket) return none(groupKey);
    const time = timeIn(bucket, now);
    const keyBucket = bucket.key_bucket ?? undefined;
    const subscription = await currentSubscription(reads, bucket, customerKey, time);
    if (!subscription) return none(groupKey, keyBucket, await needsPayment(reads, bucket, customerKey, time));
    const period = periodOf(subscription, time);
    const limits = await spendingLimitsOf(credits, reads, bucket, subscription.row, period, time);
    return define(groupKey, keyBucket, subscription, time, bucket.test_clock === null, limits);
  };
}

async function define(
  groupKey: string,
  keyBucket: string | undefined,
  subscription: Subscription,
  now: number,
  timePasses = true,
  limits?: SpendingLimits,
): Promise<QuotaDefinition> {
  const { row, plans } = subscription;
  const status = statusAt(row, plans, now);
  if (!allowsUsage(status)) return none(groupKey, keyBucket);
  const period = periodOf(subscription, now);
  const allowed = new Map<string, QuotaLimit>();
  const slice = new Slice();
  const included = await allowances(row, plans, period.start);
  for (const [meter, allowance] of included) {
    allowed.set(meter, limitOf(meter, allowance, billsUsage(status), limits));
    if (slice.isOver) await slice.next();
  }
  const changesOn = Math.min(statusEnd(subscription, now), limits?.validUntil ?? Number.POSITIVE_INFINITY);
  return {
    groupKey,
    // The time of a test bucket stands still; moving it evicts the quota.
    valid: timePasses ? { start: period.start, end: Math.min(period.end, changesOn) } : always,
    subscribed: {
      owner: { ...ownerOf(subscription), usageText: usageTexts(included, period, limits?.meters) },
      subscriptionSeq: row.seq,
      period,
      limits: allowed,
      testTime: timePasses ? undefined : now,
      budget: limits?.budget,
    },
    needsPayment: false,
    keyBucket,
    bytes: plans.reduce((sum, { meters }) => sum + 2 * meters.length, 0),
    at: (time) => define(groupKey, keyBucket, subscription, time),
  };
}

function none(groupKey: string, keyBucket?: string, needsPayment = false): QuotaDefinition {
  const definition: QuotaDefinition = {
    groupKey,
    valid: always,
    subscribed: undefined,
    needsPayment,
    keyBucket,
    bytes: 0,
    at: async () => definition,
  };
  return definition;
}

/** The features of an add-on replace those of the plans before it. */
function ownerOf({ row, plans }: Subscription): Omit<QuotaOwner, "usageText"> {
  return {
    terms: { plan: plans[0]!.external_id, features: Object.assign({}, ...plans.map(featuresOf)) },
    subscriber: { plans: plans.map(({ label }) => label), subscriptionId: row.id },
  };
}
