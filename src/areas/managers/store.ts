import type { Selectable } from "kysely";
import type { Paging } from "../../lib/paging.ts";
import { readPage } from "../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../platform/storage/storage.ts";
import type { Tables } from "../../platform/storage/tables.ts";

export type ManagerRow = Selectable<Tables["managers"]>;
export type InviteRow = Selectable<Tables["manager_invites"]>;

type ListTable = "managers" | "manager_invites";

export function listManagers(reads: Reads, consumerSeq: number, paging: Paging) {
  const ofConsumer = reads.query.selectFrom("managers").where("consumer_seq", "=", consumerSeq);
  return readPage(ofConsumer, paging);
}

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

export function findManager(reads: Reads, consumerSeq: number, id: string): Promise<ManagerRow | undefined> {
  return reads.query
    .selectFrom("managers")
    .selectAll()
    .where("consumer_seq", "=", consumerSeq)
    .where("id", "=", id)
    .executeTakeFirst();
}

export function findInvite(reads: Reads, consumerSeq: number, id: string): Promise<InviteRow | undefined> {
  return reads.query
    .selectFrom("manager_invites")
    .selectAll()
    .where("consumer_seq", "=", consumerSeq)
    .where("id", "=", id)
    .executeTakeFirst();
}

export function findExpiredInvite(
  reads: Reads,
  consumerSeq: number,
  emailKey: string,
  now: number,
): Promise<InviteRow | undefined> {
  return reads.query
    .selectFrom("manager_invites")
    .selectAll()
    .where("consumer_seq", "=", consumerSeq)
    .where("email_key", "=", emailKey)
    .where("expires_on", "<=", now)
    .executeTakeFirst();
}

/** Returns false if it was already deleted. */
export async function deleteRow(transaction: WriteTransaction, table: ListTable, seq: number): Promise<boolean> {
  const { numDeletedRows } = await transaction.query.deleteFrom(table).where("seq", "=", seq).executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}
