import type { Paging } from "../../../lib/paging.ts";
import { pieceSize, Slice, yieldToEventLoop } from "../../../lib/tasks/slices.ts";
import { countOf, readPage, sql } from "../../../platform/storage/query.ts";
import { findRow, lockRow } from "../../../platform/storage/rows.ts";
import { runsOf } from "../../../platform/storage/runs.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { ChangesOf, RowOf } from "../../../platform/storage/tables.ts";
import { countAdded, countRemoved, type KeyConsumer, type ListedFields } from "./key-lists.ts";
import { withLastUse } from "./key-use-store.ts";

export type KeyRow = RowOf<"api_keys">;
export type NewKeyRow = Omit<KeyRow, "seq">;

interface BucketKeys {
  seq: number;
  id: string;
}

/** Inserts keys of one locked consumer, with ascending ids. */
export async function insertKeys(
  transaction: WriteTransaction,
  bucket: BucketKeys,
  consumer: KeyConsumer,
  rows: NewKeyRow[],
): Promise<KeyRow[]> {
  const inserted = await insertWithSeq(transaction, rows);
  const slice = new Slice();
  for (const key of inserted) {
    countAdded(transaction, bucket, consumer, key);
    if (slice.isOver) await slice.next();
  }
  await insertPermissions(transaction, inserted);
  return inserted;
}

async function insertWithSeq(transaction: WriteTransaction, rows: NewKeyRow[]): Promise<KeyRow[]> {
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last) return [];
  if (rows.length === 1) return [{ ...first, seq: await transaction.insert("api_keys", first) }];
  await transaction.insertAll("api_keys", rows);
  const seqs = await transaction.all<{ seq: number }>(
    "SELECT seq FROM api_keys WHERE consumer_seq = ? AND id >= ? AND id <= ? ORDER BY id",
    [first.consumer_seq, first.id, last.id],
  );
  return rows.map((row, index) => ({ ...row, seq: seqs[index]!.seq }));
}

async function insertPermissions(transaction: WriteTransaction, keys: KeyRow[]): Promise<void> {
  const rows = keys.flatMap(({ seq, bucket_seq, permissions }) =>
    (JSON.parse(permissions ?? "[]") as string[]).map((permission) => ({ bucket_seq, permission, key_seq: seq })),
  );
  // A thousand keys may have 50,000 permissions.
  for (let from = 0; from < rows.length; from += pieceSize) {
    if (from > 0) await yieldToEventLoop();
    await transaction.insertAll("key_permissions", rows.slice(from, from + pieceSize));
  }
}

/** Replaces the stored permissions of keys, after they were changed. */
export async function replacePermissions(transaction: WriteTransaction, keys: KeyRow[]): Promise<void> {
  for (const run of runsOf(keys))
    await transaction.run(
      `DELETE FROM key_permissions WHERE key_seq IN (${run.map(() => "?").join(", ")})`,
      run.map((key) => key.seq),
    );
  await insertPermissions(transaction, keys);
}

/** The columns of a key that may be large. */
export const largeKeyColumns = ["description", "permissions", "allowed_ips", "metadata"] as const;

/** By creation. Ids need not be in that order: clocks of nodes differ. */
export async function listKeys(reads: Reads, consumerSeq: number, paging: Paging) {
  const ofConsumer = reads.query.selectFrom("api_keys").where("consumer_seq", "=", consumerSeq);
  const { data, total } = await readPage(ofConsumer, paging, { large: largeKeyColumns });
  return { data: await withLastUse(reads, data), total };
}

/** By consumer, the oldest key first, in pages: a consumer may have tens of thousands. */
export async function* keysOfConsumers(reads: Reads, consumerSeqs: number[]): AsyncGenerator<KeyRow[]> {
  let left = consumerSeqs;
  let last: { consumer_seq: number; seq: number } | undefined;
  while (left.length > 0) {
    let rest = reads.query.selectFrom("api_keys").selectAll().where("consumer_seq", "in", left);
    if (last) rest = rest.where(sql<boolean>`(consumer_seq, seq) > (${last.consumer_seq}, ${last.seq})`);
    const rows = await rest.orderBy("consumer_seq").orderBy("seq").limit(pieceSize).execute();
    yield await withLastUse(reads, rows);
    if (rows.length < pieceSize) return;
    const { consumer_seq, seq } = rows.at(-1)!;
    last = { consumer_seq, seq };
    left = left.filter((each) => each >= consumer_seq);
    await yieldToEventLoop();
  }
}

