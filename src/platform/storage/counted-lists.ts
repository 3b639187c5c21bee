import { sql } from "kysely";
import type { Reads, WriteTransaction } from "./storage.ts";

/**
 * Members of a list are counted per run of 4,096 `seq` values. A total is the sum of those counts, and the
 * member at any offset is found by walking counts first and at most one run of members after. With a million
 * members that is 245 counts to add, where COUNT(*) reads a million index entries (64 ms) and OFFSET 999,000
 * skips as many (60 ms). A list is named by its scope (the id of what holds it) and a name within that.
 */
const blockBits = 12;
export const seqsPerBlock = 2 ** blockBits;

export const wholeList = "";

function blockOf(seq: number): number {
  return Math.floor(seq / seqsPerBlock);
}

/** Whether a member came to a list or went from it. */
export interface ListChange {
  list: string;
  delta: 1 | -1;
}

/** Takes effect when the transaction commits. */
export function countMember(transaction: WriteTransaction, scope: string, changes: ListChange[], seq: number): void {
  // A member is always counted in the same shard, so that a count that returns to zero can be removed.
  const shard = seq % transaction.counterShards;
  for (const { list, delta } of changes) transaction.counts.add({ scope, list, block: blockOf(seq), shard }, delta);
}

/** The same for a member that was in some lists and is in others now; both may name the same list. */
export function countMove(
  transaction: WriteTransaction,
  scope: string,
  seq: number,
  before: readonly string[],
  after: readonly string[],
): void {
  const gone = before.filter((list) => !after.includes(list)).map((list) => ({ list, delta: -1 as const }));
  const added = after.filter((list) => !before.includes(list)).map((list) => ({ list, delta: 1 as const }));
  countMember(transaction, scope, [...gone, ...added], seq);
}

/** For a scope that is deleted with all its lists. */
export function removeCounts(transaction: WriteTransaction, scope: string): void {
  transaction.counts.removeScope(scope);
}

const countsPiece = `DELETE FROM list_blocks WHERE (scope, list, block, shard) IN (
  SELECT scope, list, block, shard FROM list_blocks WHERE scope = ? LIMIT ?
) RETURNING block`;

/** The same in pieces of at most so many counts, for a scope whose members are removed in pieces. Returns how many. */
export async function removeCountsPiece(transaction: WriteTransaction, scope: string, rows: number): Promise<number> {
  return (await transaction.all(countsPiece, [scope, rows])).length;
}

export interface ListPosition {
  total: number;
  /** Begin at members with this `seq` or a later one, and leave out the first `skip` of those. */
  fromSeq: number;
  skip: number;
}

export async function findPosition(reads: Reads, scope: string, list: string, offset: number): Promise<ListPosition> {
  if (offset === 0) return { total: await countList(reads, scope, list), fromSeq: 0, skip: 0 };
  const blocks = await reads.query
    .selectFrom("list_blocks")
    .select(["block", sql<number>`CAST(SUM(size) AS bigint)`.as("size")])
    .where("scope", "=", scope)
    .where("list", "=", list)
    .groupBy("block")
    .orderBy("block")
    .execute();
  const position: ListPosition = { total: 0, fromSeq: 0, skip: offset };
  for (const { block, size } of blocks) {
    if (offset >= position.total) {
      position.fromSeq = block * seqsPerBlock;
      position.skip = offset - position.total;
    }
    position.total += size;
  }
  return position;
}

export async function countList(reads: Reads, scope: string, list: string): Promise<number> {
  const row = await reads.query
    .selectFrom("list_blocks")
    .select(sql<number>`CAST(COALESCE(SUM(size), 0) AS bigint)`.as("total"))
    .where("scope", "=", scope)
    .where("list", "=", list)
    .executeTakeFirstOrThrow();
  return row.total;
}

/** How many are in each of these lists; those without members are left out. */
export async function countLists(reads: Reads, scope: string, lists: string[]): Promise<Map<string, number>> {
  const rows = await reads.query
    .selectFrom("list_blocks")
    .select(["list", sql<number>`CAST(SUM(size) AS bigint)`.as("total")])
    .where("scope", "=", scope)
    .where("list", "in", lists)
    .groupBy("list")
    .execute();
  return new Map(rows.map(({ list, total }) => [list, total]));
}

/** The blocks, from one on, in which a list has members. */
export async function blocksFrom(reads: Reads, scope: string, list: string, first: number): Promise<number[]> {
  const rows = await reads.query
    .selectFrom("list_blocks")
    .select("block")
    .distinct()
    .where("scope", "=", scope)
    .where("list", "=", list)
    .where("block", ">=", first)
    .orderBy("block")
    .execute();
  return rows.map(({ block }) => block);
}

/** No member of any of these lists from `seq` on comes before this; undefined if none comes at all. */
export async function firstSeqFrom(
  reads: Reads,
  scope: string,
  lists: string[],
  seq: number,
): Promise<number | undefined> {
  const { block } = await reads.query
    .selectFrom("list_blocks")
    .select(({ fn }) => fn.min<number | null>("block").as("block"))
    .where("scope", "=", scope)
    .where("list", "in", lists)
    .where("block", ">=", blockOf(seq))
    .executeTakeFirstOrThrow();
  return block === null ? undefined : Math.max(seq, block * seqsPerBlock);
}
