import type { Paging } from "../../../../lib/paging.ts";
import { pause } from "../../../../lib/tasks/pause.ts";
import {
  countList,
  countLists,
  findPosition,
  firstSeqFrom,
  type ListPosition,
} from "../../../../platform/storage/counted-lists.ts";
import { rejectLargePage, sql } from "../../../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import { keyList } from "../../key-buckets/key-buckets.ts";
import { withLastUse } from "../key-use-store.ts";
import { type KeyRow, largeKeyColumns } from "../store.ts";
import { type Condition, conditionsOf, exists, type IndexedKeys, type Seqs } from "./condition-store.ts";
import type { KeyFilter } from "./filter.ts";
import { countSeqs, locateKeys, seqsOf, walkKeys } from "./walk-store.ts";

export interface BucketKeys {
  seq: number;
  id: string;
}

export interface ListedKeyRow extends KeyRow {
  consumer_id: string;
  consumer_name: string;
}

/**
 * Up to this number of keys of a condition are read from its index and sorted. With more, matches are found soon enough
 * in the order of keys. Detecting that there are more takes half a millisecond.
 */
export const fewMatches = 10_000;

type Check = Pick<Condition, "check" | "checkNear">;

/** The plan to find the keys that match a filter. */
interface Plan {
  conditions: Condition[];
  /** The keys of the most selective condition, if they are few. */
  lead: Seqs | undefined;
  /** The remaining conditions; without a lead, all conditions. */
  checks: Check[];
  /** The number of matches, if it is known already. */
  total: number | undefined;
  /** The counted list of the matches, if there is one. */
  list: string | undefined;
}

/** Returns matches in the order of creation. */
export async function listFilteredKeys(
  reads: Reads,
  bucket: BucketKeys,
  filter: KeyFilter,
  { limit, offset }: Paging,
  few = fewMatches,
): Promise<{ data: ListedKeyRow[]; total: number }> {
  const plan = await planFor(reads, bucket, conditionsOf(bucket.seq, filter), few);
  if (plan.lead) {
    const seqs = leadBy(plan.lead, plan.checks);
    const total = plan.total ?? (await countSeqs(reads, seqs));
    return {
      data: offset >= total ? [] : await listedKeys(reads, await seqsOf(reads, seqs, { limit, offset })),
      total,
    };
  }
  const { total, fromSeq, skip } = await positionOf(reads, bucket, plan, offset, few);
  if (offset >= total) return { data: [], total };
  return { data: await listedKeys(reads, await walkKeys(reads, bucket, plan.checks, { fromSeq, skip, limit })), total };
}

export async function countMatches(
  reads: Reads,
  bucket: BucketKeys,
  filter: KeyFilter,
  few = fewMatches,
): Promise<number> {
  const plan = await planFor(reads, bucket, conditionsOf(bucket.seq, filter), few);
  if (plan.total !== undefined) return plan.total;
  if (plan.lead) return countSeqs(reads, leadBy(plan.lead, plan.checks));
  return (await positionOf(reads, bucket, plan, 0, few)).total;
}

/**
 * Locks the matches after a position, at most the given number, and returns them. With a bound on the keys of a
 * condition, the index of one condition is used.
 */
