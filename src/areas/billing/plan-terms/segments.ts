import type { WriteTransaction } from "../../../platform/storage/storage.ts";
import { markUsage } from "../../metering/counters/usage-marks.ts";
import type { LostUsage } from "../../metering/usage/early-usage.ts";
import { markWithCredits } from "../../subscriptions/billing-state.ts";
import { periodOf } from "../../subscriptions/period.ts";
import { isUnpaidPurchase, statusIgnoringInvoices } from "../../subscriptions/status.ts";
import type { Subscription } from "../../subscriptions/subscriptions.ts";
import { termsAt } from "./plan-terms.ts";
import { type BillingSegmentRow, closeSegment, insertSegment } from "./segment-store.ts";
import { hasPrepaidMeters, pricedMeters, type Terms } from "./terms.ts";

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
