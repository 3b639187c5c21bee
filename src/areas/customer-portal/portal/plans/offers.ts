import type { Act } from "../../../../core/access.ts";
import { invalid, notFound, Problem } from "../../../../core/problems/problem.ts";
import { formatDateTime } from "../../../../lib/time/time.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import { actIn, findMeteringBucket, type MeteringBucket } from "../../../commerce/metering-buckets/metering-buckets.ts";
import { listPlans, type Plan, presentPlan } from "../../../commerce/plans/plans.ts";
import { hasCosts, priceOf } from "../../../commerce/plans/prices.ts";
import { isUnpaidPurchase, periodOf, presentBilling, statusAt } from "../../../commerce/subscriptions/state.ts";
import { type Subscription, subscriptionsOf } from "../../../commerce/subscriptions/subscriptions.ts";
import type { PortalSettings } from "../settings/present.ts";

/** The customer's side of a metering bucket, at the bucket's time. */
export interface CustomerAccount {
  bucket: MeteringBucket;
  act: Act;
  customerKey: string;
}

/** Throws 404 if the portal has no metering bucket. */
export async function accountIn(
  reads: Reads,
  act: Act,
  { meteringBucket }: Pick<PortalSettings, "meteringBucket">,
  customerKey: string,
): Promise<CustomerAccount> {
  if (meteringBucket === undefined) throw notFound("metering bucket");
  const bucket = await findMeteringBucket(reads, act.account.seq, meteringBucket);
  return { bucket, act: actIn(bucket, act), customerKey };
}

/** The plans that customers can choose: those of the settings, or the public ones. */
export async function offeredPlans(reads: Reads, bucket: MeteringBucket, { plans }: Pick<PortalSettings, "plans">) {
  const { data } = await listPlans(reads, bucket, undefined, { limit: 1000, offset: 0 });
  if (plans) return plans.flatMap((name) => data.find(({ external_id }) => external_id === name) ?? []);
  const position = ({ list_position }: Plan) => list_position ?? Number.POSITIVE_INFINITY;
  return data.filter(({ is_public }) => is_public === 1).sort((a, b) => position(a) - position(b) || a.seq - b.seq);
}

/** Throws 400 if customers cannot choose the plan. */
export async function requireOffered(
  reads: Reads,
  bucket: MeteringBucket,
  settings: Pick<PortalSettings, "plans">,
  planExternalId: string,
): Promise<Plan> {
  const plan = (await offeredPlans(reads, bucket, settings)).find(({ external_id }) => external_id === planExternalId);
  if (!plan) throw invalid("/planExternalId", "is not a plan that you can choose");
  return plan;
}

const inForce = ["active", "trialing", "past-due", "unpaid"];

/** The subscriptions of a customer: all, the current one, and the purchase that is not paid yet. */
export async function subscriptionIn(reads: Reads, { bucket, act, customerKey }: CustomerAccount) {
  const all = await subscriptionsOf(reads, bucket, customerKey);
  const statusOf = ({ row, plans }: Subscription) => statusAt(row, plans, act.now);
  return {
    all,
    current: all.find((each) => inForce.includes(statusOf(each))),
    pending: all.find((each) => isUnpaidPurchase(each.row) && statusOf(each) === "incomplete"),
  };
}

/** Tells the customer what it means that settings of the account are missing: the customer cannot set them. */
export async function forCustomer<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Problem && error.code === "billing_profile_missing") throw new Problem("purchase_unavailable");
    throw error;
  }
}

const isPriced = ({ plans }: Pick<Subscription, "plans">): boolean => plans.some(({ price }) => price !== null);

export const hasFee = ({ plans }: Subscription): boolean =>
  plans.some((plan) => hasCosts({ price: priceOf(plan), rates: {} }));

/** Whether a plan is bought with a payment, or the current subscription is changed. */
export function isBought(current: Subscription | undefined, plan: Plan): boolean {
  return !current || (!isPriced(current) && plan.price !== null);
}

export function presentOffer(
  plan: Plan,
  current: Subscription | undefined,
  isAvailable: boolean,
  { recommendedPlan }: Pick<PortalSettings, "recommendedPlan">,
) {
  const { id, hasSubscriptions, createdOn, updatedOn, isPublic, position, trialEndStatus, ...shown } = presentPlan(
    plan,
    false,
  );
  return {
    ...shown,
    isCurrent: current?.plans.some(({ seq }) => seq === plan.seq) ?? false,
    isAvailable,
    ...(plan.external_id === recommendedPlan ? { isRecommended: true as const } : {}),
  };
}

export function presentCurrent(subscription: Subscription, now: number) {
  const { row, plans } = subscription;
  const status = statusAt(row, plans, now);
  return {
    status,
    plans: plans.map(({ external_id, label }) => ({ planExternalId: external_id, label })),
    periodEnd: formatDateTime(periodOf(subscription, now).end),
    ...(status === "trialing" && row.trial_end_date !== null
      ? { trialEndDate: formatDateTime(row.trial_end_date) }
      : {}),
    ...presentBilling(row, now),
  };
}
