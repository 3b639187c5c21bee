import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { PlanRow } from "../plan-store.ts";
import type { SubscriptionRow } from "../subscription-store.ts";

/**
 * Called before a plan's meters or prices change or it is deleted: stores its former maximums and prices. `now` is the
 * time in the bucket (`timeIn`), with which usage is compared.
 */
export async function recordFormerPlan(transaction: WriteTransaction, plan: PlanRow, now: number): Promise<void> {
  const { seq: plan_seq, bucket_seq, meters, price, rates } = plan;
  const row = { plan_seq, valid_until: now, bucket_seq, meters, price, rates };
  await transaction.insertNew("plan_history", [row], ["plan_seq", "valid_until"]);
}

/** Called before a subscription gets other plans: stores the former plans and prorations. */
export async function recordFormerSubscription(
  transaction: WriteTransaction,
  before: { row: SubscriptionRow; plans: PlanRow[] },
  now: number,
): Promise<void> {
  const { seq: subscription_seq, allowance_period, allowance } = before.row;
  const plan_seqs = JSON.stringify(before.plans.map((plan) => plan.seq));
  const row = { subscription_seq, valid_until: now, plan_seqs, allowance_period, allowance };
  await transaction.insertNew("subscription_history", [row], ["subscription_seq", "valid_until"]);
}

/** Returns when plans changed, at the time or later, the earliest change first. Their meters may be 1 MB each. */
export function planChangesSince(reads: Reads, planSeqs: number[], time: number) {
  return reads.query
    .selectFrom("plan_history")
    .select(["plan_seq", "valid_until"])
    .where("plan_seq", "in", planSeqs)
    .where("valid_until", ">=", time)
    .orderBy("valid_until")
    .execute();
}

export type FormerPlan = Pick<PlanRow, "meters" | "price" | "rates"> & { valid_until: number };

const formerColumns = "SELECT meters, price, rates, valid_until FROM plan_history WHERE plan_seq = ?";

/** Returns the maximums and prices that a plan had until a change. */
export function formerPlan(reads: Reads, planSeq: number, validUntil: number): Promise<FormerPlan | undefined> {
  return reads.one(`${formerColumns} AND valid_until = ?`, [planSeq, validUntil]);
}

/** Returns the maximums and prices that a plan had until its first change after the time. */
export function formerPlanAfter(reads: Reads, planSeq: number, time: number): Promise<FormerPlan | undefined> {
  return reads.one(`${formerColumns} AND valid_until > ? ORDER BY valid_until LIMIT 1`, [planSeq, time]);
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
