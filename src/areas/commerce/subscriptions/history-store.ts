import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { Plan } from "../plans/plans.ts";
import type { SubscriptionRow } from "./subscription-store.ts";

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
