import type { Selectable } from "kysely";
import type { Paging } from "../../lib/paging.ts";
import { readPage } from "../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../platform/storage/storage.ts";
import type { Tables } from "../../platform/storage/tables.ts";

export type SessionRow = Selectable<Tables["sessions"]>;

export function findByHash(reads: Reads, hash: Buffer): Promise<SessionRow | undefined> {
  return reads.query.selectFrom("sessions").selectAll().where("hash", "=", hash).executeTakeFirst();
}

export function findSession(reads: Reads, tokenId: string, id: string): Promise<SessionRow | undefined> {
  return reads.query
    .selectFrom("sessions")
    .selectAll()
    .where("token_id", "=", tokenId)
    .where("id", "=", id)
    .executeTakeFirst();
}

/** Sessions that have not ended, in the order of creation. */
export function listSessions(reads: Reads, tokenId: string, live: Live, paging: Paging) {
  const ofToken = reads.query
    .selectFrom("sessions")
    .where("token_id", "=", tokenId)
    .where("expires_on", ">", live.now)
    .where("last_used_on", ">", live.usedAfter);
  return readPage(ofToken, paging);
}

export interface Live {
  now: number;
  /** A session that was last used at this time or before has expired. */
  usedAfter: number;
}

/** Returns the sessions of a token beyond the newest so many. */
export function findExcessSessions(reads: Reads, tokenId: string, max: number): Promise<SessionRow[]> {
  return reads.query
    .selectFrom("sessions")
    .selectAll()
    .where("token_id", "=", tokenId)
    .orderBy("seq", "desc")
    .limit(10)
    .offset(max)
    .execute();
}

export async function deleteSession(transaction: WriteTransaction, seq: number): Promise<void> {
  await transaction.query.deleteFrom("sessions").where("seq", "=", seq).execute();
}

export async function recordUse(transaction: WriteTransaction, hash: Buffer, time: number): Promise<void> {
  await transaction.query
    .updateTable("sessions")
    .set({ last_used_on: time })
    .where("hash", "=", hash)
    .where("last_used_on", "<", time)
    .execute();
}

export async function deleteEnded(transaction: WriteTransaction, { now, usedAfter }: Live, rows: number) {
  const ended = await transaction.query
    .selectFrom("sessions")
    .select("seq")
    .where((where) => where.or([where("expires_on", "<=", now), where("last_used_on", "<=", usedAfter)]))
    .limit(rows)
    .execute();
  const seqs = ended.map(({ seq }) => seq);
  if (seqs.length > 0) await transaction.query.deleteFrom("sessions").where("seq", "in", seqs).execute();
  return seqs.length;
}

/** Null for the operator's token, which is not stored. */
export async function findTokenSeq(reads: Reads, hash: Buffer): Promise<number | null> {
  const token = await reads.query.selectFrom("tokens").select("seq").where("hash", "=", hash).executeTakeFirst();
  return token?.seq ?? null;
}
