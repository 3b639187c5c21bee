import type { Period } from "../lib/calendar.ts";
import type { Reads, WriteTransaction } from "../storage/storage.ts";
import { type Allowance, allowances } from "./allowance.ts";
import type { Plan } from "./plans.ts";
import * as store from "./store.ts";
import type { Subscription } from "./subscriptions.ts";

/** Before a plan's meters change or it is deleted: what it allowed until now. Called with the old plan. */
export async function keepPlan(transaction: WriteTransaction, plan: Plan, now: number): Promise<void> {
  const { seq: plan_seq, bucket_seq, meters } = plan;
  await transaction.insertNew(
    "plan_history",
    [{ plan_seq, valid_until: now, bucket_seq, meters }],
    ["plan_seq", "valid_until"],
  );
}

/** Before a subscription gets other plans: which it had until now, and what was prorated. */
export async function keepSubscription(transaction: WriteTransaction, before: Subscription, now: number) {
  const { seq: subscription_seq, allowance_period, allowance } = before.row;
  const plan_seqs = JSON.stringify(before.plans.map((plan) => plan.seq));
  await transaction.insertNew(
    "subscription_history",
    [{ subscription_seq, valid_until: now, plan_seqs, allowance_period, allowance }],
    ["subscription_seq", "valid_until"],
  );
}

/** For each of the periods, oldest first, what was in force when it ended; what is in force now if it has not ended. */
export async function allowancesIn(
  reads: Reads,
  { row, plans }: Subscription,
  periods: Period[],
): Promise<Map<string, Allowance>[]> {
  const since = periods[0]?.end;
  if (since === undefined) return [];
  const present = { plan_seqs: JSON.stringify(plans.map((plan) => plan.seq)), ...row };
  const states = await store.subscriptionHistorySince(reads, row.seq, since);
  const seqs = [...new Set([present, ...states].flatMap(plansIn))];
  const earlier = Map.groupBy(await store.planHistorySince(reads, seqs, since), (each) => each.plan_seq);
  const known = new Map(plans.map((plan) => [plan.seq, plan]));
  const others = seqs.filter((seq) => !known.has(seq));
  for (const plan of await store.plansWithSeqs(reads, others)) known.set(plan.seq, plan);

  return periods.map(({ start, end }) => {
    const inForce = <Kept extends { valid_until: number }>(kept: Kept[] = []) =>
      kept.find(({ valid_until }) => valid_until >= end);
    const state = inForce(states) ?? present;
    const itsPlans = plansIn(state).map((seq) => inForce(earlier.get(seq)) ?? known.get(seq));
    return allowances(
      state,
      itsPlans.filter((plan) => plan !== undefined),
      start,
    );
  });
}

function plansIn({ plan_seqs }: { plan_seqs: string }): number[] {
  return JSON.parse(plan_seqs) as number[];
}