export function countUnexpired(reads: Reads, consumerSeq: number, now: number): Promise<number> {
  const from = "FROM api_keys WHERE consumer_seq = ? AND (expires_on IS NULL OR expires_on > ?)";
  return countOf(reads, from, [consumerSeq, now]);
}

/** The newest valid key of a consumer, else its newest key. */
export function findModelKey(reads: Reads, consumerSeq: number, now: number): Promise<KeyRow | undefined> {
  return reads.one(
    `SELECT * FROM api_keys WHERE consumer_seq = ?
      ORDER BY CASE WHEN is_enabled = 1 AND (expires_on IS NULL OR expires_on > ?) THEN 0 ELSE 1 END, seq DESC LIMIT 1`,
    [consumerSeq, now],
  );
}

/** Returns a key with its last use. Undefined if the row is. */
export async function keyWithLastUse(reads: Reads, row: Promise<KeyRow | undefined>): Promise<KeyRow | undefined> {
  const found = await row;
  return found && (await withLastUse(reads, [found]))[0];
}

/** A key by the hash of its value, locked, with its bucket and its consumer. */
export async function findLeakedKey(transaction: WriteTransaction, bucketSeq: number, hash: Uint8Array) {
  const key = await lockRow(transaction, "api_keys", { bucket_seq: bucketSeq, hash });
  if (!key) return undefined;
  const bucket = await findRow(transaction, "key_buckets", { seq: bucketSeq });
  const consumer = await findRow(transaction, "consumers", { seq: key.consumer_seq });
  return bucket && consumer && { key, bucket, consumer };
}

/** Keys that are marked as leaked, with the names of their consumers and buckets. */
export function findLeakedKeys(
  reads: Reads,
  accountSeq: number,
  ids: string[],
): Promise<(KeyRow & { consumer_name: string; bucket_name: string })[]> {
  return reads.all(
    `SELECT api_keys.*, consumers.name AS consumer_name, key_buckets.name AS bucket_name
    FROM key_buckets JOIN api_keys ON api_keys.bucket_seq = key_buckets.seq
    JOIN consumers ON consumers.seq = api_keys.consumer_seq
    WHERE key_buckets.account_seq = ? AND api_keys.id IN (${ids.map(() => "?").join(", ")}) AND api_keys.leak IS NOT NULL
    ORDER BY api_keys.seq`,
    [accountSeq, ...ids],
  );
}

/** Returns the keys, the oldest first. */
export async function expireUnlimitedKeys(
  transaction: WriteTransaction,
  consumerSeq: number,
  expiresOn: number,
  now: number,
): Promise<KeyRow[]> {
  const rows = await transaction.query
    .updateTable("api_keys")
    .set({ expires_on: expiresOn, updated_on: now, version: sql`version + 1` })
    .where("consumer_seq", "=", consumerSeq)
    .where("expires_on", "is", null)
    .returningAll()
    .execute();
  return rows.sort((one, other) => one.seq - other.seq);
}

export async function deleteKey(
  transaction: WriteTransaction,
  bucket: BucketKeys,
  consumer: KeyConsumer,
  key: KeyRow,
): Promise<void> {
  await transaction.query.deleteFrom("api_keys").where("seq", "=", key.seq).execute();
  countRemoved(transaction, bucket, consumer, key);
}

/** Increments the version of each key. */
export async function updateKeys(
  transaction: WriteTransaction,
  keys: KeyRow[],
  values: ChangesOf<"api_keys">,
): Promise<void> {
  const seqs = keys.map(({ seq }) => seq);
  const update = transaction.query.updateTable("api_keys").set({ ...values, version: sql`version + 1` });
  await update.where("seq", "in", seqs).execute();
}

