import { invalid } from "../../../../core/problems/problem.ts";
import { type Amount, amountOf } from "../../../../lib/amount.ts";
import { Slice } from "../../../../lib/tasks/slices.ts";
import { insertRow } from "../../../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { RowOf } from "../../../../platform/storage/tables.ts";
import { markUsage } from "../../metering/counters/usage-marks.ts";
import type { LostUsage } from "../../metering/usage/early-usage.ts";
import { planStateAt, planStates } from "../../plans/plan-states.ts";
import type { Meters, Plan } from "../../plans/plans.ts";
import type { PlanPrice, PlanRates, PlanRollover } from "../../plans/price-schema.ts";
import { priceOf, ratesOf, rolloverOf } from "../../plans/prices.ts";
import { isUnpaidPurchase, markWithCredits, periodOf, statusIgnoringInvoices } from "../../subscriptions/state.ts";
import type { Subscription } from "../../subscriptions/subscriptions.ts";

/** The terms of a plan as they were when a segment began. */
export interface PlanTerms {
  seq: number;
  id: string;
  label: string;
  price: PlanPrice | null;
  rates: PlanRates | null;
  rollover: PlanRollover | null;
  meters: Meters;
}

/** The terms of a segment. */
export interface Terms {
  plans: PlanTerms[];
  /** The maximums after a prorated change of plans, in billionths, instead of those of the plans. */
  allowance: Record<string, string> | null;
}

/** The meters whose overage has a price under the terms. */
export function pricedMeters({ plans }: Terms): string[] {
  return plans.flatMap(({ rates, meters }) =>
    Object.entries(rates ?? {})
      .filter(([meter, { overage }]) => overage !== "block" && Object.hasOwn(meters, meter))
      .map(([meter]) => meter),
  );
}

export function hasPrepaidMeters({ plans }: Terms): boolean {
  return plans.some(({ rates }) => Object.values(rates ?? {}).some(({ overage }) => overage === "prepaid"));
}

export function currencyOf({ plans }: Terms): string | undefined {
  return plans.find(({ price }) => price !== null)?.price?.currency;
}

/**
 * The terms of a subscription at a time. A plan that it had before in the same period keeps its prices until the next
 * one.
 */
export async function termsAt(
  reads: Reads,
  { row, plans }: Subscription,
  periodStart: number,
  at: number,
  before: Terms | undefined,
): Promise<Terms> {
  const isProrated = row.allowance_period === periodStart && row.allowance !== null;
  const ofPlans: PlanTerms[] = [];
  const slice = new Slice();
  for (const plan of plans) {
    if (slice.isOver) await slice.next();
    const kept = before?.plans.find(({ seq }) => seq === plan.seq);
    const state = (await planStateAt(reads, plan.seq, at)) ?? plan;
    const meters = JSON.parse(state.meters) as Meters;
    ofPlans.push(kept ? { ...kept, meters } : newTerms(plan, { ...state, meters }));
  }
  return {
    plans: ofPlans,
    allowance: isProrated ? (JSON.parse(row.allowance!) as Record<string, string>) : null,
  };
}

function newTerms(
  { seq, id, label }: Plan,
  state: { price: string | null; rates: string | null; rollover: string | null; meters: Meters },
): PlanTerms {
  return {
    seq,
    id,
    label,
    price: priceOf(state) ?? null,
    rates: state.rates === null ? null : ratesOf(state),
    rollover: state.rollover === null ? null : rolloverOf(state),
    meters: state.meters,
  };
}

/**
 * The allowances of meters in a segment: a maximum that was raised in the meantime applies at once, and a lower one
 * from the next period on. In slices: each of 20 plans may have 1,000 meters, and may have changed any number of times.
 */
export async function segmentAllowancesIn(
  reads: Reads,
  segment: BillingSegmentRow,
  terms: Terms,
  meters: string[],
): Promise<Map<string, Amount>> {
  const sums = new Map<string, Amount>(meters.map((meter) => [meter, 0n]));
  const slice = new Slice();
  for (const plan of terms.plans) {
    const largest = new Map<string, Amount>();
    raiseTo(largest, plan.meters, meters);
    for await (const state of planStates(reads, plan.seq, segment.starts_on, segment.ends_on ?? undefined)) {
      raiseTo(largest, JSON.parse(state.meters) as Meters, meters);
      if (slice.isOver) await slice.next();
    }
    for (const [meter, max] of largest) sums.set(meter, sums.get(meter)! + max);
  }
  for (const [meter, max] of Object.entries(terms.allowance ?? {})) if (sums.has(meter)) sums.set(meter, BigInt(max));
  return sums;
}

function raiseTo(largest: Map<string, Amount>, from: Meters, meters: string[]): void {
  for (const meter of meters) {
    const max = Object.hasOwn(from, meter) ? amountOf(from[meter]!.max)! : 0n;
    if (max > (largest.get(meter) ?? 0n)) largest.set(meter, max);
  }
}

export type BillingSegmentRow = RowOf<"billing_segments">;

/** All segments of a subscription, in order. The last one may be open. */
export function billingSegmentsOf(reads: Reads, subscriptionSeq: number): Promise<BillingSegmentRow[]> {
  return reads.all("SELECT * FROM billing_segments WHERE subscription_seq = ? ORDER BY seq", [subscriptionSeq]);
}

/** The segments of periods that end after a time. */
export function recentSegmentsOf(reads: Reads, subscriptionSeq: number, since: number): Promise<BillingSegmentRow[]> {
  return reads.all("SELECT * FROM billing_segments WHERE subscription_seq = ? AND period_end > ? ORDER BY seq", [
    subscriptionSeq,
    since,
  ]);
}

export function openSegment(reads: Reads, subscriptionSeq: number): Promise<BillingSegmentRow | undefined> {
  return reads.one("SELECT * FROM billing_segments WHERE subscription_seq = ? AND ends_on IS NULL ORDER BY seq DESC", [
    subscriptionSeq,
  ]);
}

/** The segment before another one, by default the last one. */
function segmentBefore(reads: Reads, subscriptionSeq: number, seq = Number.MAX_SAFE_INTEGER) {
  return reads.one<BillingSegmentRow>(
    "SELECT * FROM billing_segments WHERE subscription_seq = ? AND seq < ? ORDER BY seq DESC LIMIT 1",
    [subscriptionSeq, seq],
  );
}

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
  if (before) await transaction.update("billing_segments", before.seq, { ends_on: at });
  const segment = await insertRow(transaction, "billing_segments", {
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
