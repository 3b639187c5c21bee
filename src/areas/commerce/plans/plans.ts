import type { z } from "zod";
import { serverTimeOf } from "../../../core/access.ts";
import { recordChange } from "../../../core/changes/record.ts";
import { invalid, notFound, Problem, rejectingTaken } from "../../../core/problems/problem.ts";
import type { Precondition } from "../../../lib/http/etag.ts";
import { newId } from "../../../lib/ids.ts";
import type { Paging } from "../../../lib/paging.ts";
import { formatDateTime } from "../../../lib/time/time.ts";
import { ReferenceViolation } from "../../../platform/storage/errors.ts";
import { locking, type OneRead } from "../../../platform/storage/query.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import {
  type BucketContext,
  type MeteringBucket,
  namedMeteringBucket,
  timeIn,
} from "../metering-buckets/metering-buckets.ts";
import * as store from "./plan-store.ts";
import {
  beginBilling,
  type PlanRow,
  plansBeside,
  plansWithSubscriptions,
  recordFormerPlan,
  renewalsOfPlan,
} from "./plan-store.ts";
import { presentPrices, pricedColumns, priceOf, requireBillable, requireConsistentPrices, unpriced } from "./prices.ts";
import { isScheduled } from "./scheduled-plans.ts";
import type { planInput, planPatch } from "./schema.ts";

export { findPlans, plansWithSeqs } from "./plan-store.ts";

export type Plan = store.PlanRow;
export type PlanSummary = store.PlanSummary;
export type Meters = Record<string, { label?: string | undefined; max: number }>;

export type PlanInput = z.output<typeof planInput>;

type PlanPatch = z.output<typeof planPatch>;

export async function listPlans(reads: Reads, bucket: MeteringBucket, externalId: string | undefined, paging: Paging) {
  const { data, total } = await store.listPlans(reads, bucket.seq, externalId, paging);
  return { data, total, subscribed: await subscribedPlans(reads, data) };
}

export const hasMeter = (reads: Reads, bucket: MeteringBucket, meter: string) =>
  store.hasMeter(reads, bucket.seq, meter);

export async function findPlan(reads: OneRead, bucket: MeteringBucket, id: string): Promise<Plan> {
  const plan = await store.findPlan(reads, bucket.seq, id);
  if (!plan) throw notFound("plan");
  return plan;
}

/** Returns the seqs of the plans that have subscriptions. */
export const subscribedPlans = (reads: Reads, plans: Plan[]) =>
  store.plansWithSubscriptions(
    reads,
    plans.map((plan) => plan.seq),
  );

export async function createPlan({ transaction, act, bucket }: BucketContext, input: PlanInput): Promise<Plan> {
  const row = {
    id: newId("plan", serverTimeOf(act)),
    bucket_seq: bucket.seq,
    external_id: input.planExternalId,
    label: input.label,
    meters: JSON.stringify(input.meters),
    trial_days: input.trialDays ?? null,
    trial_end_status: input.trialEndStatus ?? null,
    is_trial_collect_payment: numberOfBoolean(input.isTrialCollectPayment),
    ...unpriced,
    ...pricedColumns(input),
    version: 1,
    created_on: act.now,
    updated_on: act.now,
  };
  requireConsistentPrices(row, input);
  const seq = await rejectingTaken("plan_exists", transaction.insert("plans", row));
  const hasSubscriptions = false;
  const resource = { ...resourceOf(bucket, row), after: presentPlan(row, hasSubscriptions) };
  recordChange(transaction, act, "plan.created", resource, { bucketId: bucket.id });
  return { seq, ...row };
}

/** New meters apply at once, also to existing subscriptions. New prices, and what is carried over, apply to each subscription from its next period. */
export async function updatePlan(
  { transaction, act, bucket }: BucketContext,
  id: string,
  patch: PlanPatch,
  precondition: Precondition,
): Promise<Plan> {
  const plan = await findPlan(locking(transaction), bucket, id);
  precondition(plan);
  if (Object.values(patch).every((value) => value === undefined)) return plan;
  const changed = {
    ...(patch.label === undefined ? {} : { label: patch.label }),
    ...(patch.planExternalId === undefined ? {} : { external_id: patch.planExternalId }),
    ...(patch.meters === undefined ? {} : { meters: JSON.stringify(patch.meters) }),
    ...(patch.trialDays === undefined ? {} : { trial_days: patch.trialDays }),
    ...(patch.trialEndStatus === undefined ? {} : { trial_end_status: patch.trialEndStatus }),
    ...(patch.isTrialCollectPayment === undefined
      ? {}
      : { is_trial_collect_payment: numberOfBoolean(patch.isTrialCollectPayment) }),
    ...pricedColumns(patch),
    version: plan.version + 1,
    updated_on: act.now,
  };
  requireConsistentPrices({ ...plan, ...changed }, patch);
  const differs = (name: "price" | "rates" | "rollover" | "meters") => ({ ...plan, ...changed })[name] !== plan[name];
  const isRepriced = differs("price") || differs("rates");
  if (isRepriced) await requireSubscribersBillable(transaction, plan, { ...plan, ...changed });
  // Usage and fees of earlier times are calculated with the maximums and prices of those times.
  if (isRepriced || differs("rollover") || differs("meters"))
    await recordFormerPlan(transaction, plan, timeIn(bucket, act.now));
  await rejectingTaken("plan_exists", transaction.update("plans", plan.seq, changed));
  // Subscriptions that were free so far are billed from their next period on.
  if (plan.price === null && changed.price) await beginBilling(transaction, plan.seq, timeIn(bucket, act.now));
  const updated = { ...plan, ...changed };
  const isSubscribed = (await subscribedPlans(transaction, [plan])).has(plan.seq);
  const snapshots = { before: presentPlan(plan, isSubscribed), after: presentPlan(updated, isSubscribed) };
  recordChange(
    transaction,
    act,
    "plan.updated",
    { ...resourceOf(bucket, updated), ...snapshots },
    { bucketId: bucket.id },
  );
  return updated;
}

