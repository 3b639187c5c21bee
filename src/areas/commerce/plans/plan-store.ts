import type { Paging } from "../../../lib/paging.ts";
import { forUpdate, readPage } from "../../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { RowOf } from "../../../platform/storage/tables.ts";

export type PlanRow = RowOf<"plans">;
/** A plan without its meters, which may take 1 MB. */
export type PlanSummary = Pick<PlanRow, "seq" | "id" | "external_id" | "trial_end_status" | "version">;

const planWithId = "SELECT * FROM plans WHERE bucket_seq = ? AND id = ?";

export function findPlan(reads: Reads, bucketSeq: number, id: string): Promise<PlanRow | undefined> {
  return reads.one(planWithId, [bucketSeq, id]);
}

export function findPlanForUpdate(transaction: WriteTransaction, bucketSeq: number, id: string) {
  return transaction.one<PlanRow>(forUpdate(transaction, planWithId), [bucketSeq, id]);
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
