import type { RawBuilder } from "kysely";
import type { Paging } from "../../lib/paging.ts";
import { countList, findPosition } from "../../platform/storage/counted-lists.ts";
import { sql } from "../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../platform/storage/storage.ts";
import { keyList } from "../buckets/buckets.ts";
import { type Condition, conditionsOf, type Seqs } from "./condition-store.ts";
import type { KeyFilter } from "./filter.ts";
import type { KeyRow } from "./store.ts";

export interface BucketKeys {
  seq: number;
  id: string;
}

export interface ListedKeyRow extends KeyRow {
  consumer_id: string;
  consumer_name: string;
}

/**
 * Up to so many keys of a condition are read from its index and sorted; more are met soon enough in the order of keys. To
 * find out that there are more takes half a millisecond.
 */
export const fewMatches = 10_000;

/** How to find the keys that fit a filter. */
interface Plan {
  conditions: Condition[];
  /** The keys of the narrowest condition, where they are few. */
  lead: Seqs | undefined;
  /** How many that are. */
  leading: number;
  /** What else must hold for them. */
  checks: RawBuilder<boolean>[];
}

/** In the order of creation. */
export async function listFilteredKeys(
  reads: Reads,
  bucket: BucketKeys,
  filter: KeyFilter,
  { limit, offset }: Paging,
  few = fewMatches,
): Promise<{ data: ListedKeyRow[]; total: number }> {
  const plan = await planFor(reads, conditionsOf(bucket.seq, filter), few);
  if (plan.conditions.length === 0) {
    const { total, fromSeq, skip } = await findPosition(reads, bucket.id, keyList, offset);
    if (offset >= total) return { data: [], total };
    return { data: await listed(reads, inOrder(bucket, [], fromSeq), { limit, offset: skip }), total };
  }
  const total = await countPlanned(reads, bucket, plan, few);
  if (offset >= total) return { data: [], total };
  const seqs = plan.lead ? leadBy(plan.lead, plan.checks) : inOrder(bucket, plan.checks, 0);
  return { data: await listed(reads, seqs, { limit, offset }), total };
}

export async function countMatches(
  reads: Reads,
  bucket: BucketKeys,
  filter: KeyFilter,
  few = fewMatches,
): Promise<number> {
  return countPlanned(reads, bucket, await planFor(reads, conditionsOf(bucket.seq, filter), few), few);
}

/** At most so many after a position, locked. With a bound of how many a condition may have, the index of one leads. */
export async function matchesAfter(
  transaction: WriteTransaction,
  bucket: BucketKeys,
  filter: KeyFilter,
  range: { after: number; limit: number; madeUntil: number; few: number },
): Promise<KeyRow[]> {
  const { lead, checks } = await planFor(transaction, conditionsOf(bucket.seq, filter), range.few);
  const made = sql<boolean>`+created_on <= ${range.madeUntil}`;
  const after = sql<boolean>`+api_keys.seq > ${range.after}`;
  const seqs = lead ? leadBy(lead, [...checks, made, after]) : inOrder(bucket, [...checks, made], range.after + 1);
  const found = await seqsOf(transaction, seqs, { limit: range.limit, offset: 0 });
  if (found.length === 0) return [];
  // What no longer fits when the row is locked is left out.
  let rows = transaction.query.selectFrom("api_keys").selectAll().where("seq", "in", found).orderBy("seq");
  for (const { check } of conditionsOf(bucket.seq, filter)) rows = rows.where(check);
  return (transaction.locksRows ? rows.forNoKeyUpdate() : rows).execute();
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

async function planFor(reads: Reads, conditions: Condition[], few: number): Promise<Plan> {
  let lead: Condition | undefined;
  let leading = few + 1;
  for (const condition of conditions) {
    if (!condition.keys || leading === 0) continue;
    const count = await countSeqs(reads, condition.keys, leading);
    if (count >= leading) continue;
    lead = condition;
    leading = count;
  }
  const checks = conditions.filter((condition) => condition !== lead).map(({ check }) => check);
  return { conditions, lead: lead?.keys, leading, checks };
}

async function countPlanned(reads: Reads, bucket: BucketKeys, plan: Plan, few: number): Promise<number> {
  const { conditions, lead, leading, checks } = plan;
  if (lead) return checks.length === 0 ? leading : countSeqs(reads, leadBy(lead, checks));
  const [only, ...more] = conditions;
  if (!only) return countList(reads, bucket.id, keyList);
  if (more.length > 0) return countSeqs(reads, inOrder(bucket, checks, 0));
  if (only.count) return only.count(reads, bucket.id);
  // Often it holds for nearly all.
  if (only.others) {
    const others = await countSeqs(reads, only.others, few + 1);
    if (others <= few) return (await countList(reads, bucket.id, keyList)) - others;
  }
  return countSeqs(reads, only.keys ?? inOrder(bucket, checks, 0));
}

/** Of keys that an index found, those that fit the rest too. */
function leadBy(lead: Seqs, checks: RawBuilder<boolean>[]): Seqs {
  if (checks.length === 0) return lead;
  return sql`SELECT api_keys.seq FROM (${lead}) AS lead CROSS JOIN api_keys
    WHERE api_keys.seq = lead.seq AND ${sql.join(checks, sql` AND `)}`;
}

function inOrder(bucket: BucketKeys, checks: RawBuilder<boolean>[], fromSeq: number): Seqs {
  const conditions = [sql`bucket_seq = ${bucket.seq}`, sql`seq >= ${fromSeq}`, ...checks];
  return sql`SELECT seq FROM api_keys WHERE ${sql.join(conditions, sql` AND `)}`;
}

async function countSeqs(reads: Reads, seqs: Seqs, most?: number): Promise<number> {
  const bounded = most === undefined ? seqs : sql`SELECT seq FROM (${seqs}) AS every LIMIT ${sql.lit(most)}`;
  const counted = reads.query
    .selectFrom(sql<{ seq: number }>`(${bounded})`.as("found"))
    .select(({ fn }) => fn.countAll<number>().as("total"));
  return (await counted.executeTakeFirstOrThrow()).total;
}

async function seqsOf(reads: Reads, seqs: Seqs, { limit, offset }: Paging): Promise<number[]> {
  const page = reads.query
    .selectFrom(sql<{ seq: number }>`(${seqs})`.as("found"))
    .select("found.seq")
    .orderBy("found.seq")
    .limit(limit)
    .offset(offset);
  return (await page.execute()).map(({ seq }) => seq);
}

async function listed(reads: Reads, seqs: Seqs, paging: Paging): Promise<ListedKeyRow[]> {
  return listedKeys(reads, await seqsOf(reads, seqs, paging));
}
