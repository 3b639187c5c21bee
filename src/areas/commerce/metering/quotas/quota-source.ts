import type {
  QuotaDefinition,
  QuotaLimit,
  QuotaOwner,
  QuotaSource,
  Subscriber,
  SubscriptionTerms,
} from "../../../../counting/quotas/quota-definition.ts";
import { type LedgerOptions, QuotaLedger } from "../../../../counting/quotas/quota-ledger.ts";
import type { Amount } from "../../../../lib/amount.ts";
import type { Period } from "../../../../lib/time/calendar.ts";
import { type Clock, systemClock } from "../../../../lib/time/clock.ts";
import type { Reads, Storage } from "../../../../platform/storage/storage.ts";
import { MeteringBucketDirectory } from "../../metering-buckets/directory.ts";
import { type MeteringBucket, timeIn } from "../../metering-buckets/metering-buckets.ts";
import type { PlanSummary } from "../../plans/plans.ts";
import { type AllowedMeters, allowedTogether, KnownPlans, type PlanTerms } from "../../subscriptions/allowance.ts";
import {
  allowsUsage,
  billsUsage,
  isBlockedByInvoice,
  periodOf,
  reloadMilliseconds,
  statusAt,
} from "../../subscriptions/state.ts";
import { planSummaries, type SubscriptionRow, usableSubscriptionsOf } from "../../subscriptions/subscriptions.ts";
import { type SpendingLimitSource, type SpendingLimits, spendingLimitsOf } from "../spending-limits.ts";
import { followQuotaChanges } from "./quota-changes.ts";
import { limitOf, statusEnd } from "./quota-limits.ts";
import { UsageText } from "./usage-text.ts";

const always = { start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY };

/** Opens the ledger of this node, with the quotas of subscriptions. */
export function openQuotaLedger(
  storage: Storage,
  clock: Clock = systemClock,
  {
    credits,
    buckets = new MeteringBucketDirectory(storage),
    ...options
  }: LedgerOptions & { credits?: SpendingLimitSource; buckets?: MeteringBucketDirectory } = {},
): QuotaLedger {
  const ledger = new QuotaLedger(storage, clock, quotaSource(buckets, credits), options);
  followQuotaChanges(storage.feed, {
    customers: ledger.customers,
    onEvict: () => ledger.abandonLoads(),
    onGap: () => ledger.startOver(),
    onCounted: (totals) => ledger.update(totals),
  });
  return ledger;
}

/** A version of a plan, shared by the cached quotas of its subscriptions. */
interface SharedPlan extends PlanSummary, PlanTerms {
  owned: Pick<QuotaOwner, "terms"> & { labels: string[] };
}

/** A subscription with the terms of its plans. */
interface SubscribedTerms<Row = SubscriptionRow> {
  row: Row;
  plans: SharedPlan[];
}

const groupKeys = new WeakMap<MeteringBucket, string>();

/** By the bucket's id, also if it was looked up by name, because changes of its plans contain the id. */
function groupKeyOf(bucket: MeteringBucket, accountSeq: number): string {
  const known = groupKeys.get(bucket) ?? `${accountSeq} ${bucket.id}`;
  groupKeys.set(bucket, known);
  return known;
}

/** The columns of a subscription that a cached quota keeps: the texts of the others would be a third of its size. */
function keptColumns({
  seq,
  id,
  status,
  trial_end_date,
  trial_end_status,
  expires_on,
  blocks_on,
  ...row
}: SubscriptionRow) {
  const { quota_reset_anchor, renewal_strategy, allowance_period, allowance } = row;
  // One object without copies: an object that is spread together takes twice the memory.
  return {
    seq,
    id,
    status,
    trial_end_date,
    trial_end_status,
    expires_on,
    blocks_on,
    quota_reset_anchor,
    renewal_strategy,
    allowance_period,
    allowance,
  };
}

type KeptSubscription = SubscribedTerms<ReturnType<typeof keptColumns>>;

/** Reads the limits of customers: the allowances of the newest valid subscription, with credits and caps. */
function quotaSource(buckets: MeteringBucketDirectory, credits: SpendingLimitSource | undefined): QuotaSource {
  const plans = new KnownPlans();
  return async (reads, wanted) => {
    const found: (MeteringBucket | undefined)[] = [];
    // One after the other, because most are the same and cached after the first.
    for (const { customer } of wanted) found.push(await buckets.find(customer.accountSeq, customer.bucketId));
    const places = wanted.flatMap(({ customer: { customerKey } }, index) => {
      const bucket = found[index];
      return bucket ? [{ bucketSeq: bucket.seq, customerKey }] : [];
    });
    const byCustomer = await subscribedTerms(reads, places, plans);
    return Promise.all(
      wanted.map(async ({ customer: { accountSeq, bucketId, customerKey }, now }, index) => {
        const bucket = found[index];
        // A bucket that does not exist has no subscription.
        if (!bucket) return none(`${accountSeq} ${bucketId}`);
        const groupKey = groupKeyOf(bucket, accountSeq);
        const time = timeIn(bucket, now);
        const keyBucket = bucket.key_bucket ?? undefined;
        const own = byCustomer.get(`${bucket.seq} ${customerKey}`) ?? [];
        const subscription = own.find(({ row, plans }) => allowsUsage(statusAt(row, plans, time)));
        if (!subscription)
          return none(
            groupKey,
            keyBucket,
            own.some((each) => needsPayment(each, time)),
          );
        const period = periodOf(subscription, time);
        const limits = await spendingLimitsOf(credits, reads, bucket, subscription.row, period, time);
        const kept = { row: keptColumns(subscription.row), plans: subscription.plans };
        return define(groupKey, keyBucket, kept, time, bucket.test_clock === null, limits);
      }),
    );
  };
}

