import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import { type PlanRow, plansWithSeqs } from "./plan-store.ts";

/** Whether subscriptions change to a plan at the end of their period. */
export async function isScheduled(reads: Reads, planSeq: number): Promise<boolean> {
  return (await reads.one("SELECT 1 FROM scheduled_plans WHERE plan_seq = ? LIMIT 1", [planSeq])) !== undefined;
}

/** The plans that a subscription changes to, in order. Empty if no change is scheduled. */
export async function scheduledPlansOf(reads: Reads, subscriptionSeq: number): Promise<PlanRow[]> {
  const rows = await reads.all<{ plan_seq: number }>(
    "SELECT plan_seq FROM scheduled_plans WHERE subscription_seq = ? ORDER BY position",
    [subscriptionSeq],
  );
  const seqs = rows.map(({ plan_seq }) => plan_seq);
  const plans = new Map((await plansWithSeqs(reads, seqs)).map((plan) => [plan.seq, plan]));
  return seqs.map((seq) => plans.get(seq)!);
}

/** Replaces the plans that a subscription changes to. */
export async function schedulePlans(
  transaction: WriteTransaction,
  subscriptionSeq: number,
  planSeqs: number[],
): Promise<void> {
  await transaction.run("DELETE FROM scheduled_plans WHERE subscription_seq = ?", [subscriptionSeq]);
  await transaction.insertAll(
    "scheduled_plans",
    planSeqs.map((plan_seq, position) => ({ subscription_seq: subscriptionSeq, position, plan_seq })),
  );
}
