import type { SelectQueryBuilder } from "kysely";
import type { Paging } from "../../../lib/paging.ts";
import { prefixRange } from "../../../lib/text/prefix-range.ts";
import { countList, countMember, countMove, findPosition, wholeList } from "../../../platform/storage/counted-lists.ts";
import { rejectLargePage, sql } from "../../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { ChangesOf, RowOf } from "../../../platform/storage/tables.ts";
import type { TagFilter } from "../consumer-addresses/consumer-address.ts";
import { tagList, tagTexts } from "../consumer-addresses/consumer-tags.ts";
import { countRetagged } from "../keys/key-lists.ts";
import { consumersByLastUse } from "../keys/last-use-order.ts";
import { addWords, removeWords, replaceWords } from "./words-store.ts";

export type ConsumerRow = RowOf<"consumers">;

interface BucketKeys {
  seq: number;
  id: string;
}

export interface ConsumerPage {
  data: ConsumerRow[];
  total: number;
}

const largeColumns = ["description", "tags", "metadata"] as const;

export async function insertConsumer(
  transaction: WriteTransaction,
  consumer: Omit<ConsumerRow, "seq">,
): Promise<ConsumerRow> {
  const inserted = { seq: await transaction.insert("consumers", consumer), ...consumer };
  await addTags(transaction, inserted);
  await addWords(transaction, inserted);
  return inserted;
}

export function countConsumer(
  transaction: WriteTransaction,
  bucket: BucketKeys,
  consumer: ConsumerRow,
  delta: 1 | -1,
): void {
  const lists = [wholeList, ...tagTexts(consumer.tags).map(tagList)];
  const changes = lists.map((list) => ({ list, delta }));
  countMember(transaction, bucket.id, changes, consumer.seq);
}

/** Writes the row with its words, but not its tags. */
export async function updateConsumer(
  transaction: WriteTransaction,
  before: ConsumerRow,
  changed: ChangesOf<"consumers"> & { version: number },
): Promise<void> {
  await transaction.query.updateTable("consumers").set(changed).where("seq", "=", before.seq).execute();
  await replaceWords(transaction, before, { ...before, ...changed });
}

export async function replaceTags(
  transaction: WriteTransaction,
  bucket: BucketKeys,
  before: ConsumerRow,
  after: ConsumerRow,
): Promise<void> {
  await removeTags(transaction, before);
  await addTags(transaction, after);
  const [old, current] = [tagTexts(before.tags).map(tagList), tagTexts(after.tags).map(tagList)];
  countMove(transaction, bucket.id, after.seq, old, current);
  await countRetagged(transaction, bucket, after.seq, before.tags, after.tags);
}

/** Returns the numbers of resources that are deleted with a consumer. */
export async function countBelongings(reads: Reads, seq: number): Promise<Record<string, number>> {
  const found = await reads.one<{ keys: number; managers: number; invites: number }>(
    `SELECT (SELECT count(*) FROM api_keys WHERE consumer_seq = ?) AS keys,
      (SELECT count(*) FROM managers WHERE consumer_seq = ?) AS managers,
      (SELECT count(*) FROM manager_invites WHERE consumer_seq = ?) AS invites`,
    [seq, seq, seq],
  );
  return { keys: found!.keys, managers: found!.managers, managerInvites: found!.invites };
}

export async function deleteConsumer(transaction: WriteTransaction, consumer: ConsumerRow): Promise<void> {
  await removeTags(transaction, consumer);
  await removeWords(transaction, consumer);
  await transaction.query.deleteFrom("consumers").where("seq", "=", consumer.seq).execute();
}

async function addTags(transaction: WriteTransaction, consumer: ConsumerRow): Promise<void> {
  const rows = tagTexts(consumer.tags).map(({ name, value }) => ({
    bucket_seq: consumer.bucket_seq,
    name,
    value,
    consumer_seq: consumer.seq,
  }));
  await transaction.insertAll("consumer_tags", rows);
}

async function removeTags(transaction: WriteTransaction, consumer: ConsumerRow): Promise<void> {
  for (const { name, value } of tagTexts(consumer.tags)) {
    await transaction.query
      .deleteFrom("consumer_tags")
      .where("bucket_seq", "=", consumer.bucket_seq)
      .where("name", "=", name)
      .where("value", "=", value)
      .where("consumer_seq", "=", consumer.seq)
      .execute();
  }
}

