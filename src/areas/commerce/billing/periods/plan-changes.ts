import { invalid, Problem } from "../../../../core/problems/problem.ts";
import { unconditional } from "../../../../lib/http/etag.ts";
import { type Price, parsePrice } from "../../../../lib/money.ts";
import type { BucketContext } from "../../metering-buckets/metering-buckets.ts";
import type { Plan } from "../../plans/plans.ts";
import { priceOf } from "../../plans/prices.ts";
import { scheduledPlansOf, schedulePlans } from "../../plans/scheduled-plans.ts";
import {
  type BillingData,
  billingOf,
  isUnpaidPurchase,
  setBilling,
  statusIgnoringInvoices,
} from "../../subscriptions/state.ts";
import {
  findSubscriptionForUpdate,
  planChange,
  recordUpdate,
  type Subscription,
  updateSubscription,
} from "../../subscriptions/subscriptions.ts";
import { requireCurrency, segmentKindAt } from "../plan-terms/segments.ts";
import { beginBilling, schedule, settleBilling } from "./billing-steps.ts";
import { billChange, paidUntil } from "./subscription-hooks.ts";

type Timing = "now" | "period-end";

export interface BilledPlanChange {
  planExternalIds: string[];
  timing?: Timing | undefined;
}

/** Changes the plans now or at the end of the billing period. Returns when. */
export async function changePlans(
  context: BucketContext,
  id: string,
  change: BilledPlanChange,
): Promise<{ timing: Timing; on: number }> {
  const { transaction, act, bucket } = context;
  const before = await settleBilling(context, id, act.now);
  requireInForce(before, act.now);
  const { planExternalIds } = change;
  const { plans, plansChange } = await planChange(transaction, bucket, before, { planExternalIds }, act.now);
  const timing = change.timing ?? defaultTiming(before, plans, act.now);
  const billing = billingOf(before.row);
  if (!plansChange) {
    // The current plans undo a scheduled change.
    await scheduleChange(context, before, { ...billing, change: undefined });
    return { timing: "now", on: act.now };
  }
  if (timing === "now") {
    const after = await updateSubscription(context, id, { planExternalIds }, unconditional);
    await billChange(context, before, after, { refund: false });
    return { timing, on: act.now };
  }
  await requireCurrency(transaction, before.row.seq, plans);
  const on = paidUntil(before, act.now);
  await scheduleChange(context, before, { ...billing, change: { planExternalIds, on } }, plans);
  return { timing, on };
}

/** Now if the total fee rises, and in a trial, in which nothing is charged. */
function defaultTiming(before: Subscription, plans: Plan[], now: number): Timing {
  return segmentKindAt(before, now) === "trial" || totalFee(plans) > totalFee(before.plans) ? "now" : "period-end";
}

function totalFee(plans: Plan[]): Price {
  return plans.reduce((sum, plan) => sum + (parsePrice(priceOf(plan)?.amount ?? "0") ?? 0n), 0n);
}

async function scheduleChange(
  context: BucketContext,
  before: Subscription,
  billing: BillingData,
  plans: Plan[] = [],
): Promise<void> {
  const { transaction, bucket } = context;
  const { id, seq } = before.row;
  // Free subscriptions have no billing until something is scheduled.
  if (before.row.billing === null) await beginBilling(context, before, { fromNextPeriod: false });
  const begun = await findSubscriptionForUpdate(transaction, bucket, id);
  await setBilling(context, begun.row, { billing: JSON.stringify(billing) });
  await schedulePlans(
    transaction,
    seq,
    plans.map((plan) => plan.seq),
  );
  await schedule(context, id);
  recordUpdate(context, before, await findSubscriptionForUpdate(transaction, bucket, id));
}

interface Cancellation {
  timing?: Timing | undefined;
  refund?: boolean | undefined;
}

/** Cancels now or at the end of the billing period, which is the default. Only `now` can refund. */
export async function cancelSubscription(
  context: BucketContext,
  id: string,
  { timing = "period-end", refund = false }: Cancellation,
): Promise<void> {
  const { act } = context;
  if (refund && timing !== "now") throw invalid("/refund", "must come with the timing now");
  const before = await settleBilling(context, id, act.now);
  requireInForce(before, act.now);
  if (timing === "period-end") {
    const cancelsOn = paidUntil(before, act.now);
    await scheduleChange(context, before, { ...billingOf(before.row), cancelsOn, change: undefined });
    return;
  }
  const after = await updateSubscription(context, id, { status: "canceled" }, unconditional);
  await billChange(context, before, after, { refund });
}

/** Undoes a cancellation at the end of the period. */
export async function resumeSubscription(context: BucketContext, id: string): Promise<void> {
  const { transaction, act } = context;
  const before = await settleBilling(context, id, act.now);
  const billing = billingOf(before.row);
  if (billing.cancelsOn === undefined) throw new Problem("subscription_not_canceling");
  const plans = await scheduledPlansOf(transaction, before.row.seq);
  await scheduleChange(context, before, { ...billing, cancelsOn: undefined }, plans);
}

export function requireInForce(subscription: Subscription, now: number): void {
  if (isUnpaidPurchase(subscription.row) || segmentKindAt(subscription, now) === "idle")
    throw new Problem("subscription_not_in_force");
}

/**
 * Pauses a subscription: its status is `inactive` and nothing is billed until it is resumed. What was used before is
 * billed, and the rest of the period is not refunded.
 */
export async function pauseSubscription(context: BucketContext, id: string): Promise<void> {
  const { act } = context;
  const before = await settleBilling(context, id, act.now);
  requireInForce(before, act.now);
  const { cancelsOn, change } = billingOf(before.row);
  if (cancelsOn !== undefined || change !== undefined) throw new Problem("subscription_change_scheduled");
  const after = await updateSubscription(context, id, { status: "inactive" }, unconditional);
  await billChange(context, before, after, { refund: false });
}

/**
 * Resumes a subscription that is paused, or undoes a cancellation at the end of the period. A period that is paid for
 * continues; otherwise the fee is charged for the rest of the current period. A trial that is not over continues.
 */
export async function resumeOrUndo(context: BucketContext, id: string): Promise<void> {
  const { act } = context;
  const before = await settleBilling(context, id, act.now);
  const { row, plans } = before;
  if (statusIgnoringInvoices(row, plans, act.now) !== "inactive") return resumeSubscription(context, id);
  const isTrial = row.trial_end_date !== null && act.now < row.trial_end_date;
  const status = isTrial ? ("trialing" as const) : ("active" as const);
  const after = await updateSubscription(context, id, { status }, unconditional);
  await billChange(context, before, after, { refund: false });
}
