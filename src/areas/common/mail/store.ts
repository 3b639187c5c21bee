import type { Paging } from "../../../lib/paging.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { ChangesOf, RowOf } from "../../../platform/storage/tables.ts";

export type MailRow = RowOf<"mails">;

/** The mail of these kinds that is due first. */
export function findDueMail(transaction: WriteTransaction, kinds: string[], now: number): Promise<MailRow | undefined> {
  const sql = `SELECT * FROM mails WHERE state = 'queued' AND due_on <= ? AND kind IN (${kinds.map(() => "?").join(", ")})
    ORDER BY due_on, seq LIMIT 1`;
  return transaction.one(sql, [now, ...kinds]);
}

export async function updateMail(transaction: WriteTransaction, seq: number, values: ChangesOf<"mails">) {
  await transaction.query.updateTable("mails").set(values).where("seq", "=", seq).execute();
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

export async function deleteMail(transaction: WriteTransaction, seq: number): Promise<void> {
  await transaction.run("DELETE FROM mails WHERE seq = ?", [seq]);
}

const ofAccount = `(account_seq = ? OR (account_seq IS NULL AND person_seq IN (
  SELECT person_seq FROM members WHERE members.account_seq = ? AND members.state = 'active'
)))`;

/** Mail in the name of an account, and to its members, the newest first. */
export async function listMails(reads: Reads, accountSeq: number, { limit, offset }: Paging) {
  const data = await reads.all<MailRow>(`SELECT * FROM mails WHERE ${ofAccount} ORDER BY seq DESC LIMIT ? OFFSET ?`, [
    accountSeq,
    accountSeq,
    limit,
    offset,
  ]);
  const count = await reads.one<{ total: number }>(`SELECT count(*) AS total FROM mails WHERE ${ofAccount}`, [
    accountSeq,
    accountSeq,
  ]);
  return { data, total: Number(count!.total) };
}

/**
 * Removes at most `rows` mails that ended or expired before a time, and returns the number. Without a mail server nothing
 * ends, but expires.
 */
export async function removeEndedMails(transaction: WriteTransaction, before: number, rows: number): Promise<number> {
  const removed = await transaction.all(
    "DELETE FROM mails WHERE seq IN (SELECT seq FROM mails WHERE ended_on < ? OR expires_on < ? ORDER BY seq LIMIT ?) RETURNING seq",
    [before, before, rows],
  );
  return removed.length;
}