export interface ConsumerFilter {
  tags: TagFilter;
  /** In lower case. */
  managerEmailKey: string | undefined;
  namePrefix: string | undefined;
  /** Only consumers with one of these names. */
  names?: string[] | undefined;
  /** Invites that have expired by then are ignored. */
  now: number;
}

export async function listConsumers(
  reads: Reads,
  bucket: BucketKeys,
  filter: ConsumerFilter,
  paging: Paging,
): Promise<ConsumerPage> {
  if (filter.names !== undefined) return listNamed(reads, bucket, filter.names, paging);
  if (filter.namePrefix !== undefined && filter.namePrefix !== "")
    return listByName(reads, bucket, filter, filter.namePrefix, paging);
  if (filter.managerEmailKey === undefined && filter.tags.length === 0) return listAll(reads, bucket, paging);
  if (filter.managerEmailKey === undefined && filter.tags.length === 1)
    return listByTag(reads, bucket, filter.tags[0]!, paging);
  return listBySeveral(reads, bucket, filter, paging);
}

async function listAll(reads: Reads, bucket: BucketKeys, { limit, offset }: Paging): Promise<ConsumerPage> {
  const { total, fromSeq, skip } = await findPosition(reads, bucket.id, wholeList, offset);
  if (offset >= total) return { data: [], total };
  const page = reads.query
    .selectFrom("consumers")
    .where("bucket_seq", "=", bucket.seq)
    .where("seq", ">=", fromSeq)
    .orderBy("seq")
    .limit(limit)
    .offset(skip);
  await rejectLargePage(page, limit, largeColumns);
  return { data: await page.selectAll().execute(), total };
}

async function listNamed(
  reads: Reads,
  bucket: BucketKeys,
  names: string[],
  { limit, offset }: Paging,
): Promise<ConsumerPage> {
  const seqs = await reads.query
    .selectFrom("consumers")
    .select("seq")
    .where("bucket_seq", "=", bucket.seq)
    .where("name", "in", names)
    .execute();
  const page = seqs.sort((one, other) => one.seq - other.seq).slice(offset, offset + limit);
  return { data: await consumersOf(reads, page), total: seqs.length };
}

const consumersAtOnce = 1000;

/** Consumers by the last use of their keys, the latest first; those that were never used follow in the order of creation. */
export async function listByLastUse(
  reads: Reads,
  bucket: BucketKeys,
  { limit, offset }: Paging,
): Promise<ConsumerPage> {
  const total = await countList(reads, bucket.id, wholeList);
  const used = await consumersByLastUse(reads, bucket.seq, { limit, offset });
  const seqs = [...used.page];
  const isUsed = new Set([...used.before, ...used.page]);
  let skip = Math.max(0, offset - isUsed.size);
  for (let after = 0; seqs.length < limit; ) {
    const rows = await reads.all<{ seq: number }>(
      `SELECT seq FROM consumers WHERE bucket_seq = ? AND seq > ? ORDER BY seq LIMIT ${consumersAtOnce}`,
      [bucket.seq, after],
    );
    for (const { seq } of rows) {
      if (isUsed.has(seq)) continue;
      if (skip > 0) skip -= 1;
      else if (seqs.length < limit) seqs.push(seq);
    }
    if (rows.length < consumersAtOnce) break;
    after = rows.at(-1)!.seq;
  }
  const rows = await consumersOf(
    reads,
    seqs.map((seq) => ({ seq })),
  );
  const bySeq = new Map(rows.map((row) => [row.seq, row]));
  return { data: seqs.flatMap((seq) => bySeq.get(seq) ?? []), total };
}

async function listByTag(
  reads: Reads,
  bucket: BucketKeys,
  tag: { name: string; value: string },
  { limit, offset }: Paging,
): Promise<ConsumerPage> {
  const { total, fromSeq, skip } = await findPosition(reads, bucket.id, tagList(tag), offset);
  if (offset >= total) return { data: [], total };
  const seqs = taggedSeqs(reads, bucket, tag)
    .where("consumer_tags.consumer_seq", ">=", fromSeq)
    .orderBy("consumer_tags.consumer_seq")
    .limit(limit)
    .offset(skip);
  return { data: await consumersOf(reads, await seqs.execute()), total };
}

