import { serverTimeOf } from "../../../core/access.ts";
import { recordChange } from "../../../core/changes/record.ts";
import { invalid, notFound, Problem } from "../../../core/problems/problem.ts";
import { type Precondition, type Revision, unconditional } from "../../../lib/http/etag.ts";
import { newId } from "../../../lib/ids.ts";
import type { Paging } from "../../../lib/paging.ts";
import type { Renewal } from "../../../lib/time/calendar.ts";
import { formatDateTime, parseDateTime } from "../../../lib/time/time.ts";
import { countMember } from "../../../platform/storage/counted-lists.ts";
import { locking, type OneRead } from "../../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import {
  type BucketContext,
  type MeteringBucket,
  namedMeteringBucket,
  nameOf,
  subscriptionList,
} from "../metering-buckets/metering-buckets.ts";
import { type Plan, type PlanSummary, plansNamed, requireSamePlans } from "../plans/plans.ts";
import { requireBillable } from "../plans/prices.ts";
import { schedulePlans } from "../plans/scheduled-plans.ts";
import { type Proration, prorated } from "./allowance.ts";
import { presentSubscription } from "./present-subscription.ts";
import type { SubscriptionStatus } from "./schema.ts";
import { allowsUsage, isBlockedByInvoice, statusAt } from "./state.ts";
import * as planStore from "./subscribed-plans-store.ts";
import { planSummaries, recordFormerSubscription } from "./subscribed-plans-store.ts";
import * as store from "./subscription-store.ts";

export { plansNamed } from "../plans/plans.ts";
export { planSummaries, plansOf } from "./subscribed-plans-store.ts";
export {
  deleteSubscription as deleteWithUsage,
  findSubscriptionsForUpdate,
  lockSubscriptions,
  type OwnerRow,
  restoreSubscription,
  type SubscriptionRow,
  subscriptionSeqsAfter,
  subscriptionsOfCustomer,
  subscriptionsOfCustomers,
  subscriptionsWithSeqs as subscriptionRowsWithSeqs,
  usableSubscriptionsOf,
} from "./subscription-store.ts";

/** A subscription with its plans, in order. */
export interface Subscription {
  row: store.SubscriptionRow;
  plans: Plan[];
}

/** A subscription as a list shows it. */
export interface ListedSubscription {
  row: store.SubscriptionSummary;
  plans: PlanSummary[];
}

export interface SubscriptionInput {
  planIds: string[];
  planExternalIds: string[];
  status: SubscriptionStatus;
  renewalStrategy: Renewal;
  region: string;
  customerKey: string;
  subscriptionExternalId: string;
  customerExternalId: string;
  quotaResetAnchor?: number | undefined;
  metadata?: Record<string, unknown> | undefined;
  trialEndStatus?: string | undefined;
  trialStartDate?: number | undefined;
  trialEndDate?: number | undefined;
  nextBillingCycle?: number | undefined;
  productKey?: string | undefined;
  /** Of a purchase: when it expires without a payment. */
  expiresOn?: number | undefined;
}

export interface SubscriptionPatch {
  planExternalIds?: string[] | undefined;
  status?: SubscriptionStatus | undefined;
  prorate?: Proration | undefined;
  metadata?: Record<string, unknown> | null | undefined;
  trialEndDate?: number | null | undefined;
}

export async function listSubscriptions(
  reads: Reads,
  bucket: MeteringBucket,
  filter: store.SubscriptionFilter,
  now: number,
  paging: Paging,
): Promise<{ data: ListedSubscription[]; total: number }> {
  const { data, total } = await store.listSubscriptions(reads, bucket.seq, filter, now, paging);
  return { data: await withSummaries(reads, data), total };
}

/** Returns subscriptions in any order, without those that do not exist. */
export async function listedSubscriptions(reads: Reads, seqs: number[]): Promise<ListedSubscription[]> {
  return withSummaries(reads, await store.subscriptionsWithSeqs(reads, seqs));
}

async function withSummaries(reads: Reads, rows: store.SubscriptionSummary[]): Promise<ListedSubscription[]> {
  const plans = await planStore.planSummaries(
    reads,
    rows.map(({ seq }) => seq),
  );
  return rows.map((row) => ({ row, plans: plans.get(row.seq)! }));
}

/** Returns subscriptions in any order, without those that do not exist. */
export async function subscriptionsWithSeqs(reads: Reads, seqs: number[]): Promise<Subscription[]> {
  const rows = await store.subscriptionsWithSeqs(reads, seqs);
  const plans = await planStore.plansOfAll(reads, seqs);
  return rows.map((row) => ({ row, plans: plans.get(row.seq)! }));
}

