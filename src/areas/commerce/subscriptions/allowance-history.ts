import type { Period } from "../../../lib/time/calendar.ts";
import { allWith } from "../../../platform/storage/query.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import { formerPlan, planChangesSince } from "../plans/plan-states.ts";
import { plansWithSeqs } from "../plans/plans.ts";
import { type AllowedMeters, allowances, allowedTogether, type KnownPlans } from "./allowance.ts";
import { planSummaries, plansOf, proratedUntil, subscriptionHistorySince } from "./subscribed-plans-store.ts";
import type { SubscriptionRow } from "./subscription-store.ts";
import type { Subscription } from "./subscriptions.ts";

/** Returns the maximums at the end of the period, or the current ones if it has not ended. */
export async function allowancesIn(reads: Reads, subscription: Subscription, period: Period): Promise<AllowedMeters> {
  const allowed = await allowancesSince(reads, subscription, period);
  return allowed(period);
}

/**
 * Does the same for many subscriptions. Only those whose plans have changed since the end of the period are read one by
 * one.
 */
export async function allowancesOfMany(
  reads: Reads,
  knownPlans: KnownPlans,
  wanted: readonly { row: SubscriptionRow; period: Period }[],
): Promise<AllowedMeters[]> {
  const seqs = [...new Set(wanted.map(({ row }) => row.seq))];
  const summaries = await planSummaries(reads, seqs);
  const plans = new Map([...summaries.values()].flat().map((plan) => [plan.seq, plan]));
  const terms = await knownPlans.of(reads, plans.values());
  const changedOn = await lastChanges(reads, "subscription_history", "subscription_seq", seqs);
  const plansChangedOn = await lastChanges(reads, "plan_history", "plan_seq", [...plans.keys()]);
  const allowed: AllowedMeters[] = [];
  for (const { row, period } of wanted) {
    const its = summaries.get(row.seq)!;
    const changes = [changedOn.get(row.seq), ...its.map(({ seq }) => plansChangedOn.get(seq))];
    const isCurrent = changes.every((time) => time === undefined || time < endOf(row, period));
    const meters = its.flatMap(({ seq }) => terms.get(seq)?.meters ?? []);
    if (isCurrent) allowed.push(allowedTogether(row, meters, period.start));
    else allowed.push(await allowancesIn(reads, { row, plans: await plansOf(reads, row.seq) }, period));
  }
  return allowed;
}

async function lastChanges(
  reads: Reads,
  table: "subscription_history" | "plan_history",
  column: "subscription_seq" | "plan_seq",
  seqs: number[],
): Promise<Map<number, number>> {
  const rows = await allWith<{ seq: number; time: number }>(
    reads,
    ["bigint"],
    seqs.map((seq) => [seq]),
    (wanted) => `SELECT ${column} AS seq, MAX(valid_until) AS time FROM ${table}
      WHERE ${column} IN (SELECT column1 FROM ${wanted} AS seqs) GROUP BY ${column}`,
  );
  return new Map(rows.map(({ seq, time }) => [seq, time]));
}

/** For a period before its creation, a subscription has its initial maximums. */
function endOf(row: SubscriptionRow, { end }: Period): number {
  return Math.max(end, row.created_on + 1);
}

/**
 * Reads when plans changed in a period and all later ones, for `allowancesIn`. The maximums are read with each period:
 * those of all changes together may be any number of megabytes.
 */
export async function allowancesSince(
  reads: Reads,
  { row, plans }: Subscription,
  first: Period,
): Promise<(period: Period) => Promise<AllowedMeters>> {
  const since = endOf(row, first);
  const states = await subscriptionHistorySince(reads, row.seq, since);
  const present = plans.map((plan) => plan.seq);
  const seqs = [...new Set([present, ...states.map(plansIn)].flat())];
  const changes = Map.groupBy(await planChangesSince(reads, seqs, since), (each) => each.plan_seq);
  const known = new Map(plans.map((plan) => [plan.seq, plan]));

  return async (period) => {
    const end = endOf(row, period);
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