/** The cost depends on the number of names with the prefix. */
async function listByName(
  reads: Reads,
  bucket: BucketKeys,
  filter: ConsumerFilter,
  prefix: string,
  { limit, offset }: Paging,
): Promise<ConsumerPage> {
  const { from, before } = prefixRange(prefix);
  let named = reads.query
    .selectFrom("consumers")
    .where("consumers.bucket_seq", "=", bucket.seq)
    .where("name", ">=", from);
  if (before !== undefined) named = named.where("name", "<", before);
  for (const tag of filter.tags) named = named.where("consumers.seq", "in", taggedSeqs(reads, bucket, tag));
  const email = filter.managerEmailKey;
  if (email !== undefined) named = named.where("consumers.seq", "in", managedSeqs(reads, bucket, email, filter.now));
  const { total } = await named.select(({ fn }) => fn.countAll<number>().as("total")).executeTakeFirstOrThrow();
  // The plus prevents the engines from scanning all consumers in order to find the few.
  const page = await named.select("seq").orderBy(sql`+seq`).limit(limit).offset(offset).execute();
  return { data: await consumersOf(reads, page), total };
}

/**
 * Reads the rarest of the conditions and checks the others. The cost of the total depends on how common that one is.
 */
async function listBySeveral(
  reads: Reads,
  bucket: BucketKeys,
  filter: ConsumerFilter,
  { limit, offset }: Paging,
): Promise<ConsumerPage> {
  const sizes = await Promise.all(filter.tags.map((tag) => countList(reads, bucket.id, tagList(tag))));
  const rarestFirst = filter.tags
    .map((tag, index) => ({ tag, size: sizes[index]! }))
    .sort((one, other) => one.size - other.size)
    .map(({ tag }) => tag);

  const email = filter.managerEmailKey;
  const [driving, others] = email === undefined ? [rarestFirst[0]!, rarestFirst.slice(1)] : [undefined, rarestFirst];
  let seqs = driving ? taggedSeqs(reads, bucket, driving) : managedSeqs(reads, bucket, email!, filter.now);
  for (const tag of others) {
    seqs = seqs.where(({ exists, selectFrom }) =>
      exists(
        selectFrom("consumer_tags as other")
          .select("other.consumer_seq")
          .where("other.bucket_seq", "=", bucket.seq)
          .where("other.name", "=", tag.name)
          .where("other.value", "=", tag.value)
          .whereRef("other.consumer_seq", "=", driving ? "consumer_tags.consumer_seq" : "consumers.seq"),
      ),
    ) as typeof seqs;
  }
  const matching = reads.query.selectFrom(seqs.as("matching"));
  const { total } = await matching.select(({ fn }) => fn.countAll<number>().as("total")).executeTakeFirstOrThrow();
  const page = await matching.select("seq").orderBy("seq").limit(limit).offset(offset).execute();
  return { data: await consumersOf(reads, page), total };
}

// biome-ignore lint/suspicious/noExplicitAny: the builder's table parameter differs by source; only `seq` is read from it
type SeqQuery = SelectQueryBuilder<any, any, { seq: number }>;

export function taggedSeqs(reads: Reads, bucket: BucketKeys, tag: { name: string; value: string }): SeqQuery {
  return reads.query
    .selectFrom("consumer_tags")
    .select("consumer_tags.consumer_seq as seq")
    .where("consumer_tags.bucket_seq", "=", bucket.seq)
    .where("consumer_tags.name", "=", tag.name)
    .where("consumer_tags.value", "=", tag.value);
}

export function managedSeqs(reads: Reads, bucket: BucketKeys, emailKey: string, now: number): SeqQuery {
  const byManager = reads.query
    .selectFrom("managers")
    .select("consumer_seq")
    .where("bucket_seq", "=", bucket.seq)
    .where("email_key", "=", emailKey);
  const byInvite = reads.query
    .selectFrom("manager_invites")
    .select("consumer_seq")
    .where("bucket_seq", "=", bucket.seq)
    .where("email_key", "=", emailKey)
    .where("expires_on", ">", now);
  return reads.query
    .selectFrom("consumers")
    .select("consumers.seq")
    .where("consumers.seq", "in", byManager.union(byInvite));
}

async function consumersOf(reads: Reads, page: { seq: number }[]): Promise<ConsumerRow[]> {
  if (page.length === 0) return [];
  const seqs = page.map(({ seq }) => seq);
  const rows = reads.query.selectFrom("consumers").where("seq", "in", seqs).orderBy("seq");
  await rejectLargePage(rows, page.length, largeColumns);
  return rows.selectAll().execute();
}
