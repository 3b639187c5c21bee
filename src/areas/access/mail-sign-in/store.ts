import type { Reads } from "../../../platform/storage/storage.ts";

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