/** Keys of any consumers. */
export async function deleteKeys(transaction: WriteTransaction, bucket: BucketKeys, keys: KeyRow[]): Promise<void> {
  const consumers = await lockConsumers(transaction, keys);
  const seqs = keys.map(({ seq }) => seq);
  await transaction.query.deleteFrom("api_keys").where("seq", "in", seqs).execute();
  for (const key of keys) countRemoved(transaction, bucket, consumers.get(key.consumer_seq)!, key);
}

/** Locked, so that no concurrent change of their tags counts the keys. */
async function lockConsumers(transaction: WriteTransaction, keys: KeyRow[]): Promise<Map<number, KeyConsumer>> {
  const seqs = [...new Set(keys.map(({ consumer_seq }) => consumer_seq))];
  const consumers = transaction.query.selectFrom("consumers").select(["seq", "tags"]).where("seq", "in", seqs);
  const rows = await (transaction.locksRows ? consumers.orderBy("seq").forShare() : consumers).execute();
  return new Map(rows.map((consumer) => [consumer.seq, consumer]));
}

/** Deletes the keys of a consumer that is being deleted: a cascade would not update the counts. */
export async function deleteKeysOf(transaction: WriteTransaction, bucket: BucketKeys, consumer: KeyConsumer) {
  for (;;) {
    const deleted = await transaction.all<ListedFields>(
      `DELETE FROM api_keys WHERE seq IN (SELECT seq FROM api_keys WHERE consumer_seq = ? LIMIT ${deletedAtOnce})
        RETURNING seq, is_enabled, permissions`,
      [consumer.seq],
    );
    for (const key of deleted) countRemoved(transaction, bucket, consumer, key);
    if (deleted.length < deletedAtOnce) return;
    await yieldToEventLoop();
  }
}

/** Keys may have up to 50 permissions each. */
const deletedAtOnce = 100;

export interface KnownKeyRow {
  key_seq: number;
  key_id: string;
  expires_on: number | null;
  is_enabled: number;
  permissions: string | null;
  allowed_ips: string | null;
  rate_limit: string | null;
  /** A later use may be in `key_uses`. */
  last_used_on: number | null;
  consumer_id: string;
  consumer_name: string;
  metadata: string | null;
  is_suspended: number;
}

const keysWithHashes = (places: string) => `
  SELECT api_keys.bucket_seq, api_keys.hash, api_keys.seq AS key_seq, api_keys.id AS key_id, api_keys.expires_on, api_keys.is_enabled, api_keys.permissions,
    api_keys.allowed_ips, api_keys.rate_limit, api_keys.last_used_on,
    consumers.id AS consumer_id, consumers.name AS consumer_name, consumers.metadata, consumers.is_suspended
  FROM api_keys JOIN consumers ON consumers.seq = api_keys.consumer_seq
  WHERE (api_keys.bucket_seq, api_keys.hash) IN (SELECT column1, column2 FROM ${places} AS places)`;

/** Returns the data that a gateway needs of the keys with these hashes, in the same order. */
export async function findKnownKeys(
  reads: Reads,
  places: { bucketSeq: number; hash: Buffer }[],
): Promise<(KnownKeyRow | undefined)[]> {
  const placeOf = (bucketSeq: number, hash: Uint8Array) => `${bucketSeq} ${Buffer.from(hash).toString("hex")}`;
  const found = new Map<string, KnownKeyRow>();
  const wanted = places.map(({ bucketSeq, hash }) => [bucketSeq, hash]);
  for (const { sql, parameters } of reads.tablesOf(["bigint", "bytea"], wanted)) {
    type Row = KnownKeyRow & { bucket_seq: number; hash: Uint8Array };
    for (const row of await reads.all<Row>(keysWithHashes(sql), parameters))
      found.set(placeOf(row.bucket_seq, row.hash), row);
  }
  return places.map(({ bucketSeq, hash }) => found.get(placeOf(bucketSeq, hash)));
}
