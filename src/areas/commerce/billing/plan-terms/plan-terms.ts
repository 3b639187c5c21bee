import { type Amount, amountOf } from "../../../../lib/amount.ts";
import { Slice } from "../../../../lib/tasks/slices.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import { planStateAt, planStates } from "../../plans/plan-states.ts";
import type { Meters, Plan } from "../../plans/plans.ts";
import { priceOf, ratesOf, rolloverOf } from "../../plans/prices.ts";
import type { Subscription } from "../../subscriptions/subscriptions.ts";
import type { BillingSegmentRow } from "./segment-store.ts";
import type { PlanTerms, Terms } from "./terms.ts";

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
