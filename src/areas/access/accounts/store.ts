import { removedAccountSeq } from "../../../core/database/removed-account.ts";
import type { Paging } from "../../../lib/paging.ts";
import { readPage } from "../../../platform/storage/query.ts";
import { hasRows } from "../../../platform/storage/rows.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { RowOf } from "../../../platform/storage/tables.ts";

export type AccountRow = RowOf<"accounts">;
export type TokenRow = RowOf<"tokens">;

/** Returns undefined if there is no such account. */
export function findAccount(reads: Reads, name: string): Promise<AccountRow | undefined> {
  return reads.one("SELECT * FROM accounts WHERE name = ? AND seq > ?", [name, removedAccountSeq]);
}

/** Returns undefined if the account was deleted. */
export async function accountNameOf(reads: Reads, seq: number): Promise<string | undefined> {
  return (await reads.one<{ name: string }>("SELECT name FROM accounts WHERE seq = ?", [seq]))?.name;
}

export function listAccounts(reads: Reads, paging: Paging) {
  return readPage(reads.query.selectFrom("accounts").where("seq", ">", removedAccountSeq), paging);
}

/** Returns the seq if this call created the account; nodes that start together all try. */
export async function insertAccountOnce(
  transaction: WriteTransaction,
  account: Omit<AccountRow, "seq">,
): Promise<number | undefined> {
  const inserted = await transaction.query
    .insertInto("accounts")
    .values(account)
    .onConflict((conflict) => conflict.column("name").doNothing())
    .returning("seq")
    .executeTakeFirst();
  return inserted?.seq;
}

/** Whether the token exists and has not expired. */
export function tokenExists(reads: Reads, accountSeq: number, id: string, now: number): Promise<boolean> {
  const from = "FROM tokens WHERE account_seq = ? AND id = ? AND (expires_on IS NULL OR expires_on > ?)";
  return hasRows(reads, from, [accountSeq, id, now]);
}

/** Returns false if a token of that value exists. */
export async function insertTokenOnce(transaction: WriteTransaction, token: Omit<TokenRow, "seq">): Promise<boolean> {
  const inserted = await transaction.query
    .insertInto("tokens")
    .values(token)
    .onConflict((conflict) => conflict.column("hash").doNothing())
    .returning("seq")
    .executeTakeFirst();
  return inserted !== undefined;
}

export function recordTokenUse(transaction: WriteTransaction, { seq, id }: { seq: number; id: string }, time: number) {
  const isLater = "(last_used_on IS NULL OR last_used_on < ?)";
  const sql = `UPDATE tokens SET last_used_on = ? WHERE seq = ? AND id = ? AND ${isLater}`;
  return transaction.run(sql, [time, seq, id, time]);
}

export interface CredentialRow {
  seq: number;
  id: string;
  role: string;
  name: string | null;
  expires_on: number | null;
  scope: string | null;
  account_seq: number;
  account_id: string;
  account_name: string;
}

const credentialOf = `
  SELECT tokens.seq, tokens.id, tokens.role, tokens.name, tokens.expires_on, tokens.scope,
    accounts.seq AS account_seq, accounts.id AS account_id, accounts.name AS account_name
  FROM tokens JOIN accounts ON accounts.seq = tokens.account_seq WHERE tokens.hash = ?`;

/** Returns the holder of the token with this hash. */
export function findCredential(reads: Reads, hash: Buffer): Promise<CredentialRow | undefined> {
  return reads.one(credentialOf, [hash]);
}
