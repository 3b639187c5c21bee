import type { Period } from "../../lib/time/calendar.ts";
import type { Reads } from "../../platform/storage/storage.ts";
import { formerPlan, planChangesSince } from "../plans/plan-states.ts";
import { plansWithSeqs } from "../plans/plans.ts";
import { type Allowance, allowances } from "./allowance.ts";
import { proratedUntil, subscriptionHistorySince } from "./history-store.ts";
import type { Subscription } from "./subscriptions.ts";

/** Returns the maximums at the end of the period, or the current ones if it has not ended. */
export async function allowancesIn(
  reads: Reads,
  subscription: Subscription,
  period: Period,
): Promise<Map<string, Allowance>> {
  const allowed = await allowancesSince(reads, subscription, period);
  return allowed(period);
}

/**
 * Reads when plans changed in a period and all later ones, for `allowancesIn`. The maximums are read with each period:
 * those of all changes together may be any number of megabytes.
 */
export async function allowancesSince(
  reads: Reads,
  { row, plans }: Subscription,
  first: Period,
): Promise<(period: Period) => Promise<Map<string, Allowance>>> {
  // For a period before its creation, the subscription has its initial maximums.
  const endOf = ({ end }: Period) => Math.max(end, row.created_on + 1);
  const since = endOf(first);
  const states = await subscriptionHistorySince(reads, row.seq, since);
  const present = plans.map((plan) => plan.seq);
  const seqs = [...new Set([present, ...states.map(plansIn)].flat())];
  const changes = Map.groupBy(await planChangesSince(reads, seqs, since), (each) => each.plan_seq);
  const known = new Map(plans.map((plan) => [plan.seq, plan]));

  return async (period) => {
    const end = endOf(period);
    const inForce = <Kept extends { valid_until: number }>(kept: Kept[] = []) =>
      kept.find(({ valid_until }) => valid_until >= end);
    const planInForce = async (seq: number) => {
      const former = inForce(changes.get(seq));
      if (former) return formerPlan(reads, seq, former.valid_until);
      return known.get(seq) ?? (await plansWithSeqs(reads, [seq]))[0];
    };
    const state = inForce(states);
    const itsPlans = [];
    for (const seq of state ? plansIn(state) : present) itsPlans.push(await planInForce(seq));
    return allowances(
      (state && (await proratedUntil(reads, row.seq, state.valid_until))) ?? row,
      itsPlans.filter((plan) => plan !== undefined),
      period.start,
    );
  };
}

function plansIn({ plan_seqs }: { plan_seqs: string }): number[] {
  return JSON.parse(plan_seqs) as number[];
}
