import { removedAccountSeq } from "../../../core/database/removed-account.ts";
import type { Paging } from "../../../lib/paging.ts";
import { deleteSome, forUpdate, readPage } from "../../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { RowOf } from "../../../platform/storage/tables.ts";

export type AccountRow = RowOf<"accounts">;
export type TokenRow = RowOf<"tokens">;

export function findAccount(reads: Reads, name: string): Promise<AccountRow | undefined> {
  return reads.query
    .selectFrom("accounts")
    .selectAll()
    .where("name", "=", name)
    .where("seq", ">", removedAccountSeq)
    .executeTakeFirst();
}

export function findAccountForUpdate(transaction: WriteTransaction, seq: number): Promise<AccountRow | undefined> {
  return transaction.one(forUpdate(transaction, "SELECT * FROM accounts WHERE seq = ?"), [seq]);
}

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

export function listTokens(reads: Reads, accountSeq: number, paging: Paging) {
  const ofAccount = reads.query.selectFrom("tokens").where("account_seq", "=", accountSeq);
  return readPage(ofAccount, paging);
}

export function findToken(reads: Reads, accountSeq: number, id: string): Promise<TokenRow | undefined> {
  return reads.query
    .selectFrom("tokens")
    .selectAll()
    .where("account_seq", "=", accountSeq)
    .where("id", "=", id)
    .executeTakeFirst();
}

export function tokensCreatedBy(reads: Reads, accountSeq: number, personId: string): Promise<TokenRow[]> {
  return reads.all("SELECT * FROM tokens WHERE account_seq = ? AND created_by = ? ORDER BY seq", [
    accountSeq,
    personId,
  ]);
}

/** Whether the token exists and has not expired. */
export async function tokenExists(reads: Reads, accountSeq: number, id: string, now: number): Promise<boolean> {
  const sql =
    "SELECT 1 AS found FROM tokens WHERE account_seq = ? AND id = ? AND (expires_on IS NULL OR expires_on > ?)";
  return (await reads.one(sql, [accountSeq, id, now])) !== undefined;
}

export function findTokensNamed(reads: Reads, accountSeq: number, name: string): Promise<TokenRow[]> {
  return reads.query
    .selectFrom("tokens")
    .selectAll()
    .where("account_seq", "=", accountSeq)
    .where("name", "=", name)
    .execute();
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

/** Returns false if another transaction has deleted it. */
export async function deleteToken(transaction: WriteTransaction, seq: number): Promise<boolean> {
  return (await transaction.one("DELETE FROM tokens WHERE seq = ? RETURNING seq", [seq])) !== undefined;
}

export async function recordTokenUse(
  transaction: WriteTransaction,
  token: { seq: number; id: string },
  time: number,
): Promise<void> {
  await transaction.query
    .updateTable("tokens")
    .set({ last_used_on: time })
    .where("seq", "=", token.seq)
    .where("id", "=", token.id)
    .where((where) => where.or([where("last_used_on", "is", null), where("last_used_on", "<", time)]))
    .execute();
}

/** Tokens that were exchanged for those of a trusted issuer, and have not expired. */
export function tokensOfIssuer(reads: Reads, trustedIssuerSeq: number, now: number): Promise<TokenRow[]> {
  return reads.all("SELECT * FROM tokens WHERE trusted_issuer_seq = ? AND expires_on > ? ORDER BY seq", [
    trustedIssuerSeq,
    now,
  ]);
}

/** Removes exchanged tokens that expired before a time. Returns how many. */
export function removeExchanged(transaction: WriteTransaction, before: number, rows: number): Promise<number> {
  return deleteSome(transaction, "tokens", "trusted_issuer_seq IS NOT NULL AND expires_on < ?", [before], rows);
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