export async function matchingKeysAfter(
  transaction: WriteTransaction,
  bucket: BucketKeys,
  filter: KeyFilter,
  range: { after: number; limit: number; madeUntil: number; few: number },
): Promise<KeyRow[]> {
  const { after, limit } = range;
  const plan = await planFor(transaction, bucket, conditionsOf(bucket.seq, filter), range.few);
  const checks = [...plan.checks, { check: sql<boolean>`+created_on <= ${range.madeUntil}` }];
  let found: number[] = [];
  if (plan.lead) {
    const rest = leadBy(plan.lead, [...checks, { check: sql<boolean>`+api_keys.seq > ${after}` }]);
    found = await seqsOf(transaction, rest, { limit, offset: 0 });
  } else {
    const fromSeq = await firstSeqOf(transaction, bucket, plan.conditions, after + 1);
    if (fromSeq !== undefined) found = await walkKeys(transaction, bucket, checks, { fromSeq, skip: 0, limit });
  }
  if (found.length === 0) return [];
  // Rows that no longer match when they are locked are skipped.
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

/** Returns keys with their consumers. */
export async function listedKeys(reads: Reads, seqs: number[]): Promise<ListedKeyRow[]> {
  if (seqs.length === 0) return [];
  const page = reads.query.selectFrom("api_keys").where("seq", "in", seqs);
  await rejectLargePage(page, seqs.length, largeKeyColumns);
  const rows = await reads.query
    .selectFrom("api_keys")
    .innerJoin("consumers", "consumers.seq", "api_keys.consumer_seq")
    .selectAll("api_keys")
    .select(["consumers.id as consumer_id", "consumers.name as consumer_name"])
    .where("api_keys.seq", "in", seqs)
    .orderBy("api_keys.seq")
    .execute();
  return withLastUse(reads, rows);
}

async function planFor(reads: Reads, bucket: BucketKeys, conditions: Condition[], few: number): Promise<Plan> {
  if (conditions.length === 0)
    return {
      conditions,
      lead: undefined,
      checks: [],
      total: await countList(reads, bucket.id, keyList),
      list: keyList,
    };
  let lead: Condition | undefined;
  let smallest = few + 1;
  let size: Size = noSize;
  for (const condition of conditions) {
    if (!condition.keys || smallest === 0) continue;
    size = await sizeOf(reads, bucket, condition, condition.keys, smallest);
    if (size.max >= smallest) continue;
    lead = condition;
    smallest = size.max;
  }
  const isOnly = conditions.length === 1;
  const { total, list } = isOnly ? size : noSize;
  if (!lead) return { conditions, lead: undefined, checks: conditions, total, list };
  const others = conditions.filter((condition) => condition !== lead);
  return { conditions, lead: lead.keys?.all, checks: others, total, list: undefined };
}

interface Size {
  /** An upper bound of the keys. */
  max: number;
  /** The exact number, if it is known. */
  total: number | undefined;
  list: string | undefined;
}

const noSize: Size = { max: Number.POSITIVE_INFINITY, total: undefined, list: undefined };

/** Counts the keys of a condition. Those without a counted list are counted up to a bound. */
async function sizeOf(
  reads: Reads,
  bucket: BucketKeys,
  { lists }: Condition,
  keys: IndexedKeys,
  bound: number,
): Promise<Size> {
  if (!lists) {
    const max = await countSome(reads, keys, bound);
    return { max, total: max < bound && !keys.isLoose ? max : undefined, list: undefined };
  }
  const totals = await countLists(reads, bucket.id, lists);
  const max = [...totals.values()].reduce((sum, total) => sum + total, 0);
  if (totals.size > 1) return { max, total: undefined, list: undefined };
  return { max, total: max, list: [...totals.keys()][0] };
}

/** Without an index. */
async function positionOf(
  reads: Reads,
  bucket: BucketKeys,
  plan: Plan,
  offset: number,
  few: number,
): Promise<ListPosition> {
  const { conditions, checks, list } = plan;
  if (list !== undefined && offset > 0) return findPosition(reads, bucket.id, list, offset);
  const total = plan.total ?? (await totalOfOne(reads, bucket, conditions, few));
  const fromSeq = await firstSeqOf(reads, bucket, conditions, 0);
  if (fromSeq === undefined || (total !== undefined && offset >= total))
    return { total: total ?? 0, fromSeq: 0, skip: 0 };
  if (total === undefined) return locateKeys(reads, bucket, checks, { fromSeq, offset, isTotalKnown: false });
  if (offset === 0) return { total, fromSeq, skip: 0 };
  return { ...(await locateKeys(reads, bucket, checks, { fromSeq, offset, isTotalKnown: true })), total };
}

/** Counts without visiting all keys. Undefined for several conditions. */
async function totalOfOne(
  reads: Reads,
  bucket: BucketKeys,
  [only, ...more]: Condition[],
  few: number,
): Promise<number | undefined> {
  if (!only || more.length > 0) return undefined;
  const { keys, others, otherList } = only;
  const all = () => countList(reads, bucket.id, keyList);
  if (otherList !== undefined) return (await all()) - (await countList(reads, bucket.id, otherList));
  // Often nearly all keys match.
  if (others) {
    const excepted = await countSome(reads, others, few + 1);
    if (excepted <= few) return (await all()) - (others.isLoose ? await countSeqs(reads, others.all) : excepted);
  }
  return keys && countAll(reads, keys);
}

async function countAll(reads: Reads, { all, parts = [all] }: IndexedKeys): Promise<number> {
  let total = 0;
  for (const part of parts) {
    await pause(0);
    total += await countSeqs(reads, part);
  }
  return total;
}

/** Returns a lower bound of the `seq` of the first match, or undefined if none matches. */
async function firstSeqOf(
  reads: Reads,
  bucket: BucketKeys,
  conditions: Condition[],
  from: number,
): Promise<number | undefined> {
  let first: number | undefined = from;
  for (const lists of [[keyList], ...conditions.flatMap((condition) => (condition.lists ? [condition.lists] : []))])
    if (first !== undefined) first = await firstSeqFrom(reads, bucket.id, lists, first);
  return first;
}

function countSome(reads: Reads, keys: IndexedKeys, max: number): Promise<number> {
  return countSeqs(reads, keys.some?.(max) ?? keys.all);
}

/** Returns those of the keys from an index that match the other conditions too. */
function leadBy(lead: Seqs, checks: Check[]): Seqs {
  if (checks.length === 0) return lead;
  const conditions = checks.map(({ check }) => check);
  const fitting = sql`SELECT 1 FROM api_keys WHERE api_keys.seq = lead.seq AND ${sql.join(conditions, sql` AND `)}`;
  return sql`SELECT lead.seq FROM (${lead}) AS lead WHERE ${exists(fitting)}`;
}
