import type { Selectable } from "kysely";
import type { Paging } from "../../lib/paging.ts";
import { forUpdate, readPage } from "../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../platform/storage/storage.ts";
import type { Tables } from "../../platform/storage/tables.ts";

export type TrustedIssuerRow = Selectable<Tables["trusted_issuers"]>;

export interface IssuerOfAccount extends TrustedIssuerRow {
  account_id: string;
  account_name: string;
}

const withId = "SELECT * FROM trusted_issuers WHERE account_seq = ? AND id = ?";

export function listTrustedIssuers(reads: Reads, accountSeq: number, paging: Paging) {
  return readPage(reads.query.selectFrom("trusted_issuers").where("account_seq", "=", accountSeq), paging);
}

export function findTrustedIssuer(reads: Reads, accountSeq: number, id: string): Promise<TrustedIssuerRow | undefined> {
  return reads.one(withId, [accountSeq, id]);
}

export function findForUpdate(transaction: WriteTransaction, accountSeq: number, id: string) {
  return transaction.one<TrustedIssuerRow>(forUpdate(transaction, withId), [accountSeq, id]);
}

/** The trusted issuers of all accounts with this URL, in the order of creation. */
export function findByIssuer(reads: Reads, issuer: string): Promise<IssuerOfAccount[]> {
  return reads.all(
    `SELECT trusted_issuers.*, accounts.id AS account_id, accounts.name AS account_name
    FROM trusted_issuers JOIN accounts ON accounts.seq = trusted_issuers.account_seq
    WHERE trusted_issuers.issuer = ? ORDER BY trusted_issuers.seq`,
    [issuer],
  );
}

export function insert(transaction: WriteTransaction, row: Omit<TrustedIssuerRow, "seq">): Promise<TrustedIssuerRow> {
  return transaction.query.insertInto("trusted_issuers").values(row).returningAll().executeTakeFirstOrThrow();
}

export async function update(transaction: WriteTransaction, { seq, ...values }: TrustedIssuerRow): Promise<void> {
  await transaction.query.updateTable("trusted_issuers").set(values).where("seq", "=", seq).execute();
}

export async function remove(transaction: WriteTransaction, seq: number): Promise<void> {
  await transaction.run("DELETE FROM trusted_issuers WHERE seq = ?", [seq]);
}
