import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { PlanRow } from "./plan-store.ts";

/**
 * Called before a plan's meters, prices or rollover change or it is deleted: stores the former ones. `now` is the
 * time in the bucket (`timeIn`), with which usage is compared.
 */
export async function recordFormerPlan(transaction: WriteTransaction, plan: PlanRow, now: number): Promise<void> {
  const { seq: plan_seq, bucket_seq, meters, price, rates, rollover } = plan;
  const row = { plan_seq, valid_until: now, bucket_seq, meters, price, rates, rollover };
  await transaction.insertNew("plan_history", [row], ["plan_seq", "valid_until"]);
}

/** Returns when plans changed, at the time or later, the earliest change first. Their meters may be 1 MB each. */
export async function planChangesSince(reads: Reads, planSeqs: number[], time: number) {
  // A deleted subscription has no plans.
  if (planSeqs.length === 0) return [];
  return reads.query
    .selectFrom("plan_history")
    .select(["plan_seq", "valid_until"])
    .where("plan_seq", "in", planSeqs)
    .where("valid_until", ">=", time)
    .orderBy("valid_until")
    .execute();
}

type FormerPlan = Pick<PlanRow, "meters" | "price" | "rates" | "rollover"> & { valid_until: number };

const formerColumns = "SELECT meters, price, rates, rollover, valid_until FROM plan_history WHERE plan_seq = ?";

/** Returns the maximums and prices that a plan had until a change. */
export function formerPlan(reads: Reads, planSeq: number, validUntil: number): Promise<FormerPlan | undefined> {
  return reads.one(`${formerColumns} AND valid_until = ?`, [planSeq, validUntil]);
}

/** Returns the maximums and prices that a plan had until its first change after the time. */
export function formerPlanAfter(reads: Reads, planSeq: number, time: number): Promise<FormerPlan | undefined> {
  return reads.one(`${formerColumns} AND valid_until > ? ORDER BY valid_until LIMIT 1`, [planSeq, time]);
}