/** Returns the subscriptions of customers that may allow usage, newest first. */
async function subscribedTerms(
  reads: Reads,
  places: { bucketSeq: number; customerKey: string }[],
  plans: KnownPlans,
): Promise<Map<string, SubscribedTerms[]>> {
  const rows = await usableSubscriptionsOf(reads, places);
  const summaries = await planSummaries(
    reads,
    rows.map(({ seq }) => seq),
  );
  const terms = await plans.of(reads, [...summaries.values()].flat());
  const subscribed = rows.map((row) => ({
    row,
    plans: summaries.get(row.seq)!.map((plan) => sharedPlan(plan, terms.get(plan.seq)!)),
  }));
  return Map.groupBy(subscribed, ({ row }) => `${row.bucket_seq} ${row.customer_key}`);
}

const sharedPlans = new WeakMap<PlanTerms, SharedPlan>();

function sharedPlan(plan: PlanSummary, terms: PlanTerms): SharedPlan {
  let shared = sharedPlans.get(terms);
  if (shared) return shared;
  const owned = { terms: { plan: plan.external_id, features: terms.features }, labels: [terms.label] };
  shared = { ...plan, ...terms, owned };
  sharedPlans.set(terms, shared);
  return shared;
}

/** Whether overdue invoices end the access. */
function needsPayment({ row, plans }: SubscribedTerms, now: number): boolean {
  return row.blocks_on !== null && row.blocks_on <= now && isBlockedByInvoice(row, statusAt(row, plans, now));
}

type Limits = ReadonlyMap<string, QuotaLimit>;
/** The limits without credits, shared by the subscriptions of a plan: those that are billed, and those in a trial. */
const sharedLimits = { billed: new WeakMap<AllowedMeters, Limits>(), trial: new WeakMap<AllowedMeters, Limits>() };

function limitsOf(included: AllowedMeters, isBilling: boolean, limits: SpendingLimits | undefined): Limits {
  const shared = sharedLimits[isBilling ? "billed" : "trial"];
  const known = limits ? undefined : shared.get(included);
  if (known) return known;
  const allowed = new Map<string, QuotaLimit>();
  for (const [meter, allowance] of included) allowed.set(meter, limitOf(meter, allowance, isBilling, limits));
  if (!limits) shared.set(included, allowed);
  return allowed;
}

function define(
  groupKey: string,
  keyBucket: string | undefined,
  subscription: KeptSubscription,
  now: number,
  timePasses = true,
  limits?: SpendingLimits,
): QuotaDefinition {
  const { row, plans } = subscription;
  const status = statusAt(row, plans, now);
  if (!allowsUsage(status)) return none(groupKey, keyBucket);
  const period = periodOf(subscription, now);
  const included = allowedTogether(
    row,
    plans.map(({ meters }) => meters),
    period.start,
  );
  const changesOn = Math.min(statusEnd(subscription, now), limits?.validUntil ?? Number.POSITIVE_INFINITY);
  // The time of a test bucket stands still; moving it evicts the quota.
  const valid = timePasses
    ? { start: period.start, end: Math.min(period.end, changesOn, now + reloadMilliseconds) }
    : always;
  return new SubscribedDefinition(groupKey, keyBucket, subscription, valid, {
    owner: new Owner(subscription, new UsageText(included, period, limits?.meters)),
    subscriptionSeq: row.seq,
    period,
    limits: limitsOf(included, billsUsage(status), limits),
    testTime: timePasses ? undefined : now,
    budget: limits?.budget,
  });
}

/** Classes instead of objects with functions, which take twice the memory: there is one for each active customer. */
class SubscribedDefinition implements QuotaDefinition {
  constructor(
    readonly groupKey: string,
    readonly keyBucket: string | undefined,
    private readonly subscription: KeptSubscription,
    readonly valid: Period,
    readonly subscribed: NonNullable<QuotaDefinition["subscribed"]>,
  ) {}

  get needsPayment(): boolean {
    return false;
  }

  at(now: number): QuotaDefinition {
    return define(this.groupKey, this.keyBucket, this.subscription, now);
  }
}

class Owner implements QuotaOwner {
  readonly terms: SubscriptionTerms;
  readonly subscriber: Subscriber;

  constructor(
    { row, plans }: KeptSubscription,
    private readonly text: UsageText,
  ) {
    const [first, another] = plans;
    this.terms = another
      ? // The features of an add-on replace those of the plans before it.
        { plan: first!.external_id, features: Object.assign({}, ...plans.map(({ features }) => features)) }
      : first!.owned.terms;
    const labels = another ? plans.map(({ label }) => label) : first!.owned.labels;
    this.subscriber = { plans: labels, subscriptionId: row.id };
  }

  usageText(usedOf: (meter: string) => Amount): string {
    return this.text.with(usedOf);
  }
}

function none(groupKey: string, keyBucket?: string, needsPayment = false): QuotaDefinition {
  const definition: QuotaDefinition = {
    groupKey,
    valid: always,
    subscribed: undefined,
    needsPayment,
    keyBucket,
    at: () => definition,
  };
  return definition;
}
