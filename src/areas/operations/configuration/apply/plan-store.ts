import { forUpdate } from "../../../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { RowOf } from "../../../../platform/storage/tables.ts";

export type ApplyPlanRow = RowOf<"configuration_plans">;

const planWithId = "SELECT * FROM configuration_plans WHERE account_seq = ? AND id = ?";

export function findApplyPlan(reads: Reads, accountSeq: number, id: string): Promise<ApplyPlanRow | undefined> {
  return reads.one(planWithId, [accountSeq, id]);
}

export function findApplyPlanForUpdate(transaction: WriteTransaction, accountSeq: number, id: string) {
  return transaction.one<ApplyPlanRow>(forUpdate(transaction, planWithId), [accountSeq, id]);
}

/** Inserts a plan, and deletes all but the newest plans of the account. */
export async function insertPlan(
  transaction: WriteTransaction,
  applyPlan: Omit<ApplyPlanRow, "seq">,
  maxPlans: number,
): Promise<void> {
  await transaction.insert("configuration_plans", applyPlan);
  await transaction.run(
    `DELETE FROM configuration_plans WHERE account_seq = ? AND seq <= (
      SELECT seq FROM configuration_plans WHERE account_seq = ? ORDER BY seq DESC LIMIT 1 OFFSET ?)`,
    [applyPlan.account_seq, applyPlan.account_seq, maxPlans],
  );
}

/** What it wrote is not kept: it may contain secrets. */
export async function markApplied(transaction: WriteTransaction, seq: number, now: number): Promise<void> {
  await transaction.run("UPDATE configuration_plans SET applied_on = ?, inputs = NULL WHERE seq = ?", [now, seq]);
}

export async function hasInputsBefore(reads: Reads, now: number): Promise<boolean> {
  const sql = "SELECT 1 AS found FROM configuration_plans WHERE inputs IS NOT NULL AND expires_on <= ? LIMIT 1";
  return (await reads.one(sql, [now])) !== undefined;
}

export async function deleteInputsBefore(transaction: WriteTransaction, now: number, rows: number): Promise<number> {
  const sql = `UPDATE configuration_plans SET inputs = NULL WHERE seq IN (
    SELECT seq FROM configuration_plans WHERE inputs IS NOT NULL AND expires_on <= ? LIMIT ?) RETURNING seq`;
  return (await transaction.all(sql, [now, rows])).length;
}

export async function marksOf(reads: Reads, accountSeq: number, owner: string): Promise<Set<string>> {
  const rows = await reads.all<{ resource_id: string }>(
    "SELECT resource_id FROM configuration_marks WHERE account_seq = ? AND owner = ?",
    [accountSeq, owner],
  );
  return new Set(rows.map((row) => row.resource_id));
}

export async function insertMarks(
  transaction: WriteTransaction,
  accountSeq: number,
  owner: string,
  resourceIds: string[],
): Promise<void> {
  const rows = resourceIds.map((resource_id) => ({ account_seq: accountSeq, resource_id, owner }));
  await transaction.insertAll("configuration_marks", rows);
}

export async function deleteMark(transaction: WriteTransaction, accountSeq: number, resourceId: string): Promise<void> {
  await transaction.run("DELETE FROM configuration_marks WHERE account_seq = ? AND resource_id = ?", [
    accountSeq,
    resourceId,
  ]);
}