export async function deletePlan(
  { transaction, act, bucket }: BucketContext,
  id: string,
  precondition: Precondition,
): Promise<void> {
  const plan = await findPlan(locking(transaction), bucket, id);
  precondition(plan);
  if (await isScheduled(transaction, plan.seq)) throw new Problem("plan_is_scheduled");
  await recordFormerPlan(transaction, plan, timeIn(bucket, act.now));
  try {
    await transaction.delete("plans", plan.seq);
  } catch (error) {
    throw error instanceof ReferenceViolation ? new Problem("plan_has_subscriptions") : error;
  }
  const hasSubscriptions = false;
  const resource = { ...resourceOf(bucket, plan), before: presentPlan(plan, hasSubscriptions) };
  recordChange(transaction, act, "plan.deleted", resource, { bucketId: bucket.id });
}

function resourceOf(bucket: MeteringBucket, { id, external_id }: { id: string; external_id: string }) {
  return { type: "plan", id, name: external_id, parent: namedMeteringBucket(bucket) };
}

function numberOfBoolean(value: boolean | null | undefined): number | null {
  return value === null || value === undefined ? null : Number(value);
}

/**
 * Throws 400 if a new price or rate cannot apply to existing subscriptions. Their currency and interval are fixed: fees
 * that are charged already are credited in the same currency.
 */
async function requireSubscribersBillable(reads: Reads, before: PlanRow, after: PlanRow): Promise<void> {
  const isSubscribed = (await plansWithSubscriptions(reads, [before.seq])).size > 0;
  if (!isSubscribed) return;
  const old = priceOf(before);
  const price = priceOf(after);
  for (const name of ["currency", "interval"] as const)
    if (old && price && old[name] !== price[name])
      throw invalid(`/price/${name}`, "must not change while the plan has subscriptions");
  const renewals = await renewalsOfPlan(reads, after.seq);
  if (price?.interval === "month" && renewals.includes("yearly"))
    throw invalid("/price/interval", "must be year: the plan has subscriptions with yearly quotas");
  for (const other of await plansBeside(reads, after.seq)) requireCompatible(after, other);
}

function requireCompatible(plan: PlanRow, other: PlanRow): void {
  requireBillable(
    [
      { ...plan, price: null },
      { ...other, price: null },
    ],
    "monthly",
  );
  const price = priceOf(plan);
  const beside = priceOf(other);
  for (const name of ["currency", "interval"] as const)
    if (price && beside && price[name] !== beside[name])
      throw invalid(`/price/${name}`, `must be ${beside[name]}, as in another plan of the same subscription`);
}

export function presentPlan(plan: Omit<PlanRow, "seq">, hasSubscriptions: boolean) {
  return {
    id: plan.id,
    label: plan.label,
    planExternalId: plan.external_id,
    meters: JSON.parse(plan.meters),
    ...(plan.trial_days === null ? {} : { trialDays: plan.trial_days }),
    ...(plan.trial_end_status === null ? {} : { trialEndStatus: plan.trial_end_status as "paused" | "canceled" }),
    ...(plan.is_trial_collect_payment === null ? {} : { isTrialCollectPayment: plan.is_trial_collect_payment === 1 }),
    ...presentPrices(plan),
    hasSubscriptions,
    createdOn: formatDateTime(plan.created_on),
    updatedOn: formatDateTime(plan.updated_on),
  };
}

/** Returns the plans in the order of the ids. Throws if one does not exist or is listed twice. */
export async function plansNamed(reads: Reads, bucket: MeteringBucket, externalIds: string[]): Promise<Plan[]> {
  const known = new Map(
    (await store.findPlans(reads, bucket.seq, "external_id", externalIds)).map((plan) => [plan.external_id, plan]),
  );
  return externalIds.map((externalId, index) => {
    const plan = known.get(externalId);
    if (!plan) throw invalid(`/planExternalIds/${index}`, "is not a plan of this bucket");
    if (externalIds.indexOf(externalId) !== index) throw invalid(`/planExternalIds/${index}`, "is listed twice");
    return plan;
  });
}

/** Throws unless the ids are those of the plans, in any order. */
export async function requireSamePlans(
  reads: Reads,
  bucket: MeteringBucket,
  ids: string[],
  plans: Plan[],
): Promise<void> {
  const known = new Set((await store.findPlans(reads, bucket.seq, "id", ids)).map((plan) => plan.id));
  for (const [index, id] of ids.entries()) {
    if (!known.has(id)) throw invalid(`/planIds/${index}`, "is not a plan of this bucket");
    if (!plans.some((plan) => plan.id === id)) throw invalid(`/planIds/${index}`, "is not among planExternalIds");
    if (ids.indexOf(id) !== index) throw invalid(`/planIds/${index}`, "is listed twice");
  }
  for (const [index, plan] of plans.entries())
    if (!ids.includes(plan.id)) throw invalid(`/planExternalIds/${index}`, "is not among planIds");
}
