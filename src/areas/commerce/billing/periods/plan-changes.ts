import { invalid, Problem } from "../../../../core/problems/problem.ts";
import { type Price, parsePrice } from "../../../../lib/money.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import { usedInPeriod } from "../../metering/usage/usage.ts";
import type { BucketContext } from "../../metering-buckets/metering-buckets.ts";
import type { Plan } from "../../plans/plans.ts";
import { priceOf } from "../../plans/prices.ts";
import { scheduledPlansOf, schedulePlans } from "../../plans/scheduled-plans.ts";
import { allowances } from "../../subscriptions/allowance.ts";
import {
  type BillingData,
  billingOf,
  isUnpaidPurchase,
  periodOf,
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
import { mailPlanChange } from "../invoices/billing-mails.ts";
import type { UnusedFee } from "../invoices/returns.ts";
import { creditFee, isCharged, type UsedShare, usedShareOf } from "../plan-terms/lines.ts";
import { openSegment, requireCurrency, segmentKindAt } from "../plan-terms/segments.ts";
import { moveUsage, skipPastUsage } from "../spending/credit-settlement.ts";
import { beginBilling, schedule, settleBilling, transition } from "./billing-steps.ts";

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
    const after = await updateSubscription(context, before, { planExternalIds });
    await billChange(context, before, after);
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
  // Free subscriptions have no billing until something is scheduled.
  if (before.row.billing === null) await beginBilling(context, before, { fromNextPeriod: false });
  await setBilling(context, before.row, { billing: JSON.stringify(billing) });
  await schedulePlans(
    context.transaction,
    before.row.seq,
    plans.map(({ seq }) => seq),
  );
  const { row } = await schedule(context, before.row.id);
  recordUpdate(context, before, { ...before, row });
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
  const after = await updateSubscription(context, before, { status: "canceled" });
  await billChange(context, before, after, { refund });
}

function requireInForce(subscription: Subscription, now: number): void {
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
  const after = await updateSubscription(context, before, { status: "inactive" });
  await billChange(context, before, after);
}

/** Undoes a cancellation at the end of the period. */
export async function resumeSubscription(context: BucketContext, id: string): Promise<void> {
  await undoCancellation(context, await settleBilling(context, id, context.act.now));
}

async function undoCancellation(context: BucketContext, before: Subscription): Promise<void> {
  const billing = billingOf(before.row);
  if (billing.cancelsOn === undefined) throw new Problem("subscription_not_canceling");
  const plans = await scheduledPlansOf(context.transaction, before.row.seq);
  await scheduleChange(context, before, { ...billing, cancelsOn: undefined }, plans);
}

/**
 * Resumes a subscription that is paused, or undoes a cancellation at the end of the period. A period that is paid for
 * continues; otherwise the fee is charged for the rest of the current period. A trial that is not over continues.
 */
export async function resumeOrUndo(context: BucketContext, id: string): Promise<void> {
  const { act } = context;
  const before = await settleBilling(context, id, act.now);
  const { row, plans } = before;
  if (statusIgnoringInvoices(row, plans, act.now) !== "inactive") return undoCancellation(context, before);
  const isTrial = row.trial_end_date !== null && act.now < row.trial_end_date;
  const after = await updateSubscription(context, before, { status: isTrial ? "trialing" : "active" });
  await billChange(context, before, after);
}

export function isPriced({ plans }: Subscription): boolean {
  return plans.some(({ price }) => price !== null);
}

/** Begins a segment with other plans or another status: returns fees of plans that ended, and charges new ones. */
export async function billChange(
  context: BucketContext,
  before: Subscription,
  after: Subscription,
  { refund = false }: { refund?: boolean } = {},
): Promise<void> {
  const seqsOf = ({ plans }: Subscription) => plans.map(({ seq }) => seq).join();
  const plansChange = seqsOf(before) !== seqsOf(after);
  await changeTerms(context, before, after, { refund, plansChange });
  // A purchase that is paid has an invoice, and a subscription that ends has no plan.
  if (plansChange && !isUnpaidPurchase(before.row)) await mailPlanChange(context, after);
  await moveUsage(context, after.row.customer_key);
}

async function changeTerms(
  context: BucketContext,
  before: Subscription,
  after: Subscription,
  { refund, plansChange }: { refund: boolean; plansChange: boolean },
): Promise<void> {
  const { transaction, act, bucket } = context;
  const { row } = after;
  await skipPastUsage(transaction, bucket, after, act.now);
  if (row.billing === null && !isPriced(after)) return;
  const segment = await openSegment(transaction, row.seq);
  if (!segment) {
    await beginBilling(context, after, { fromNextPeriod: false });
    await schedule(context, row.id);
    return;
  }
  const kind = segmentKindAt(after, act.now);
  if (plansChange || kind !== segment.kind) {
    const data = billingOf(row);
    const ended = Object.keys(data.charged).filter((seq) => !after.plans.some((plan) => String(plan.seq) === seq));
    const credited = refund ? Object.keys(data.charged) : kind === "billed" && segment.kind === "billed" ? ended : [];
    if (plansChange) await requireCurrency(transaction, row.seq, after.plans);
    const unused = await takeUnused(transaction, before, data, credited, act.now);
    // What was scheduled for the end of the period is replaced by what happens now.
    if (kind === "idle") data.cancelsOn = undefined;
    if (kind === "idle" || plansChange) {
      data.change = undefined;
      await schedulePlans(transaction, row.seq, []);
    }
    await transition(context, { ...after }, segment, { data, unused });
    if (data.cancelsOn !== undefined && plansChange) await moveCancellation(context, row.id);
  }
  await schedule(context, row.id);
}

/** A cancellation at the end of the period follows the fees: with other plans, another period is paid. */
async function moveCancellation(context: BucketContext, id: string): Promise<void> {
  const { transaction, act, bucket } = context;
  const before = await findSubscriptionForUpdate(transaction, bucket, id);
  const billing = { ...billingOf(before.row), cancelsOn: paidUntil(before, act.now) };
  const row = await setBilling(context, before.row, { billing: JSON.stringify(billing) });
  if (row.billing !== before.row.billing) recordUpdate(context, before, { ...before, row });
}

/** The end of the period that is paid for, or of the quota period if no fee is charged. */
export function paidUntil(subscription: Subscription, now: number): number {
  const ends = Object.values(billingOf(subscription.row).charged).map(({ until }) => until);
  return Math.max(periodOf(subscription, now).end, ...ends);
}

/** Takes fees out of those that are charged. Returns those with an unused share. */
async function takeUnused(
  reads: Reads,
  before: Subscription,
  data: BillingData,
  planSeqs: string[],
  at: number,
): Promise<UnusedFee[]> {
  const unused: UnusedFee[] = [];
  const used = await usedShareAt(reads, before, at);
  for (const seq of planSeqs) {
    const fee = data.charged[seq]!;
    const credit = isCharged(fee, at) ? creditFee(fee, at, used) : undefined;
    if (credit) unused.push({ fee, credit });
    delete data.charged[seq];
  }
  return unused;
}

/** The used share of the whole period, under the limits before the change. */
async function usedShareAt(reads: Reads, subscription: Subscription, at: number): Promise<UsedShare> {
  const { row, plans } = subscription;
  const period = periodOf(subscription, at);
  const used = await usedInPeriod(reads, row.seq, period.start);
  return { share: usedShareOf(used, allowances(row, plans, period.start)), period };
}
