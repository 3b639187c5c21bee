import { hasRows } from "../../../../platform/storage/rows.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { RowOf } from "../../../../platform/storage/tables.ts";

export type ApplyPlanRow = RowOf<"configuration_plans">;

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

export const hasInputsBefore = (reads: Reads, now: number): Promise<boolean> =>
  hasRows(reads, "FROM configuration_plans WHERE inputs IS NOT NULL AND expires_on <= ?", [now]);

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
