import type { SelectQueryBuilder } from "kysely";
import { reversedSuffix } from "../../core/database/reversed-suffix.ts";
import type { Paging } from "../../lib/paging.ts";
import { prefixRange } from "../../lib/prefix-range.ts";
import { countList, findPosition } from "../../platform/storage/counted-lists.ts";
import { sql } from "../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../platform/storage/storage.ts";
import type { Tables } from "../../platform/storage/tables.ts";
import type { TagFilter } from "../buckets/consumer-address.ts";
import { conditionsOf, type KeyFilter } from "./filter.ts";
import { grantsOf } from "./permissions.ts";
import { disabledKeyList, type KeyRow, keyList } from "./store.ts";

export interface BucketKeys {
  seq: number;
  id: string;
}

export interface ListedKeyRow extends KeyRow {
  consumer_id: string;
  consumer_name: string;
}

/** Up to so many matches are found by the filter's index and sorted; more are met soon enough in the order of keys. */
const fewMatches = 20_000;

type Keys = SelectQueryBuilder<Tables, "api_keys", object>;
type Walk = "by index" | "in order";

/** In the order of creation. */
export async function listFilteredKeys(
  reads: Reads,
  bucket: BucketKeys,
  filter: KeyFilter,
  { limit, offset }: Paging,
): Promise<{ data: ListedKeyRow[]; total: number }> {
  if (conditionsOf(filter).length === 0) {
    const { total, fromSeq, skip } = await findPosition(reads, bucket.id, keyList, offset);
    if (offset >= total) return { data: [], total };
    const seqs = matching(reads, bucket, filter, "in order").where("seq", ">=", fromSeq).orderBy("seq");
    return { data: await listed(reads, seqs.limit(limit).offset(skip)), total };
  }
  const total = await countMatches(reads, bucket, filter);
  if (offset >= total) return { data: [], total };
  const walk = total <= fewMatches ? "by index" : "in order";
  const seqs = matching(reads, bucket, filter, walk).orderBy(walk === "in order" ? sql`seq` : sql`+seq`);
  return { data: await listed(reads, seqs.limit(limit).offset(offset)), total };
}

export async function countMatches(reads: Reads, bucket: BucketKeys, filter: KeyFilter): Promise<number> {
  const conditions = conditionsOf(filter);
  if (conditions.length === 0) return countList(reads, bucket.id, keyList);
  if (conditions.length === 1 && filter.enabled !== undefined) {
    const disabled = await countList(reads, bucket.id, disabledKeyList);
    return filter.enabled ? (await countList(reads, bucket.id, keyList)) - disabled : disabled;
  }
  const counted = matching(reads, bucket, filter, "by index").select(({ fn }) => fn.countAll<number>().as("total"));
  return (await counted.executeTakeFirstOrThrow()).total;
}

/** At most so many after a position, with a later write of the same transaction in mind. */
export async function matchesAfter(
  transaction: WriteTransaction,
  bucket: BucketKeys,
  filter: KeyFilter,
  range: { after: number; limit: number; madeUntil: number; walk: Walk },
): Promise<KeyRow[]> {
  const found = matching(transaction, bucket, filter, range.walk)
    .selectAll()
    .where("seq", ">", range.after)
    .where(sql<boolean>`+created_on <= ${range.madeUntil}`)
    .orderBy(range.walk === "in order" ? sql`seq` : sql`+seq`)
    .limit(range.limit);
  return (transaction.locksRows ? found.forNoKeyUpdate() : found).execute();
}

export function keysWithIds(transaction: WriteTransaction, bucket: BucketKeys, ids: string[]): Promise<KeyRow[]> {
  const found = transaction.query
    .selectFrom("api_keys")
    .selectAll()
    .where("bucket_seq", "=", bucket.seq)
    .where("id", "in", ids)
    .orderBy("seq");
  return (transaction.locksRows ? found.forNoKeyUpdate() : found).execute();
}

export async function seqsWithIds(reads: Reads, bucket: BucketKeys, ids: string[]): Promise<number[]> {
  const rows = await reads.query
    .selectFrom("api_keys")
    .select("seq")
    .where("bucket_seq", "=", bucket.seq)
    .where("id", "in", ids)
    .orderBy("seq")
    .execute();
  return rows.map(({ seq }) => seq);
}

