import type { Paging } from "../../../lib/paging.ts";
import { forUpdate, readPage } from "../../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { RowOf } from "../../../platform/storage/tables.ts";

export type ExportRow = RowOf<"exports">;

const withName = "SELECT * FROM exports WHERE account_seq = ? AND name = ?";

export function listExports(reads: Reads, accountSeq: number, paging: Paging) {
  return readPage(reads.query.selectFrom("exports").where("account_seq", "=", accountSeq), paging);
}

export function findExport(reads: Reads, accountSeq: number, name: string): Promise<ExportRow | undefined> {
  return reads.one(withName, [accountSeq, name]);
}

export function findExportForUpdate(transaction: WriteTransaction, accountSeq: number, name: string) {
  return transaction.one<ExportRow>(forUpdate(transaction, withName), [accountSeq, name]);
}

/** Locks and returns the export. Undefined if it was deleted. */
export function lockExport(transaction: WriteTransaction, seq: number): Promise<ExportRow | undefined> {
  return transaction.one(forUpdate(transaction, "SELECT * FROM exports WHERE seq = ?"), [seq]);
}

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
