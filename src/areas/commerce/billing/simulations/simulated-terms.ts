import type { Amount } from "../../../../lib/amount.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { Meters, Plan } from "../../plans/plans.ts";
import { priceOf, ratesOf, rolloverOf } from "../../plans/prices.ts";
import {
  type BillingSegmentRow,
  hasPrepaidMeters,
  type PlanTerms,
  pricedMeters,
  segmentTermsOf,
  type Terms,
} from "../plan-terms/segments.ts";
import type { SimulationInput } from "../schemas/simulation-schema.ts";
import { maximumsOf, type Span } from "./simulated-bill.ts";

/** Not stored: a plan that exists in the request only. */
const newPlan = { price: null, rates: null, rollover: null, meters: {} };

/** What replaces the terms that segments had, by the seq of the plan. */
export type SimulatedTerms = Map<number, (before: PlanTerms) => PlanTerms>;

/** Reads the plans of a simulation in a book. */
export async function simulatedTerms(book: Reads, { plans, moves = [] }: SimulationInput): Promise<SimulatedTerms> {
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
  }
  return terms;
}

/** Changes the meters that plans had in a book at any time. */
export async function changeMeters(book: WriteTransaction, { plans }: SimulationInput): Promise<void> {
  for (const [name, { meters }] of Object.entries(plans)) {
    if (meters === undefined) continue;
    const ofPlan = [JSON.stringify(meters), name];
    const named = "(SELECT seq FROM plans WHERE external_id = ?)";
    await book.run(`UPDATE plan_history SET meters = ? WHERE plan_seq IN ${named}`, ofPlan);
    await book.run("UPDATE plans SET meters = ? WHERE external_id = ?", ofPlan);
  }
}

function termsOf(plan: Plan): PlanTerms {
  const { seq, id, label } = plan;
  const meters = JSON.parse(plan.meters) as Meters;
  return { seq, id, label, price: priceOf(plan) ?? null, rates: ratesOf(plan), rollover: rolloverOf(plan), meters };
}

/** A segment with the terms of a simulation, if its period is one of them. */
export function withTerms(segment: BillingSegmentRow, terms: SimulatedTerms, { from }: Span): BillingSegmentRow {
  const before = segmentTermsOf(segment);
  if (segment.period_start < from || !before.plans.some(({ seq }) => terms.has(seq))) return segment;
  const plans = before.plans.map((plan) => terms.get(plan.seq)?.(plan) ?? plan);
  return { ...segment, terms: JSON.stringify({ ...before, plans }) };
}

/**
 * Whether what segments are billed depends on when usage was counted: for prepaid rates and rollover, and for maximums and fees
 * that change within a period, as only what the former terms needed is stored.
 */
export function dependsOnOrder(former: BillingSegmentRow[], segments: BillingSegmentRow[]): boolean {
  return segments.some((segment, index) => {
    const [before, after] = [segmentTermsOf(former[index]!), segmentTermsOf(segment)];
    const hasRollover = after.plans.some(({ rollover }) => Object.keys(rollover ?? {}).length > 0);
    if (hasRollover || hasPrepaidMeters(after)) return true;
    if (segment === former[index]) return false;
    const isWithin = [segments[index - 1], segments[index + 1]].some(
      (each) => each?.period_start === segment.period_start,
    );
    const isPricedAnew = pricedMeters(after).some((meter) => !pricedMeters(before).includes(meter));
    const differs = (name: "meters" | "price") =>
      after.plans.some((each, index) => !Bun.deepEquals(each[name], before.plans[index]![name]));
    return isWithin
      ? isPricedAnew || differs("meters") || differs("price")
      : differs("meters") && before.allowance !== null;
  });
}

/** The terms with the maximums that a change of plans would have left, if those of the plans are others. */
export function proratedTerms(
  segment: BillingSegmentRow,
  former: BillingSegmentRow,
  used: ReadonlyMap<string, Amount>,
): Terms {
  const terms = segmentTermsOf(segment);
  if (terms.allowance === null || segment.terms === former.terms) return terms;
  const [was, is] = [segmentTermsOf(former), terms].map(({ plans }) => maximumsOf({ plans, allowance: null }));
  const allowance = Object.fromEntries(
    [...is!].map(([meter, max]) => {
      const before = used.get(meter) ?? 0n;
      const old = was!.get(meter) ?? 0n;
      const stored = BigInt(terms.allowance![meter] ?? before);
      return [meter, String(old > 0n && stored > before ? before + ((stored - before) * max) / old : before)];
    }),
  );
  return { ...terms, allowance };
}