export async function findSubscription(
  reads: Reads,
  bucket: Pick<MeteringBucket, "seq">,
  id: string,
): Promise<Subscription> {
  return withPlans(reads, await findRow(reads, bucket, id));
}

export async function findSubscriptionForUpdate(
  transaction: WriteTransaction,
  bucket: MeteringBucket,
  id: string,
): Promise<Subscription> {
  return withPlans(transaction, await findRowForUpdate(transaction, bucket, id));
}

/** The customer of a subscription, which never changes. */
export async function customerKeyOf(reads: Reads, bucket: Pick<MeteringBucket, "seq">, id: string): Promise<string> {
  return (await findRow(reads, bucket, id)).customer_key;
}

/** Without its plans, whose meters may be 15 MB. */
export async function findRowForUpdate(
  transaction: WriteTransaction,
  bucket: MeteringBucket,
  id: string,
): Promise<store.SubscriptionRow> {
  return findRow(locking(transaction), bucket, id);
}

async function findRow(reads: OneRead, { seq }: Pick<MeteringBucket, "seq">, id: string) {
  const row = await store.findSubscription(reads, seq, id);
  if (!row) throw notFound("subscription");
  return row;
}

async function withPlans(reads: Reads, row: store.SubscriptionRow): Promise<Subscription> {
  return { row, plans: await planStore.plansOf(reads, row.seq) };
}

/** Returns all subscriptions of a customer, the newest first. */
export async function subscriptionsOf(
  reads: Reads,
  bucket: MeteringBucket,
  customerKey: string,
): Promise<Subscription[]> {
  const found: Subscription[] = [];
  for (const row of await store.subscriptionsOfCustomer(reads, bucket.seq, customerKey))
    found.push(await withPlans(reads, row));
  return found;
}

/** Returns the newest of a customer's subscriptions that allow usage. */
export async function currentSubscription(
  reads: Reads,
  bucket: MeteringBucket,
  customerKey: string,
  now: number,
): Promise<Subscription | undefined> {
  for (const row of await store.usableSubscriptionsOfCustomer(reads, bucket.seq, customerKey)) {
    const plans = await planStore.plansOf(reads, row.seq);
    if (allowsUsage(statusAt(row, plans, now))) return { row, plans };
  }
  return undefined;
}

/** Whether overdue invoices end the access of a customer that has no other subscription. */
export async function needsPayment(
  reads: Reads,
  bucket: MeteringBucket,
  customerKey: string,
  now: number,
): Promise<boolean> {
  for (const row of await store.subscriptionsOfCustomer(reads, bucket.seq, customerKey)) {
    if (row.blocks_on === null || row.blocks_on > now) continue;
    if (isBlockedByInvoice(row, statusAt(row, await planStore.plansOf(reads, row.seq), now))) return true;
  }
  return false;
}

/** All subscriptions of a customer, oldest first. */
export async function subscriptionSeqsOf(reads: Reads, bucket: Pick<MeteringBucket, "seq">, customerKey: string) {
  const rows = await store.subscriptionsOfCustomer(reads, bucket.seq, customerKey);
  return rows.map(({ seq, id }) => ({ seq, id })).reverse();
}

export async function createSubscription(
  { transaction, act, bucket }: BucketContext,
  input: SubscriptionInput,
): Promise<Subscription> {
  requireOrderedTrial(input.trialStartDate, input.trialEndDate);
  const plans = await plansNamed(transaction, bucket, input.planExternalIds);
  await requireSamePlans(transaction, bucket, input.planIds, plans);
  requireBillable(plans, input.renewalStrategy);
  const row = {
    id: newId("sbsc", serverTimeOf(act)),
    bucket_seq: bucket.seq,
    status: input.status,
    renewal_strategy: input.renewalStrategy,
    region: input.region,
    customer_key: input.customerKey,
    external_id: input.subscriptionExternalId,
    customer_external_id: input.customerExternalId,
    quota_reset_anchor: input.quotaResetAnchor ?? act.now,
    metadata: input.metadata ? JSON.stringify(input.metadata) : null,
    trial_end_status: input.trialEndStatus ?? null,
    ...trialDates(input.status, input.trialStartDate ?? null, input.trialEndDate ?? null, plans, act.now),
    next_billing_cycle: input.nextBillingCycle ?? null,
    product_key: input.productKey ?? null,
    allowance_period: null,
    allowance: null,
    renews_on: 0,
    bills_on: null,
    blocks_on: null,
    expires_on: input.expiresOn ?? null,
    payment: null,
    billing: null,
    has_credits: 0,
    former_bucket_seq: null,
    version: 1,
    created_on: act.now,
    updated_on: act.now,
  };
  if (statusAt(row, plans, act.now) !== "canceled")
    await requireFreeExternalId(transaction, bucket.seq, row.external_id, act.now);
  const seq = await transaction.insert("subscriptions", row);
  countMember(transaction, bucket.id, [{ list: subscriptionList, delta: 1 }], seq);
  await planStore.replacePlans(
    transaction,
    seq,
    plans.map((plan) => plan.seq),
  );
  const created = { row: { seq, ...row }, plans };
  const resource = { ...namedIn(bucket, row), after: presentSubscription(created, act.now) };
  recordChange(transaction, act, "subscription.created", resource, holderOf(bucket, row));
  return created;
}

