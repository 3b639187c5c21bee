import type { Reads } from "../../../platform/storage/storage.ts";
import type { RowOf } from "../../../platform/storage/tables.ts";

export type ExportRow = RowOf<"exports">;

export interface ExportOfAccount extends ExportRow {
  account_id: string;
  account_name: string;
}

/** All exports of the installation that are enabled. */
export function enabledExports(reads: Reads): Promise<ExportOfAccount[]> {
  return reads.all(
    `SELECT exports.*, accounts.id AS account_id, accounts.name AS account_name
      FROM exports JOIN accounts ON accounts.seq = exports.account_seq WHERE is_enabled = 1 ORDER BY exports.seq`,
    [],
  );
}
