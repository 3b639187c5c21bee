import { sql } from "kysely";
import type { Reads, WriteTransaction } from "./storage.ts";

/**
 * The members of a list are counted per block of 4,096 `seq` values. A total is the sum of those counts. The member at
 * any offset is found by adding counts first, and then walking at most one block of members. For a million members that
 * is 245 counts to add, where COUNT(*) reads a million index entries (64 ms) and OFFSET 999,000 skips as many (60 ms).
 * A list is identified by its scope (the id of its container) and a name within the scope.
 */
const blockBits = 12;
export const seqsPerBlock = 2 ** blockBits;

export const wholeList = "";

function blockOf(seq: number): number {
  return Math.floor(seq / seqsPerBlock);
}

/** Whether a member was added to a list or removed from it. */
export interface ListChange {
  list: string;
  delta: 1 | -1;
}

/** Counts a change of membership. Takes effect when the transaction commits. */
export function countMember(transaction: WriteTransaction, scope: string, changes: ListChange[], seq: number): void {
  // A member is always counted in the same shard, so that a count that returns to zero can be removed.
  const shard = seq % transaction.counterShards;
  for (const { list, delta } of changes) transaction.counts.add({ scope, list, block: blockOf(seq), shard }, delta);
}

/** Counts a member that moves from some lists to others. Both may contain the same list. */
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

/** Deletes the counts of all lists of a deleted scope. */
export function removeCounts(transaction: WriteTransaction, scope: string): void {
  transaction.counts.removeScope(scope);
}

const countsPiece = `DELETE FROM list_blocks WHERE (scope, list, block, shard) IN (
  SELECT scope, list, block, shard FROM list_blocks WHERE scope = ? LIMIT ?
) RETURNING block`;

/**
 * Deletes at most the given number of counts of a scope whose members are removed in batches. Returns how many were
 * deleted.
 */
export async function removeCountsPiece(transaction: WriteTransaction, scope: string, rows: number): Promise<number> {
  return (await transaction.all(countsPiece, [scope, rows])).length;
}

export interface ListPosition {
  total: number;
  /** The page begins after skipping `skip` members with this `seq` or a later one. */
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

/** Returns the number of members of each list. Empty lists are omitted. */
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

/** Returns the blocks from one on that contain members of a list. */
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

/** Returns a lower bound of the `seq` of the next member in any of these lists, or undefined if there is none. */
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