/** With whose they are. */
export function listedKeys(reads: Reads, seqs: number[]): Promise<ListedKeyRow[]> {
  if (seqs.length === 0) return Promise.resolve([]);
  return reads.query
    .selectFrom("api_keys")
    .innerJoin("consumers", "consumers.seq", "api_keys.consumer_seq")
    .selectAll("api_keys")
    .select(["consumers.id as consumer_id", "consumers.name as consumer_name"])
    .where("api_keys.seq", "in", seqs)
    .orderBy("api_keys.seq")
    .execute();
}

async function listed(reads: Reads, seqs: Keys): Promise<ListedKeyRow[]> {
  const rows = await seqs.select("seq").execute();
  return listedKeys(
    reads,
    rows.map(({ seq }) => seq),
  );
}

/**
 * What fits the filter. SQLite plans without statistics, so the walk is chosen here: "by index" names columns bare, so that
 * their indexes lead; "in order" hides them behind a plus sign and in correlated subqueries, so that only the order leads.
 */
function matching(reads: Reads, bucket: BucketKeys, filter: KeyFilter, walk: Walk): Keys {
  const isByIndex = walk === "by index";
  const hidden = isByIndex ? sql`` : sql`+`;
  let keys: Keys = reads.query.selectFrom("api_keys").where("bucket_seq", "=", bucket.seq);
  const { unusedSince, neverUsed, expiresBefore, createdBefore, enabled, permission, suffix } = filter;
  if (suffix !== undefined) {
    const reversed = sql<string>`(${sql.raw(reversedSuffix)})`;
    const { from, before } = prefixRange([...suffix].reverse().join(""));
    keys = keys.where(reversed, ">=", from).where(reversed, "<", before!);
  }
  if (unusedSince !== undefined)
    keys = keys.where(
      sql<boolean>`(${hidden}last_used_on < ${unusedSince} OR (${hidden}last_used_on IS NULL AND ${hidden}created_on < ${unusedSince}))`,
    );
  if (neverUsed !== undefined)
    keys = keys.where(
      neverUsed ? sql<boolean>`${hidden}last_used_on IS NULL` : sql<boolean>`${hidden}last_used_on IS NOT NULL`,
    );
  if (expiresBefore !== undefined)
    keys = keys.where(sql<boolean>`expires_on IS NOT NULL AND ${hidden}expires_on < ${expiresBefore}`);
  if (createdBefore !== undefined) keys = keys.where(sql<boolean>`${hidden}created_on < ${createdBefore}`);
  if (enabled !== undefined) keys = keys.where(sql<boolean>`is_enabled = ${sql.lit(enabled ? 1 : 0)}`);
  if (permission !== undefined) keys = withPermission(keys, bucket, permission, isByIndex);
  for (const tag of filter.tags) keys = withTag(keys, bucket, tag, isByIndex);
  return keys;
}

function withPermission(keys: Keys, bucket: BucketKeys, permission: string, isByIndex: boolean): Keys {
  const granted = grantsOf(permission);
  if (isByIndex)
    return keys.where("seq", "in", (eb) =>
      eb
        .selectFrom("key_permissions")
        .select("key_seq")
        .where("key_permissions.bucket_seq", "=", bucket.seq)
        .where("permission", "in", granted),
    );
  return keys.where(({ exists, selectFrom }) =>
    exists(
      selectFrom("key_permissions")
        .select("key_seq")
        .where("key_permissions.bucket_seq", "=", bucket.seq)
        .where("permission", "in", granted)
        .whereRef("key_seq", "=", "api_keys.seq"),
    ),
  );
}

function withTag(keys: Keys, bucket: BucketKeys, tag: TagFilter[number], isByIndex: boolean): Keys {
  if (isByIndex)
    return keys.where("consumer_seq", "in", (eb) =>
      eb
        .selectFrom("consumer_tags")
        .select("consumer_tags.consumer_seq")
        .where("consumer_tags.bucket_seq", "=", bucket.seq)
        .where("name", "=", tag.name)
        .where("value", "=", tag.value),
    );
  return keys.where(({ exists, selectFrom }) =>
    exists(
      selectFrom("consumer_tags")
        .select("consumer_tags.consumer_seq")
        .where("consumer_tags.bucket_seq", "=", bucket.seq)
        .where("name", "=", tag.name)
        .where("value", "=", tag.value)
        .whereRef("consumer_tags.consumer_seq", "=", "api_keys.consumer_seq"),
    ),
  );
}
