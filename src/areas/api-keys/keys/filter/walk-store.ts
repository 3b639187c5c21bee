import type { RawBuilder } from "kysely";
import { pause } from "../../../../lib/tasks/pause.ts";
import { blocksFrom, type ListPosition, seqsPerBlock } from "../../../../platform/storage/counted-lists.ts";
import { sql } from "../../../../platform/storage/query.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import { keyList } from "../../key-buckets/key-buckets.ts";
import type { Condition, Seqs } from "./condition-store.ts";

interface BucketKeys {
  seq: number;
  id: string;
}

type Checks = Pick<Condition, "check" | "checkNear">[];

interface Range {
  from: number;
  before: number;
}

/** On SQLite a query blocks the process: 8,192 keys with two conditions take about 25 ms. */
const blocksAtOnce = 2;

/** The keys of a bucket by their `seq`, in order. Yields to the event loop in between. */
async function* rangesOf(reads: Reads, bucket: BucketKeys, fromSeq: number): AsyncGenerator<Range> {
  const before = (Math.floor(fromSeq / seqsPerBlock) + blocksAtOnce) * seqsPerBlock;
  yield { from: fromSeq, before };
  const blocks = await blocksFrom(reads, bucket.id, keyList, before / seqsPerBlock);
  for (let at = 0; at < blocks.length; at += blocksAtOnce) {
    await pause(0);
    const some = blocks.slice(at, at + blocksAtOnce);
    yield { from: some[0]! * seqsPerBlock, before: (some.at(-1)! + 1) * seqsPerBlock };
  }
}

function inRange(bucket: BucketKeys, checks: RawBuilder<boolean>[], { from, before }: Range): Seqs {
  const range = [sql`bucket_seq = ${bucket.seq}`, sql`seq >= ${from}`, sql`seq < ${before}`];
  return sql`SELECT seq FROM api_keys WHERE ${sql.join([...range, ...checks], sql` AND `)}`;
}

/**
 * Returns the number of matches and the position of the one at the offset. With `isTotalKnown` it stops there, and the
 * total is the number counted so far.
 */
export async function locateKeys(
  reads: Reads,
  bucket: BucketKeys,
  checks: Checks,
  { fromSeq, offset, isTotalKnown }: { fromSeq: number; offset: number; isTotalKnown: boolean },
): Promise<ListPosition> {
  const plain = checks.map(({ check }) => check);
  const position: ListPosition = { total: 0, fromSeq, skip: offset };
  for await (const range of rangesOf(reads, bucket, fromSeq)) {
    if (offset >= position.total) {
      position.fromSeq = range.from;
      position.skip = offset - position.total;
    } else if (isTotalKnown) break;
    position.total += await countSeqs(reads, inRange(bucket, plain, range));
  }
  return position;
}

/** Returns the first matches in order. All skipped keys are in the range that begins at `fromSeq`. */
export async function walkKeys(
  reads: Reads,
  bucket: BucketKeys,
  checks: Checks,
  { fromSeq, skip, limit }: { fromSeq: number; skip: number; limit: number },
): Promise<number[]> {
  const found: number[] = [];
  for await (const range of rangesOf(reads, bucket, fromSeq)) {
    const paging = { limit: limit - found.length, offset: range.from === fromSeq ? skip : 0 };
    const near = await checksNear(reads, bucket, checks, range, paging.offset + paging.limit);
    found.push(...(await seqsOf(reads, inRange(bucket, near, range), paging)));
    if (found.length >= limit) break;
  }
  return found;
}

/** With fewer matches, computing the window of their consumers costs more than it saves. */
const minForWindow = 200;

/** The median of the first keys: an older consumer with a new key is far from the others. */
const firstKeys = 15;
const middleConsumer = `SELECT consumer_seq FROM (
    SELECT consumer_seq FROM api_keys WHERE bucket_seq = ? AND seq >= ? ORDER BY seq LIMIT ${firstKeys}
  ) AS first_keys ORDER BY consumer_seq LIMIT 1 OFFSET ${Math.floor(firstKeys / 2)}`;

/**
 * Returns the checks for the expected number of matches. They are faster if keys were created together with their
 * consumers, and always correct.
 */
async function checksNear(
  reads: Reads,
  bucket: BucketKeys,
  checks: Checks,
  { from }: Range,
  fitting: number,
): Promise<RawBuilder<boolean>[]> {
  const isWorthIt = fitting >= minForWindow && checks.some(({ checkNear }) => checkNear);
  const middle = isWorthIt ? await reads.one<{ consumer_seq: number }>(middleConsumer, [bucket.seq, from]) : undefined;
  if (!middle) return checks.map(({ check }) => check);
  // Reads twice the number of matches, and never more than one block.
  const consumers = Math.min(2 * fitting, seqsPerBlock);
  const window = { from: middle.consumer_seq - firstKeys, to: middle.consumer_seq + consumers };
  return checks.map((one) => one.checkNear?.(window) ?? one.check);
}

export async function countSeqs(reads: Reads, seqs: Seqs): Promise<number> {
  const counted = reads.query
    .selectFrom(sql<{ seq: number }>`(${seqs})`.as("found"))
    .select(({ fn }) => fn.countAll<number>().as("total"));
  return (await counted.executeTakeFirstOrThrow()).total;
}

export async function seqsOf(
  reads: Reads,
  seqs: Seqs,
  { limit, offset }: { limit: number; offset: number },
): Promise<number[]> {
  const page = reads.query
    .selectFrom(sql<{ seq: number }>`(${seqs})`.as("found"))
    .select("found.seq")
    .orderBy("found.seq")
    .limit(limit)
    .offset(offset);
  return (await page.execute()).map(({ seq }) => seq);
}
