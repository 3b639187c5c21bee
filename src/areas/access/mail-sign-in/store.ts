import { deleteSome, forUpdate } from "../../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { RowOf } from "../../../platform/storage/tables.ts";

export type SignInRow = RowOf<"sign_ins">;

export function findSignIn(reads: Reads, id: string): Promise<SignInRow | undefined> {
  return reads.one("SELECT * FROM sign_ins WHERE id = ?", [id]);
}

/** Locks it, so that concurrent attempts are counted one by one. */
export function findByBrowser(transaction: WriteTransaction, hash: Buffer): Promise<SignInRow | undefined> {
  return transaction.one(forUpdate(transaction, "SELECT * FROM sign_ins WHERE browser_hash = ?"), [hash]);
}

export function findByLink(transaction: WriteTransaction, hash: Buffer): Promise<SignInRow | undefined> {
  return transaction.one(forUpdate(transaction, "SELECT * FROM sign_ins WHERE link_hash = ?"), [hash]);
}

/** The oldest of the last `count` sign-ins of a mailbox, if it has that many since a time. */
export function earlierOfMailbox(reads: Reads, audience: string, emailKey: string, since: number, count: number) {
  const sql = `SELECT created_on FROM sign_ins WHERE audience = ? AND email_key = ? AND created_on > ?
    ORDER BY created_on DESC LIMIT 1 OFFSET ?`;
  return reads.one<{ created_on: number }>(sql, [audience, emailKey, since, count - 1]);
}

/** The oldest of the last `count` sign-ins of a mailbox from a client address, if it has that many since a time. */
export function earlierOfBoth(
  reads: Reads,
  { audience, mailbox, group }: { audience: string; mailbox: string; group: string },
  since: number,
  count: number,
) {
  const sql = `SELECT created_on FROM sign_ins WHERE audience = ? AND email_key = ? AND address_group = ?
    AND created_on > ? ORDER BY created_on DESC LIMIT 1 OFFSET ?`;
  return reads.one<{ created_on: number }>(sql, [audience, mailbox, group, since, count - 1]);
}

/** The oldest of the last `count` sign-ins of a client address, if it has that many since a time. */
export function earlierOfAddress(reads: Reads, addressGroup: string, since: number, count: number) {
  const sql = `SELECT created_on FROM sign_ins WHERE address_group = ? AND created_on > ?
    ORDER BY created_on DESC LIMIT 1 OFFSET ?`;
  return reads.one<{ created_on: number }>(sql, [addressGroup, since, count - 1]);
}

/** Removes at most `rows` sign-ins that expired before a time, and returns the number. */
export function removeExpired(transaction: WriteTransaction, before: number, rows: number): Promise<number> {
  return deleteSome(transaction, "sign_ins", "expires_on < ? ORDER BY seq", [before], rows);
}