/** @param before it must be locked */
export async function updateSubscription(
  context: BucketContext,
  before: Subscription,
  patch: SubscriptionPatch,
  precondition: Precondition = unconditional,
): Promise<Subscription> {
  const { transaction, act, bucket } = context;
  precondition(subscriptionRevisionOf(before, act.now));
  const { plans, plansChange, allowance } = await planChange(transaction, bucket, before, patch, act.now);
  if (Object.values(patch).every((value) => value === undefined)) return before;

  const { row } = before;
  requireOrderedTrial(row.trial_start_date, patch.trialEndDate);
  const status = patch.status ?? (row.status as SubscriptionStatus);
  const trialEnd = patch.trialEndDate === undefined ? row.trial_end_date : patch.trialEndDate;
  const changed = {
    // A status that is set ends the purchase.
    ...(patch.status === undefined ? {} : { status, expires_on: null }),
    ...(patch.metadata === undefined ? {} : { metadata: patch.metadata && JSON.stringify(patch.metadata) }),
    // An update of another field does not begin a trial.
    ...(patch.status === undefined && patch.trialEndDate === undefined && !plansChange
      ? {}
      : trialDates(status, row.trial_start_date, trialEnd, plans, act.now)),
    ...allowance,
    version: row.version + 1,
    updated_on: act.now,
  };
  const wasCanceled = statusAt(row, before.plans, act.now) === "canceled";
  if (wasCanceled && statusAt({ ...row, ...changed }, plans, act.now) !== "canceled")
    await requireFreeExternalId(transaction, bucket.seq, row.external_id, act.now, row.seq);
  await transaction.update("subscriptions", row.seq, changed);
  if (plansChange) {
    await recordFormerSubscription(transaction, before, act.now);
    await planStore.replacePlans(
      transaction,
      row.seq,
      plans.map((plan) => plan.seq),
    );
  }
  const updated = { row: { ...row, ...changed }, plans };
  recordUpdate(context, before, updated);
  return updated;
}

export function recordUpdate(
  { transaction, act, bucket }: BucketContext,
  before: Subscription,
  after: Subscription,
): void {
  const { row } = after;
  const snapshots = { before: presentSubscription(before, act.now), after: presentSubscription(after, act.now) };
  const resource = { ...namedIn(bucket, row), ...snapshots };
  recordChange(transaction, act, "subscription.updated", resource, holderOf(bucket, row));
}

type PlanChangeInput = Pick<SubscriptionPatch, "planExternalIds" | "prorate">;

/** Returns the new plans, and the maximums in the rest of this period. Throws if they are invalid. */
export async function planChange(
  reads: Reads,
  bucket: MeteringBucket,
  before: Subscription,
  { planExternalIds, prorate }: PlanChangeInput,
  now: number,
) {
  const plans = planExternalIds === undefined ? before.plans : await plansNamed(reads, bucket, planExternalIds);
  const plansChange = plans.map((plan) => plan.seq).join() !== before.plans.map((plan) => plan.seq).join();
  if (plansChange) requireBillable(plans, before.row.renewal_strategy as Renewal);
  if (prorate !== undefined && !plansChange) throw invalid("/prorate", "must come with a change of plans");
  const allowance =
    plansChange && prorate !== undefined
      ? await prorated(reads, before, plans, prorate, now)
      : plansChange
        ? { allowance_period: null, allowance: null }
        : {};
  return { plans, plansChange, allowance };
}

