import type { Paging } from "../../../lib/paging.ts";
import { countOf, readPage } from "../../../platform/storage/query.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import type { RowOf } from "../../../platform/storage/tables.ts";

export type ManagerRow = RowOf<"managers">;
export type InviteRow = RowOf<"manager_invites">;

type ListTable = "managers" | "manager_invites";

/** Invites that have not expired. */
export function listInvites(reads: Reads, consumerSeq: number, now: number, paging: Paging) {
  const open = reads.query
    .selectFrom("manager_invites")
    .where("consumer_seq", "=", consumerSeq)
    .where("expires_on", ">", now);
  return readPage(open, paging);
}

export function managersOfConsumers(reads: Reads, consumerSeqs: number[]): Promise<ManagerRow[]> {
  return reads.query
    .selectFrom("managers")
    .selectAll()
    .where("consumer_seq", "in", consumerSeqs)
    .orderBy("seq")
    .execute();
}

/** Invites that have not expired. */
export function invitesOfConsumers(reads: Reads, consumerSeqs: number[], now: number): Promise<InviteRow[]> {
  return reads.query
    .selectFrom("manager_invites")
    .selectAll()
    .where("consumer_seq", "in", consumerSeqs)
    .where("expires_on", ">", now)
    .orderBy("seq")
    .execute();
}

/** A manager or an invite with its consumer. */
export type OfConsumer<Row> = Row & { consumer_id: string; consumer_name: string; consumer_tags: string | null };

const withConsumer = (table: ListTable) =>
  `SELECT ${table}.*, consumers.id AS consumer_id, consumers.name AS consumer_name, consumers.tags AS consumer_tags
    FROM ${table} JOIN consumers ON consumers.seq = ${table}.consumer_seq AND consumers.bucket_seq = ${table}.bucket_seq`;

/** A person may manage several consumers of a bucket. */
export function managersOfMailbox(reads: Reads, bucketSeq: number, mailbox: string): Promise<OfConsumer<ManagerRow>[]> {
  const sql = `${withConsumer("managers")} WHERE managers.bucket_seq = ? AND managers.email_key = ?
    ORDER BY managers.seq`;
  return reads.all(sql, [bucketSeq, mailbox]);
}

/** Managers with this `sub` that no other issuer has confirmed. */
export function managersOfSubject(
  reads: Reads,
  bucketSeq: number,
  sub: string,
  issuer: string,
): Promise<OfConsumer<ManagerRow>[]> {
  const sql = `${withConsumer("managers")} WHERE managers.bucket_seq = ? AND managers.sub = ?
    AND (managers.issuer IS NULL OR managers.issuer = ?) ORDER BY managers.seq`;
  return reads.all(sql, [bucketSeq, sub, issuer]);
}

/** Invites that have not expired. */
export function invitesOfMailbox(
  reads: Reads,
  bucketSeq: number,
  mailbox: string,
  now: number,
): Promise<OfConsumer<InviteRow>[]> {
  const sql = `${withConsumer("manager_invites")} WHERE manager_invites.bucket_seq = ? AND manager_invites.email_key = ?
    AND manager_invites.expires_on > ? ORDER BY manager_invites.seq`;
  return reads.all(sql, [bucketSeq, mailbox, now]);
}

export function countUnlimited(reads: Reads, consumerSeq: number): Promise<number> {
  return countOf(reads, "FROM managers WHERE consumer_seq = ? AND scopes IS NULL", [consumerSeq]);
}

export function findExpiredInvite(
  reads: Reads,
  consumerSeq: number,
  emailKey: string,
  now: number,
): Promise<InviteRow | undefined> {
  const sql = "SELECT * FROM manager_invites WHERE consumer_seq = ? AND email_key = ? AND expires_on <= ?";
  return reads.one(sql, [consumerSeq, emailKey, now]);
}
