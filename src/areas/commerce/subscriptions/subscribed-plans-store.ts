import { Slice } from "../../../lib/tasks/slices.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import { type Plan, type PlanSummary, plansWithSeqs } from "../plans/plans.ts";
import type { SubscriptionRow } from "./subscription-store.ts";

/** Returns the plans of a subscription, in order. */
export function plansOf(reads: Reads, subscriptionSeq: number): Promise<Plan[]> {
  return reads.all(
    `SELECT plans.* FROM subscription_plans JOIN plans ON plans.seq = subscription_plans.plan_seq
     WHERE subscription_plans.subscription_seq = ? ORDER BY subscription_plans.position`,
    [subscriptionSeq],
  );
}

/** By subscription, in order. A plan of many subscriptions is read once. */
export async function plansOfAll(reads: Reads, subscriptionSeqs: number[]): Promise<Map<number, Plan[]>> {
  const links = await reads.query
    .selectFrom("subscription_plans")
    .select(["subscription_seq", "plan_seq"])
    .where("subscription_seq", "in", subscriptionSeqs)
    .orderBy("subscription_seq")
    .orderBy("position")
    .execute();
  const rows = await plansWithSeqs(reads, [...new Set(links.map(({ plan_seq }) => plan_seq))]);
  const known = new Map(rows.map((plan) => [plan.seq, plan]));
  const plans = new Map<number, Plan[]>(subscriptionSeqs.map((seq) => [seq, []]));
  for (const { subscription_seq, plan_seq } of links) {
    const plan = known.get(plan_seq);
    if (plan) plans.get(subscription_seq)!.push(plan);
  }
  return plans;
}

/** By subscription, in order. */
export async function planSummaries(reads: Reads, subscriptionSeqs: number[]): Promise<Map<number, PlanSummary[]>> {
  const plans = new Map<number, PlanSummary[]>(subscriptionSeqs.map((seq) => [seq, []]));
  const slice = new Slice();
  const seqs = subscriptionSeqs.map((seq) => [seq]);
  for (const { sql, parameters } of reads.tablesOf(["bigint"], seqs)) {
    if (slice.isOver) await slice.next();
    const rows = await reads.all<PlanSummary & { subscription_seq: number }>(
      `SELECT subscription_seq, plans.seq, plans.id, plans.external_id, plans.trial_end_status, plans.version
       FROM subscription_plans JOIN plans ON plans.seq = subscription_plans.plan_seq
       WHERE subscription_seq IN (SELECT column1 FROM ${sql} AS subscribed) ORDER BY subscription_seq, position`,
      parameters,
    );
    for (const { subscription_seq, ...plan } of rows) plans.get(subscription_seq)!.push(plan);
  }
  return plans;
}

export async function replacePlans(
  transaction: WriteTransaction,
  subscriptionSeq: number,
  planSeqs: number[],
): Promise<void> {
  await transaction.run("DELETE FROM subscription_plans WHERE subscription_seq = ?", [subscriptionSeq]);
  await transaction.insertAll(
    "subscription_plans",
    planSeqs.map((plan_seq, position) => ({ subscription_seq: subscriptionSeq, position, plan_seq })),
  );
}

/** Called before a subscription gets other plans: stores the former plans and prorations. */
export async function recordFormerSubscription(
  transaction: WriteTransaction,
  before: { row: SubscriptionRow; plans: Plan[] },
  now: number,
): Promise<void> {
  const { seq: subscription_seq, allowance_period, allowance } = before.row;
  const plan_seqs = JSON.stringify(before.plans.map((plan) => plan.seq));
  const row = { subscription_seq, valid_until: now, plan_seqs, allowance_period, allowance };
  await transaction.insertNew("subscription_history", [row], ["subscription_seq", "valid_until"]);
}

/** Returns the former plans of a subscription that changed at the time or later, the earliest change first. */
export function subscriptionHistorySince(reads: Reads, subscriptionSeq: number, time: number) {
  return reads.query
    .selectFrom("subscription_history")
    .select(["plan_seqs", "valid_until"])
    .where("subscription_seq", "=", subscriptionSeq)
    .where("valid_until", ">=", time)
    .orderBy("valid_until")
    .execute();
}

/** Returns the prorated maximums that a subscription had until a change of its plans. */
export function proratedUntil(
  reads: Reads,
  subscriptionSeq: number,
  validUntil: number,
): Promise<Pick<SubscriptionRow, "allowance_period" | "allowance"> | undefined> {
  return reads.one(
    "SELECT allowance_period, allowance FROM subscription_history WHERE subscription_seq = ? AND valid_until = ?",
    [subscriptionSeq, validUntil],
  );
}
