import type { Paging } from "../../../lib/paging.ts";
import { pageOf } from "../../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { RowOf } from "../../../platform/storage/tables.ts";

export type MailRow = RowOf<"mails">;

/** The mail of these kinds that is due first. */
export function findDueMail(transaction: WriteTransaction, kinds: string[], now: number): Promise<MailRow | undefined> {
  const sql = `SELECT * FROM mails WHERE state = 'queued' AND due_on <= ? AND kind IN (${kinds.map(() => "?").join(", ")})
    ORDER BY due_on, seq LIMIT 1`;
  return transaction.one(sql, [now, ...kinds]);
}

const ofAccount = `(account_seq = ? OR (account_seq IS NULL AND person_seq IN (
  SELECT person_seq FROM members WHERE members.account_seq = ? AND members.state = 'active'
)))`;

/** Mail in the name of an account, and to its members, the newest first. */
export function listMails(reads: Reads, accountSeq: number, paging: Paging) {
  const from = `FROM mails WHERE ${ofAccount}`;
  return pageOf<MailRow>(reads, `SELECT * ${from} ORDER BY seq DESC`, from, [accountSeq, accountSeq], paging);
}
