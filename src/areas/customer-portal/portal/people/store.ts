import type { Reads } from "../../../../platform/storage/storage.ts";

/** The end of the oldest of the last `count` mails of a customer, if it sent that many within their time. */
export function earlierOfConsumer(reads: Reads, consumerSeq: number, now: number, count: number) {
  const sql = `SELECT expires_on FROM portal_invite_mails WHERE consumer_seq = ? AND expires_on > ?
    ORDER BY created_on DESC LIMIT 1 OFFSET ?`;
  return reads.one<{ expires_on: number }>(sql, [consumerSeq, now, count - 1]);
}

/** The end of the oldest of the last `count` mails of a portal to a mailbox, if it got that many within their time. */
export function earlierOfMailbox(reads: Reads, portalId: string, mailbox: string, now: number, count: number) {
  const sql = `SELECT expires_on FROM portal_invite_mails WHERE portal_id = ? AND mailbox = ? AND expires_on > ?
    ORDER BY created_on DESC LIMIT 1 OFFSET ?`;
  return reads.one<{ expires_on: number }>(sql, [portalId, mailbox, now, count - 1]);
}
