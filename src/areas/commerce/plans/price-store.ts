import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { PlanRow } from "./plan-store.ts";

/** Returns the renewal strategies of the plan's subscriptions. */
export async function renewalsOfPlan(reads: Reads, planSeq: number): Promise<string[]> {
  const rows = await reads.all<{ renewal_strategy: string }>(
    `SELECT DISTINCT renewal_strategy FROM subscription_plans
     JOIN subscriptions ON subscriptions.seq = subscription_plans.subscription_seq WHERE plan_seq = ?`,
    [planSeq],
  );
  return rows.map((row) => row.renewal_strategy);
}

/** Returns the other plans that subscriptions have together with a plan. */
export function plansBeside(reads: Reads, planSeq: number): Promise<PlanRow[]> {
  return reads.all(
    `SELECT * FROM plans WHERE seq IN (
       SELECT other.plan_seq FROM subscription_plans AS its
       JOIN subscription_plans AS other ON other.subscription_seq = its.subscription_seq
       WHERE its.plan_seq = ? AND other.plan_seq <> its.plan_seq)`,
    [planSeq],
  );
}

/** Makes billing look at the plan's subscriptions that were never billed. */
export async function beginBilling(transaction: WriteTransaction, planSeq: number, now: number): Promise<void> {
  await transaction.run(
    `UPDATE subscriptions SET bills_on = ? WHERE bills_on IS NULL AND billing IS NULL
     AND seq IN (SELECT subscription_seq FROM subscription_plans WHERE plan_seq = ?)`,
    [now, planSeq],
  );
}
