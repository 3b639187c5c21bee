import type { Paging } from "../../../lib/paging.ts";
import { forUpdate, readPage } from "../../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { RowOf } from "../../../platform/storage/tables.ts";

export type VariableRow = RowOf<"project_variables">;

const variableNamed = "SELECT * FROM project_variables WHERE account_seq = ? AND project = ? AND name = ?";

export function findVariable(reads: Reads, accountSeq: number, project: string, name: string) {
  return reads.one<VariableRow>(variableNamed, [accountSeq, project, name]);
}

export function findVariableForUpdate(
  transaction: WriteTransaction,
  accountSeq: number,
  project: string,
  name: string,
) {
  return transaction.one<VariableRow>(forUpdate(transaction, variableNamed), [accountSeq, project, name]);
}

export function listVariables(reads: Reads, accountSeq: number, project: string, paging: Paging) {
  const ofProject = reads.query
    .selectFrom("project_variables")
    .where("account_seq", "=", accountSeq)
    .where("project", "=", project);
  return readPage(ofProject, paging);
}

export function allVariables(reads: Reads, accountSeq: number, project: string): Promise<VariableRow[]> {
  return reads.all("SELECT * FROM project_variables WHERE account_seq = ? AND project = ? ORDER BY seq", [
    accountSeq,
    project,
  ]);
}

/** The variables of all projects. */
export function variablesOfAccount(reads: Reads, accountSeq: number): Promise<VariableRow[]> {
  return reads.all("SELECT * FROM project_variables WHERE account_seq = ? ORDER BY project, seq", [accountSeq]);
}

/** Returns undefined if the name is in use. */
export function insertVariableOnce(transaction: WriteTransaction, variable: Omit<VariableRow, "seq">) {
  return transaction.query
    .insertInto("project_variables")
    .values(variable)
    .onConflict((conflict) => conflict.columns(["account_seq", "project", "name"]).doNothing())
    .returningAll()
    .executeTakeFirst();
}
