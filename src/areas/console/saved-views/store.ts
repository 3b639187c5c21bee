import type { Paging } from "../../../lib/paging.ts";
import { forUpdate, readPage } from "../../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { RowOf } from "../../../platform/storage/tables.ts";

export type ViewRow = RowOf<"views">;

const viewWithId = "SELECT * FROM views WHERE account_seq = ? AND id = ?";

export function listViews(reads: Reads, accountSeq: number, paging: Paging) {
  return readPage(reads.query.selectFrom("views").where("account_seq", "=", accountSeq), paging);
}

export function findView(reads: Reads, accountSeq: number, id: string): Promise<ViewRow | undefined> {
  return reads.one<ViewRow>(viewWithId, [accountSeq, id]);
}

export function findViewForUpdate(transaction: WriteTransaction, accountSeq: number, id: string) {
  return transaction.one<ViewRow>(forUpdate(transaction, viewWithId), [accountSeq, id]);
}

export function findViewNamed(reads: Reads, accountSeq: number, name: string): Promise<ViewRow | undefined> {
  return reads.one<ViewRow>("SELECT * FROM views WHERE account_seq = ? AND name = ?", [accountSeq, name]);
}
