import type { Selectable, Updateable } from "kysely";
import type { Paging } from "../../lib/paging.ts";
import { forUpdate, sql } from "../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../platform/storage/storage.ts";
import type { Tables } from "../../platform/storage/tables.ts";

export type KeyRow = Selectable<Tables["api_keys"]>;
export type NewKeyRow = Omit<KeyRow, "seq">;

export async function insertKeys(transaction: WriteTransaction, rows: NewKeyRow[]): Promise<void> {
  await transaction.insertAll("api_keys", rows);
}

/** Ids sort by creation. */
export async function listKeys(reads: Reads, consumerSeq: number, { limit, offset }: Paging) {
  const ofConsumer = reads.query.selectFrom("api_keys").where("consumer_seq", "=", consumerSeq);
  const data = await ofConsumer.selectAll().orderBy("id").limit(limit).offset(offset).execute();
  const { total } = await ofConsumer.select(({ fn }) => fn.countAll<number>().as("total")).executeTakeFirstOrThrow();
  return { data, total };
}

export function keysOfConsumers(reads: Reads, consumerSeqs: number[]): Promise<KeyRow[]> {
  return reads.query
    .selectFrom("api_keys")
    .selectAll()
    .where("consumer_seq", "in", consumerSeqs)
    .orderBy("consumer_seq")
    .orderBy("id")
    .execute();
}

const keyWithId = "SELECT * FROM api_keys WHERE consumer_seq = ? AND id = ?";

export function findKey(reads: Reads, consumerSeq: number, id: string): Promise<KeyRow | undefined> {
  return reads.one(keyWithId, [consumerSeq, id]);
}

export function findKeyForUpdate(transaction: WriteTransaction, consumerSeq: number, id: string) {
  return transaction.one<KeyRow>(forUpdate(transaction, keyWithId), [consumerSeq, id]);
}

export async function updateKey(
  transaction: WriteTransaction,
  seq: number,
  values: Updateable<Tables["api_keys"]>,
): Promise<void> {
  await transaction.query.updateTable("api_keys").set(values).where("seq", "=", seq).execute();
}

/** Returns their ids, the oldest first. */
export async function expireUnlimitedKeys(
  transaction: WriteTransaction,
  consumerSeq: number,
  expiresOn: number,
  now: number,
): Promise<string[]> {
  const rows = await transaction.query
    .updateTable("api_keys")
    .set({ expires_on: expiresOn, updated_on: now, version: sql`version + 1` })
    .where("consumer_seq", "=", consumerSeq)
    .where("expires_on", "is", null)
    .returning("id")
    .execute();
  return rows.map(({ id }) => id).sort();
}

export async function deleteKey(transaction: WriteTransaction, seq: number): Promise<void> {
  await transaction.query.deleteFrom("api_keys").where("seq", "=", seq).execute();
}

export interface KnownKeyRow {
  key_id: string;
  expires_on: number | null;
  consumer_id: string;
  consumer_name: string;
  metadata: string | null;
}

const keyWithHash = `
  SELECT api_keys.id AS key_id, api_keys.expires_on,
    consumers.id AS consumer_id, consumers.name AS consumer_name, consumers.metadata
  FROM api_keys JOIN consumers ON consumers.seq = api_keys.consumer_seq
  WHERE api_keys.bucket_seq = ? AND api_keys.hash = ?`;

/** What a gateway must know of the key with this hash. */
export function findKnownKey(reads: Reads, bucketSeq: number, hash: Buffer): Promise<KnownKeyRow | undefined> {
  return reads.one(keyWithHash, [bucketSeq, hash]);
}
