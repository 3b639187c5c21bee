import type { Paging } from "../../../lib/paging.ts";
import { type OneRead, readPage } from "../../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { RowOf } from "../../../platform/storage/tables.ts";

export type PlanRow = RowOf<"plans">;
/** A plan without its meters, which may take 1 MB. */
export type PlanSummary = Pick<PlanRow, "seq" | "id" | "external_id" | "trial_end_status" | "version">;

export function findPlan(reads: OneRead, bucketSeq: number, id: string): Promise<PlanRow | undefined> {
  return reads.one("SELECT * FROM plans WHERE bucket_seq = ? AND id = ?", [bucketSeq, id]);
}

export function findPlans(reads: Reads, bucketSeq: number, by: "id" | "external_id", values: string[]) {
  return reads.query
    .selectFrom("plans")
    .selectAll()
    .where("bucket_seq", "=", bucketSeq)
    .where(by, "in", values)
    .execute();
}

export async function plansWithSeqs(reads: Reads, seqs: number[]): Promise<PlanRow[]> {
  return seqs.length === 0 ? [] : reads.query.selectFrom("plans").selectAll().where("seq", "in", seqs).execute();
}

export function listPlans(reads: Reads, bucketSeq: number, externalId: string | undefined, paging: Paging) {
  let ofBucket = reads.query.selectFrom("plans").where("bucket_seq", "=", bucketSeq);
  if (externalId !== undefined) ofBucket = ofBucket.where("external_id", "=", externalId);
  return readPage(ofBucket, paging, { large: ["label", "meters"] });
}

export async function plansWithSubscriptions(reads: Reads, planSeqs: number[]): Promise<Set<number>> {
  if (planSeqs.length === 0) return new Set();
  const rows = await reads.query
    .selectFrom("subscription_plans")
    .select("plan_seq")
    .distinct()
    .where("plan_seq", "in", planSeqs)
    .execute();
  return new Set(rows.map((row) => row.plan_seq));
}

/** Whether a plan of the bucket has the meter. Meters may be 1 MB for each plan, so they are not parsed. */
export async function hasMeter(reads: Reads, bucketSeq: number, meter: string): Promise<boolean> {
  // Quotes in labels are escaped, so only the name of a meter is followed by an object.
  const member = `${JSON.stringify(meter)}:{`;
  const sql = "SELECT seq FROM plans WHERE bucket_seq = ? AND replace(meters, ?, '') <> meters LIMIT 1";
  return (await reads.one(sql, [bucketSeq, member])) !== undefined;
}

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
