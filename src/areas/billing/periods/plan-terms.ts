import { type Amount, amountOf } from "../../../lib/amount.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import { planStates } from "../../metering/plans/plan-states.ts";
import type { Meters, Plan } from "../../metering/plans/plans.ts";
import { priceOf, ratesOf } from "../../metering/plans/prices.ts";
import type { Subscription } from "../../metering/subscriptions/subscriptions.ts";
import type { PlanTerms, Terms } from "../terms/terms.ts";
import type { SegmentRow } from "./segment-store.ts";

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
  const states = await planStates(
    reads,
    plans.map(({ seq }) => seq),
    at,
  );
  const isProrated = row.allowance_period === periodStart && row.allowance !== null;
  return {
    plans: plans.map((plan) => {
      const kept = before?.plans.find(({ seq }) => seq === plan.seq);
      const state = states.get(plan.seq)?.[0] ?? plan;
      const meters = JSON.parse(state.meters) as Meters;
      return kept ? { ...kept, meters } : newTerms(plan, { ...state, meters });
    }),
    allowance: isProrated ? (JSON.parse(row.allowance!) as Record<string, string>) : null,
  };
}

function newTerms(
  { seq, id, label }: Plan,
  state: { price: string | null; rates: string | null; meters: Meters },
): PlanTerms {
  return {
    seq,
    id,
    label,
    price: priceOf(state) ?? null,
    rates: state.rates === null ? null : ratesOf(state),
    meters: state.meters,
  };
}

/**
 * The allowance of a meter in a segment: a maximum that was raised in the meantime applies at once, and a lower one
 * from the next period on.
 */
export async function allowanceIn(reads: Reads, segment: SegmentRow, terms: Terms, meter: string): Promise<Amount> {
  const prorated = terms.allowance?.[meter];
  if (prorated !== undefined) return BigInt(prorated);
  const states = await planStates(
    reads,
    terms.plans.map(({ seq }) => seq),
    segment.starts_on,
    segment.ends_on ?? undefined,
  );
  let sum = 0n;
  for (const { seq, meters } of terms.plans) {
    const inForce = (states.get(seq) ?? []).map((state) => JSON.parse(state.meters) as Meters);
    sum += largest([meters, ...inForce].map((each) => (Object.hasOwn(each, meter) ? amountOf(each[meter]!.max)! : 0n)));
  }
  return sum;
}

function largest(amounts: Amount[]): Amount {
  return amounts.reduce((max, amount) => (amount > max ? amount : max), 0n);
}
