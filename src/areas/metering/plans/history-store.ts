import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { PlanRow, SubscriptionRow } from "../store.ts";

/** Called before a plan's meters or prices change or it is deleted: stores its former maximums and prices. */
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

/** Returns the former maximums of plans that changed at the time or later, the earliest change first. */
export function planHistorySince(reads: Reads, planSeqs: number[], time: number) {
  return reads.query
    .selectFrom("plan_history")
    .selectAll()
    .where("plan_seq", "in", planSeqs)
    .where("valid_until", ">=", time)
    .orderBy("valid_until")
    .execute();
}

/** Returns the former plans of a subscription that changed at the time or later, the earliest change first. */
export function subscriptionHistorySince(reads: Reads, subscriptionSeq: number, time: number) {
  return reads.query
    .selectFrom("subscription_history")
    .selectAll()
    .where("subscription_seq", "=", subscriptionSeq)
    .where("valid_until", ">=", time)
    .orderBy("valid_until")
    .execute();
}
