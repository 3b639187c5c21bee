import type { RawBuilder } from "kysely";
import { reversedSuffix } from "../../../../core/database/reversed-suffix.ts";
import { prefixRange } from "../../../../lib/text/prefix-range.ts";
import { sql } from "../../../../platform/storage/query.ts";
import type { TagFilter } from "../../consumer-addresses/consumer-address.ts";
import { taggedKeyList } from "../../consumer-addresses/consumer-tags.ts";
import { disabledKeyList, permissionList } from "../key-lists.ts";
import { isUsedInBlockSince, periodMilliseconds } from "../key-use-store.ts";
import { grantsOf } from "../permissions.ts";
import type { KeyFilter } from "./filter.ts";

/** A query that returns `seq` of keys, each once. */
export type Seqs = RawBuilder<{ seq: number }>;

/** The keys of a condition, found by an index. */
export interface IndexedKeys {
  all: Seqs;
  /** Selects at most `max` matches, for a bounded count. Undefined if a counted list has the exact count. */
  some?(max: number): Seqs;
  /** Whether `some` selects too many keys: those in the range of the index that only `all` checks further. */
  isLoose?: boolean;
  /** The same keys as `all`, as several queries, so that other requests are served in between. */
  parts?: Seqs[];
}

/**
 * The range of `seq` that contains the consumers of most of these keys: keys and their consumers are often created
 * together.
 */
interface ConsumerWindow {
  from: number;
  to: number;
}

/** One condition of a filter. SQLite plans without statistics, so the caller decides which index is used. */
export interface Condition {
  /** The SQL condition for rows of `api_keys`. A plus sign before a column prevents the use of its index. */
  check: RawBuilder<boolean>;
  /** The same condition, faster for keys whose consumers are in the window. */
  checkNear?(window: ConsumerWindow): RawBuilder<boolean>;
  /** Returns the matching keys from an index alone. Undefined if there is no index. */
  keys?: IndexedKeys;
  /** Returns the keys that do not match from an index alone. Undefined if there is no index. */
  others?: IndexedKeys;
  /** The counted list of keys that do not match. */
  otherList?: string;
  /** Counted lists: keys in any of them match. */
  lists?: string[];
}

export function conditionsOf(bucketSeq: number, filter: KeyFilter): Condition[] {
  const conditions: Condition[] = [];
  const { unusedSince, neverUsed, expiresBefore, createdBefore, enabled, permission, suffix, tags } = filter;
  const from = (...ranges: IndexRange[]) => indexedKeys(bucketSeq, ranges);
  if (suffix !== undefined) conditions.push(endsWith(suffix, from));
  for (const tag of tags) conditions.push(hasTag(bucketSeq, tag));
  if (permission !== undefined) conditions.push(grantsPermission(bucketSeq, permission));
  if (expiresBefore !== undefined)
    conditions.push({
      check: sql`+expires_on < ${expiresBefore}`,
      keys: from({
        condition: sql`expires_on IS NOT NULL AND expires_on < ${expiresBefore}`,
        order: sql`expires_on`,
      }),
    });
  if (unusedSince !== undefined) conditions.push(isUnusedSince(unusedSince, from));
  if (neverUsed !== undefined) {
    const never = from(byLastUse(sql`last_used_on IS NULL`));
    const ever = from(byLastUse(sql`last_used_on IS NOT NULL`));
    conditions.push({
      check: neverUsed ? sql`+last_used_on IS NULL` : sql`+last_used_on IS NOT NULL`,
      ...(neverUsed ? { keys: never, others: ever } : { keys: ever, others: never }),
    });
  }
  if (enabled !== undefined) {
    const disabled = from({ condition: sql`is_enabled = 0`, order: sql`seq` });
    conditions.push({
      check: sql`+is_enabled = ${sql.lit(enabled ? 1 : 0)}`,
      ...(enabled ? { otherList: disabledKeyList } : { keys: disabled, lists: [disabledKeyList] }),
    });
  }
  if (createdBefore !== undefined) {
    const byCreation = (condition: RawBuilder<unknown>) => from({ condition, order: sql`created_on` });
    conditions.push({
      check: sql`+created_on < ${createdBefore}`,
      keys: byCreation(sql`created_on < ${createdBefore}`),
      others: byCreation(sql`created_on >= ${createdBefore}`),
    });
  }
  return conditions;
}

function byLastUse(condition: RawBuilder<unknown>): IndexRange {
  return { condition, order: sql`last_used_on, created_on` };
}

/** The period is queried in this many parts. SQLite takes 0.5 s for a part with a million keys. */
const periodParts = 8;

