import type { RawBuilder } from "kysely";
import { pause } from "../../lib/pause.ts";
import { blocksFrom, type ListPosition, seqsPerBlock } from "../../platform/storage/counted-lists.ts";
import { sql } from "../../platform/storage/query.ts";
import type { Reads } from "../../platform/storage/storage.ts";
import { keyList } from "../buckets/buckets.ts";
import type { Seqs } from "./condition-store.ts";

interface BucketKeys {
  seq: number;
  id: string;
}

type Checks = RawBuilder<boolean>[];

interface Range {
  from: number;
  before: number;
}

/** On SQLite a query holds up the process: 16,384 keys with two conditions take about 50 ms. */
const blocksAtOnce = 4;

/** The keys of a bucket by their `seq`, in order. Whoever waits for the event loop is served in between. */
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

function inRange(bucket: BucketKeys, checks: Checks, { from, before }: Range): Seqs {
  const range = [sql`bucket_seq = ${bucket.seq}`, sql`seq >= ${from}`, sql`seq < ${before}`];
  return sql`SELECT seq FROM api_keys WHERE ${sql.join([...range, ...checks], sql` AND `)}`;
}

/** How many fit, and where the one at the offset is. With `isTotalKnown` it stops there, and the total is what it has counted. */
export async function locate(
  reads: Reads,
  bucket: BucketKeys,
  checks: Checks,
  { fromSeq, offset, isTotalKnown }: { fromSeq: number; offset: number; isTotalKnown: boolean },
): Promise<ListPosition> {
  const position: ListPosition = { total: 0, fromSeq, skip: offset };
  for await (const range of rangesOf(reads, bucket, fromSeq)) {
    if (offset >= position.total) {
      position.fromSeq = range.from;
      position.skip = offset - position.total;
    } else if (isTotalKnown) break;
    position.total += await countSeqs(reads, inRange(bucket, checks, range));
  }
  return position;
}

/** The first that fit, in order; those skipped are all in the range that begins at `fromSeq`. */
export async function walk(
  reads: Reads,
  bucket: BucketKeys,
  checks: Checks,
  { fromSeq, skip, limit }: { fromSeq: number; skip: number; limit: number },
): Promise<number[]> {
  const found: number[] = [];
  for await (const range of rangesOf(reads, bucket, fromSeq)) {
    const paging = { limit: limit - found.length, offset: range.from === fromSeq ? skip : 0 };
    found.push(...(await seqsOf(reads, inRange(bucket, checks, range), paging)));
    if (found.length >= limit) break;
  }
  return found;
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
