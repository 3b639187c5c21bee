import { invalid } from "../../../../core/problems/problem.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import { markUsage } from "../../metering/counters/usage-marks.ts";
import type { LostUsage } from "../../metering/usage/early-usage.ts";
import type { Plan } from "../../plans/plans.ts";
import { priceOf } from "../../plans/prices.ts";
import { markWithCredits } from "../../subscriptions/billing-state.ts";
import { periodOf } from "../../subscriptions/period.ts";
import { isUnpaidPurchase, statusIgnoringInvoices } from "../../subscriptions/status.ts";
import type { Subscription } from "../../subscriptions/subscriptions.ts";
import { termsAt } from "./plan-terms.ts";
import { type BillingSegmentRow, closeSegment, insertSegment, segmentBefore } from "./segment-store.ts";
import { currencyOf, hasPrepaidMeters, pricedMeters, type Terms } from "./terms.ts";

/** `billed`: fees and overage; `trial`: neither; `idle`: the subscription is not active. */
type SegmentKind = "billed" | "trial" | "idle";

/** A payment that failed does not change what is billed. A purchase is billed first, and active once it is paid. */
export function segmentKindAt({ row, plans }: Subscription, at: number): SegmentKind {
  const status = statusIgnoringInvoices(row, plans, at);
  if (status === "trialing") return "trial";
  // The fee of a purchase with a trial is charged when the trial ends.
  if (status === "incomplete" && isUnpaidPurchase(row)) return row.trial_start_date === null ? "billed" : "idle";
  return status === "active" || status === "past-due" ? "billed" : "idle";
}

export function segmentTermsOf({ terms }: BillingSegmentRow): Terms {
  return JSON.parse(terms) as Terms;
}

/** Whether overage of the segment is billed. */
export function hasPricedMeters(segment: BillingSegmentRow): boolean {
  return segment.kind === "billed" && pricedMeters(segmentTermsOf(segment)).length > 0;
}

/** A segment, and the usage in its time that the segment before it has lost. */
interface BegunSegment {
  segment: BillingSegmentRow;
  lost: LostUsage[];
}

/** Closes the open segment, if there is one, and begins the next, by default with the terms of that time. */
export async function beginSegment(
  transaction: WriteTransaction,
  subscription: Subscription,
  before: BillingSegmentRow | undefined,
  at: number,
  termsFrom = at,
): Promise<BegunSegment> {
  const { seq: subscriptionSeq, created_on, bucket_seq, customer_key, has_credits } = subscription.row;
  const period = periodOf(subscription, at);
  const isSamePeriod = before?.period_start === period.start && at < before.period_end;
  const former = before && isSamePeriod ? segmentTermsOf(before) : undefined;
  const terms = await termsAt(transaction, subscription, period.start, termsFrom, former);
  if (before) await closeSegment(transaction, before.seq, at);
  const segment = await insertSegment(transaction, {
    subscription_seq: subscriptionSeq,
    kind: segmentKindAt(subscription, at),
    period_start: period.start,
    period_end: period.end,
    starts_on: at,
    ends_on: null,
    terms: JSON.stringify(terms),
    billed: "{}",
  });
  // Prepaid usage is compared with credits, also if the customer has none.
  if (hasPrepaidMeters(terms) && has_credits === 0) await markWithCredits(transaction, bucket_seq, customer_key);
  // Usage before the first price is not billed, nor is late usage of a time in which the subscription was not active.
  const hasUsageBefore = isSamePeriod || Math.max(period.start, created_on) < at;
  if (!hasUsageBefore) return { segment, lost: [] };
  const meters = new Set([...(former ? pricedMeters(former) : []), ...pricedMeters(terms)]);
  const marked = { subscriptionSeq, periodStart: period.start, segmentSeq: segment.seq, time: at };
  const after = await markUsage(transaction, marked, [...meters].sort());
  return { segment, lost: before ? [...after].map(([meter, amount]) => ({ ...marked, meter, amount })) : [] };
}

/**
 * Throws 400 if a plan has a price in another currency than the subscription was billed in before. That currency applies
 * also if its current plans have no price: overage of earlier periods may still be billed, and late usage may arrive.
 */
export async function requireCurrency(reads: Reads, subscriptionSeq: number, plans: Plan[]): Promise<void> {
  const current = await billedCurrency(reads, subscriptionSeq);
  for (const [index, plan] of plans.entries()) {
    const currency = priceOf(plan)?.currency;
    if (current !== undefined && currency !== undefined && currency !== current)
      throw invalid(`/planExternalIds/${index}`, `must have a price in ${current}, the currency of the subscription`);
  }
}

/** The currency of the newest billed segment with a price. Undefined if there is none. */
async function billedCurrency(reads: Reads, subscriptionSeq: number): Promise<string | undefined> {
  let segment = await segmentBefore(reads, subscriptionSeq);
  while (segment) {
    const currency = segment.kind === "billed" ? currencyOf(segmentTermsOf(segment)) : undefined;
    if (currency !== undefined) return currency;
    segment = await segmentBefore(reads, subscriptionSeq, segment.seq);
  }
  return undefined;
}