/** If the last use in the row is in the previous period, the block decides, else the row. */
function isUnusedSince(since: number, from: (...ranges: IndexRange[]) => IndexedKeys): Condition {
  const periodStart = since - periodMilliseconds;
  const isUsed = isUsedInBlockSince(since);
  const inPeriod = (check: RawBuilder<boolean>) =>
    Array.from({ length: periodParts }, (_, index) => {
      const start = periodStart + (index * periodMilliseconds) / periodParts;
      const end = start + periodMilliseconds / periodParts;
      return { ...byLastUse(sql`last_used_on >= ${start} AND last_used_on < ${end}`), check };
    });
  return {
    check: sql`(
      (+last_used_on < ${since} AND NOT (+last_used_on >= ${periodStart} AND ${isUsed}))
      OR (+last_used_on IS NULL AND +created_on < ${since})
    )`,
    // The engines do not split an OR into ranges of one index.
    keys: from(
      byLastUse(sql`last_used_on < ${periodStart}`),
      ...inPeriod(sql`NOT (${isUsed})`),
      byLastUse(sql`last_used_on IS NULL AND created_on < ${since}`),
    ),
    others: from(
      byLastUse(sql`last_used_on >= ${since}`),
      ...inPeriod(isUsed),
      byLastUse(sql`last_used_on IS NULL AND created_on >= ${since}`),
    ),
  };
}

interface IndexRange {
  condition: RawBuilder<unknown>;
  /** The columns of the index after the bucket. */
  order: RawBuilder<unknown>;
  /** A further condition that no index covers. */
  check?: RawBuilder<boolean>;
}

function indexedKeys(bucketSeq: number, ranges: IndexRange[]): IndexedKeys {
  const select = ({ condition }: IndexRange) =>
    sql<{ seq: number }>`SELECT seq FROM api_keys WHERE bucket_seq = ${bucketSeq} AND ${condition}`;
  const union = (selects: RawBuilder<unknown>[]) => sql<{ seq: number }>`${sql.join(selects, sql` UNION ALL `)}`;
  const parts = ranges.map((range) =>
    range.check ? sql<{ seq: number }>`${select(range)} AND ${range.check}` : select(range),
  );
  return {
    all: union(parts),
    parts,
    isLoose: ranges.some(({ check }) => check !== undefined),
    some(max) {
      // In the order of the index. Otherwise PostgreSQL scans the table for the first matches, which may be at its end.
      const limited = ranges.map(
        (range) => sql`SELECT * FROM (${select(range)} ORDER BY ${range.order} LIMIT ${sql.lit(max)}) AS part`,
      );
      return sql`SELECT seq FROM (${union(limited)}) AS every LIMIT ${sql.lit(max)}`;
    },
  };
}

/**
 * Checks each key by an index look-up. OFFSET prevents PostgreSQL from joining instead, which would read the rows of a
 * million other keys.
 */
export function exists(query: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`EXISTS (${query} LIMIT 1 OFFSET 0)`;
}

function endsWith(suffix: string, from: (range: IndexRange) => IndexedKeys): Condition {
  const reversed = sql.raw(reversedSuffix);
  const { from: first, before } = prefixRange([...suffix].reverse().join(""));
  return {
    check: sql`((${reversed}) >= ${first} AND (${reversed}) < ${before})`,
    keys: from({
      condition: sql`(${reversed}) >= ${first} AND (${reversed}) < ${before}`,
      order: sql`(${reversed})`,
    }),
  };
}

/** CROSS JOIN makes SQLite begin with the tags. */
function hasTag(bucketSeq: number, { name, value }: TagFilter[number]): Condition {
  const tagged = sql`tagged.bucket_seq = ${bucketSeq} AND tagged.name = ${name} AND tagged.value = ${value}`;
  const check = exists(
    sql`SELECT 1 FROM consumer_tags AS tagged WHERE ${tagged} AND tagged.consumer_seq = api_keys.consumer_seq`,
  );
  return {
    check,
    // The tagged consumers of the window are read once, in order. A look-up for each key takes 1 µs, three times as
    // long.
    checkNear: ({ from, to }) => sql`CASE WHEN api_keys.consumer_seq BETWEEN ${from} AND ${to}
      THEN api_keys.consumer_seq IN (
        SELECT tagged.consumer_seq FROM consumer_tags AS tagged
        WHERE ${tagged} AND tagged.consumer_seq BETWEEN ${from} AND ${to})
      ELSE ${check} END`,
    keys: {
      all: sql`SELECT held.seq FROM consumer_tags AS tagged CROSS JOIN api_keys AS held
        WHERE ${tagged} AND held.consumer_seq = tagged.consumer_seq`,
    },
    lists: [taggedKeyList({ name, value })],
  };
}

function grantsPermission(bucketSeq: number, permission: string): Condition {
  const grants = grantsOf(permission);
  const granted = sql`granted.bucket_seq = ${bucketSeq} AND granted.permission IN (${sql.join(grants)})`;
  return {
    check: exists(sql`SELECT 1 FROM key_permissions AS granted WHERE ${granted} AND granted.key_seq = api_keys.seq`),
    keys: { all: sql`SELECT DISTINCT granted.key_seq AS seq FROM key_permissions AS granted WHERE ${granted}` },
    lists: grants.map(permissionList),
  };
}
