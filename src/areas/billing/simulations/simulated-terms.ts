import type { WriteTransaction } from "../../../platform/storage/storage.ts";
import type { Meters, Plan } from "../../plans/plans.ts";
import { priceOf, ratesOf, rolloverOf } from "../../plans/prices.ts";
import type { BillingSegmentRow } from "../plan-terms/segment-store.ts";
import { segmentTermsOf } from "../plan-terms/segments.ts";
import type { PlanTerms } from "../plan-terms/terms.ts";
import type { SimulationInput } from "../schemas/simulation-schema.ts";

/** Not stored: a plan that exists in the request only. */
const newPlan = { price: null, rates: null, rollover: null, meters: {} };

/** What replaces the terms that segments had, by the seq of the plan. */
export type SimulatedTerms = Map<number, (before: PlanTerms) => PlanTerms>;

/** Reads the plans of a simulation in a book, and changes the meters that they had there at any time. */
export async function simulatedTerms(
  book: WriteTransaction,
  { plans, moves = [] }: SimulationInput,
): Promise<SimulatedTerms> {
  const stored = await book.all<Plan>("SELECT * FROM plans", []);
  const changeOf = (name: string) => (Object.hasOwn(plans, name) ? (plans[name] as Partial<PlanTerms>) : undefined);
  const terms: SimulatedTerms = new Map();
  for (const plan of stored) {
    const change = changeOf(plan.external_id);
    const moved = moves.find(({ from }) => from === plan.external_id)?.to;
    if (moved !== undefined) {
      const target = stored.find(({ external_id }) => external_id === moved);
      // Each new plan has a fee of its own.
      const seq = -1 - moves.findIndex(({ to }) => to === moved);
      const base = target ? termsOf(target) : { ...newPlan, seq, id: moved, label: moved };
      terms.set(plan.seq, () => ({ ...base, ...changeOf(moved) }));
    } else if (change) terms.set(plan.seq, (before) => ({ ...before, ...change }));
    if (change?.meters === undefined) continue;
    const values = [JSON.stringify(change.meters), plan.seq];
    await book.run("UPDATE plans SET meters = ? WHERE seq = ?", values);
    await book.run("UPDATE plan_history SET meters = ? WHERE plan_seq = ?", values);
  }
  return terms;
}

function termsOf(plan: Plan): PlanTerms {
  const { seq, id, label } = plan;
  const meters = JSON.parse(plan.meters) as Meters;
  return { seq, id, label, price: priceOf(plan) ?? null, rates: ratesOf(plan), rollover: rolloverOf(plan), meters };
}

/**
 * A segment with other terms. Undefined if maximums or returned fees depend on what was used by then, which is stored only as far
 * as the former terms needed it.
 */
export function withTerms(
  segment: BillingSegmentRow,
  terms: SimulatedTerms,
  { isWithinPeriod }: { isWithinPeriod: boolean },
): BillingSegmentRow | undefined {
  const before = segmentTermsOf(segment);
  const plans = before.plans.map((plan) => terms.get(plan.seq)?.(plan) ?? plan);
  const depends = plans.some(({ meters, price }, index) => {
    const former = before.plans[index]!;
    return meters !== former.meters || (price !== former.price && !Number(former.price?.amount ?? "0"));
  });
  if (depends && (isWithinPeriod || before.allowance !== null)) return undefined;
  return { ...segment, terms: JSON.stringify({ ...before, plans }) };
}
