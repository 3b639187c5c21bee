import type { Reads } from "../../../platform/storage/storage.ts";
import type { RowOf } from "../../../platform/storage/tables.ts";

export type VariableRow = RowOf<"project_variables">;

/** The variables of all projects. */
export function variablesOfAccount(reads: Reads, accountSeq: number): Promise<VariableRow[]> {
  return reads.all("SELECT * FROM project_variables WHERE account_seq = ? ORDER BY project, seq", [accountSeq]);
}
