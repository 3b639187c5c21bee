import type { Period } from "../../../lib/time/calendar.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import { type Allowance, allowances } from "../plans/allowance.ts";
import { planHistorySince, subscriptionHistorySince } from "../plans/history-store.ts";
import { plansWithSeqs } from "../store.ts";
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

/** Reads the data that `allowancesIn` needs for a period and all later ones. */
export async function allowancesSince(
  reads: Reads,
  { row, plans }: Subscription,
  first: Period,
): Promise<(period: Period) => Map<string, Allowance> | Promise<Map<string, Allowance>>> {
  // For a period before its creation, the subscription has its initial maximums.
  const endOf = ({ end }: Period) => Math.max(end, row.created_on + 1);
  const since = endOf(first);
  const present = { plan_seqs: JSON.stringify(plans.map((plan) => plan.seq)), ...row };
  const states = await subscriptionHistorySince(reads, row.seq, since);
  const seqs = [...new Set([present, ...states].flatMap(plansIn))];
  const earlier = Map.groupBy(await planHistorySince(reads, seqs, since), (each) => each.plan_seq);
  const known = new Map(plans.map((plan) => [plan.seq, plan]));
  const others = seqs.filter((seq) => !known.has(seq));
  for (const plan of await plansWithSeqs(reads, others)) known.set(plan.seq, plan);

  return (period) => {
    const end = endOf(period);
    const inForce = <Kept extends { valid_until: number }>(kept: Kept[] = []) =>
      kept.find(({ valid_until }) => valid_until >= end);
    const state = inForce(states) ?? present;
    const itsPlans = plansIn(state).map((seq) => inForce(earlier.get(seq)) ?? known.get(seq));
    return allowances(
      state,
      itsPlans.filter((plan) => plan !== undefined),
      period.start,
    );
  };
}

function plansIn({ plan_seqs }: { plan_seqs: string }): number[] {
  return JSON.parse(plan_seqs) as number[];
}
