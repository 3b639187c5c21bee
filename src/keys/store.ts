import type { Selectable, Updateable } from "kysely";
import type { Paging } from "../lib/paging.ts";
import { forUpdate, sql } from "../storage/query.ts";
import type { Reads, WriteTransaction } from "../storage/storage.ts";
import type { Tables } from "../storage/tables.ts";

export type KeyRow = Selectable<Tables["api_keys"]>;
export type NewKeyRow = Omit<KeyRow, "seq">;

export async function insertKeys(transaction: WriteTransaction, rows: NewKeyRow[]): Promise<void> {
  await transaction.insertAll("api_keys", rows);
}

export async function listKeys(reads: Reads, consumerSeq: number, { limit, offset }: Paging) {
  const ofConsumer = reads.query.selectFrom("api_keys").where("consumer_seq", "=", consumerSeq);
  const data = await ofConsumer.selectAll().orderBy("seq").limit(limit).offset(offset).execute();
  const { total } = await ofConsumer.select(({ fn }) => fn.countAll<number>().as("total")).executeTakeFirstOrThrow();
  return { data, total };
}

export function keysOfConsumers(reads: Reads, consumerSeqs: number[]): Promise<KeyRow[]> {
  return reads.query
    .selectFrom("api_keys")
    .selectAll()
    .where("consumer_seq", "in", consumerSeqs)
    .orderBy("seq")
    .execute();
}

export function findKey(reads: Reads, consumerSeq: number, id: string): Promise<KeyRow | undefined> {
  return byId(reads, consumerSeq, id).executeTakeFirst();
}

export function findKeyForUpdate(transaction: WriteTransaction, consumerSeq: number, id: string) {
  return forUpdate(transaction, byId(transaction, consumerSeq, id)).executeTakeFirst();
}

function byId(reads: Reads, consumerSeq: number, id: string) {
  return reads.query.selectFrom("api_keys").selectAll().where("id", "=", id).where("consumer_seq", "=", consumerSeq);
}

export async function updateKey(
  transaction: WriteTransaction,
  seq: number,
  values: Updateable<Tables["api_keys"]>,
): Promise<void> {
  await transaction.query.updateTable("api_keys").set(values).where("seq", "=", seq).execute();
}

export async function expireUnlimitedKeys(
  transaction: WriteTransaction,
  consumerSeq: number,
  expiresOn: number,
  now: number,
): Promise<void> {
  await transaction.query
    .updateTable("api_keys")
    .set({ expires_on: expiresOn, updated_on: now, version: sql`version + 1` })
    .where("consumer_seq", "=", consumerSeq)
    .where("expires_on", "is", null)
    .execute();
}

export async function deleteKey(transaction: WriteTransaction, seq: number): Promise<void> {
  await transaction.query.deleteFrom("api_keys").where("seq", "=", seq).execute();
}

/** What a gateway must know of the key with this hash. */
export const knownKeyQuery = `
  SELECT api_keys.id AS key_id, api_keys.expires_on,
    consumers.id AS consumer_id, consumers.name AS consumer_name, consumers.metadata
  FROM api_keys JOIN consumers ON consumers.seq = api_keys.consumer_seq
  WHERE api_keys.bucket_seq = ? AND api_keys.hash = ?`;

export interface KnownKeyRow {
  key_id: string;
  expires_on: number | null;
  consumer_id: string;
  consumer_name: string;
  metadata: string | null;
}
