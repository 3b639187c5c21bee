import type { Paging } from "../../../lib/paging.ts";
import { deleteSome, pageOf } from "../../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { ChangesOf, RowOf } from "../../../platform/storage/tables.ts";

export type MailRow = RowOf<"mails">;

/** The mail of these kinds that is due first. */
export function findDueMail(transaction: WriteTransaction, kinds: string[], now: number): Promise<MailRow | undefined> {
  const sql = `SELECT * FROM mails WHERE state = 'queued' AND due_on <= ? AND kind IN (${kinds.map(() => "?").join(", ")})
    ORDER BY due_on, seq LIMIT 1`;
  return transaction.one(sql, [now, ...kinds]);
}

/** Records the outcome of an attempt, unless another node has taken over. */
export async function finishMailAttempt(
  transaction: WriteTransaction,
  { seq, lease }: { seq: number; lease: string },
  values: ChangesOf<"mails">,
): Promise<void> {
  await transaction.query
    .updateTable("mails")
    .set({ ...values, lease: null })
    .where("seq", "=", seq)
    .where("lease", "=", lease)
    .execute();
}

const ofAccount = `(account_seq = ? OR (account_seq IS NULL AND person_seq IN (
  SELECT person_seq FROM members WHERE members.account_seq = ? AND members.state = 'active'
)))`;

/** Mail in the name of an account, and to its members, the newest first. */
export function listMails(reads: Reads, accountSeq: number, paging: Paging) {
  const from = `FROM mails WHERE ${ofAccount}`;
  return pageOf<MailRow>(reads, `SELECT * ${from} ORDER BY seq DESC`, from, [accountSeq, accountSeq], paging);
}

/**
 * Removes at most `rows` mails that ended or expired before a time, and returns the number. Without a mail server nothing
 * ends, but expires.
 */
export function removeEndedMails(transaction: WriteTransaction, before: number, rows: number): Promise<number> {
  return deleteSome(transaction, "mails", "ended_on < ? OR expires_on < ? ORDER BY seq", [before, before], rows);
}