/** @param keptUntil when its usage is deleted: until then, billing finds it */
export async function deleteSubscription(
  { transaction, act, bucket }: BucketContext,
  id: string,
  precondition: Precondition,
  keptUntil: number | undefined,
): Promise<void> {
  const subscription = await findSubscriptionForUpdate(transaction, bucket, id);
  precondition(subscriptionRevisionOf(subscription, act.now));
  if (keptUntil === undefined) await store.deleteSubscription(transaction, subscription.row.seq);
  else await hide(transaction, subscription, act.now, keptUntil);
  countMember(transaction, bucket.id, [{ list: subscriptionList, delta: -1 }], subscription.row.seq);
  const resource = {
    ...namedIn(bucket, subscription.row),
    before: presentSubscription(subscription, act.now),
  };
  recordChange(transaction, act, "subscription.deleted", resource, holderOf(bucket, subscription.row));
}

/** Its plans may be deleted from now on. */
async function hide(transaction: WriteTransaction, subscription: Subscription, now: number, until: number) {
  const { seq } = subscription.row;
  await recordFormerSubscription(transaction, subscription, now);
  await planStore.replacePlans(transaction, seq, []);
  await schedulePlans(transaction, seq, []);
  await store.hideSubscription(transaction, seq, until);
}

function namedIn(bucket: MeteringBucket, { id, external_id }: { id: string; external_id: string }) {
  return { type: "subscription", id, name: external_id, parent: namedMeteringBucket(bucket) };
}

/** Followers use this to find the quota that has changed. */
function holderOf(bucket: MeteringBucket, row: { customer_key: string }) {
  return { bucketId: bucket.id, ...nameOf(bucket), customerKey: row.customer_key };
}

/** The status at the current time is part of it: a trial that ends is a change, though nothing is written. */
export function subscriptionRevisionOf({ row, plans }: Subscription, now: number): Revision {
  return { id: row.id, version: `${row.version}-${statusAt(row, plans, now)}` };
}

/**
 * Throws 409 `subscription_exists` if a subscription of the bucket that is not canceled has the external id. No index
 * can enforce this: a trial becomes canceled by time alone, and older databases contain duplicates.
 */
async function requireFreeExternalId(
  transaction: WriteTransaction,
  bucketSeq: number,
  externalId: string,
  now: number,
  except?: number,
): Promise<void> {
  // A concurrent transaction with the same id waits here, and then sees the result of this one.
  await transaction.lock(`subscription external id ${bucketSeq} ${externalId}`);
  for (const row of await store.uncanceledWithExternalId(transaction, bucketSeq, externalId)) {
    if (row.seq === except) continue;
    const plans = await planSummaries(transaction, [row.seq]);
    if (statusAt(row, plans.get(row.seq)!, now) !== "canceled") throw new Problem("subscription_exists");
    // A trial that has lapsed releases its id: it becomes permanently canceled, however its plan changes.
    await transaction.update("subscriptions", row.seq, { status: "canceled" });
  }
}

const dayMilliseconds = 24 * 60 * 60 * 1000;

/** Throws if a trial would end before it starts. */
function requireOrderedTrial(start: number | null | undefined, end: number | null | undefined): void {
  if (typeof start === "number" && typeof end === "number" && end < start)
    throw invalid("/trialEndDate", "must not be before trialStartDate");
}

/** Returns the given dates. If a trial has no end, it is computed from the first plan that has `trialDays`. */
function trialDates(status: SubscriptionStatus, start: number | null, end: number | null, plans: Plan[], now: number) {
  const days = plans.find((plan) => plan.trial_days !== null)?.trial_days ?? null;
  if (status !== "trialing" || days === null || end !== null) return { trial_start_date: start, trial_end_date: end };
  const from = start ?? now;
  const until = from + days * dayMilliseconds;
  if (parseDateTime(formatDateTime(until)) === undefined)
    throw invalid("/trialStartDate", "must be earlier: the plan's trialDays would end after the year 9999");
  return { trial_start_date: from, trial_end_date: until };
}

/** What other areas do in the transaction that changes a subscription. */
export interface SubscriptionHooks {
  /** Called before anything is locked. */
  creating(transaction: WriteTransaction, bucket: MeteringBucket, customerKey: string): Promise<void>;
  created(context: BucketContext, created: Subscription): Promise<void>;
  /** Called before the change. Locks the subscription, and returns it. */
  changing(context: BucketContext, id: string): Promise<Subscription>;
  changed(context: BucketContext, before: Subscription, after: Subscription): Promise<void>;
  /**
   * Called before the subscription is deleted. Returns until when its usage is kept, because more of it may arrive and must
   * be billed. Undefined if it is deleted with the subscription.
   */
  deleting(context: BucketContext, id: string): Promise<number | undefined>;
}
