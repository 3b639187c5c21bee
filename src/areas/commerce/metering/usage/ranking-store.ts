import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";

/** The number of subscriptions in one block of a ranking. */
export const blockSize = 500;

/** A stored ranking of a bucket. */
export interface Ranking {
  bucketSeq: number;
  /** When it was begun, in the time of the server. */
  rankedOn: number;
  size: number;
}

interface RankingRow {
  ranked_on: number | null;
  previous_ranked_on: number | null;
  size: number;
}

/** Returns the ranking of a time, if it is kept, or the last one; undefined if the bucket has none. */
export async function findRanking(
  reads: Reads,
  bucketSeq: number,
  rankedOn: number | undefined,
): Promise<Ranking | undefined> {
  const sql = "SELECT ranked_on, previous_ranked_on, size FROM usage_rankings WHERE bucket_seq = ?";
  const row = await reads.one<RankingRow>(sql, [bucketSeq]);
  if (!row || row.ranked_on === null) return undefined;
  if (rankedOn === undefined || rankedOn !== row.previous_ranked_on)
    return { bucketSeq, rankedOn: row.ranked_on, size: row.size };
  const last = await reads.one<BlockRow>(
    `SELECT block, ranks FROM usage_ranking_blocks WHERE bucket_seq = ? AND ranked_on = ? ORDER BY block DESC LIMIT 1`,
    [bucketSeq, rankedOn],
  );
  return { bucketSeq, rankedOn, size: last ? last.block * blockSize + ranksOf(last).seqs.length : 0 };
}

interface BlockRow {
  block: number;
  ranks: string;
}

interface Ranks {
  seqs: number[];
  /** In millionths. */
  shares: number[];
}

const ranksOf = ({ ranks }: BlockRow) => JSON.parse(ranks) as Ranks;

/** Returns the `seq` of the subscriptions from one position of a ranking up to another. */
export async function rankedSeqs(
  reads: Reads,
  { bucketSeq, rankedOn }: Ranking,
  from: number,
  to: number,
): Promise<number[]> {
  if (from >= to) return [];
  const first = Math.floor(from / blockSize);
  const rows = await reads.all<BlockRow>(
    `SELECT block, ranks FROM usage_ranking_blocks WHERE bucket_seq = ? AND ranked_on = ? AND block >= ? AND block <= ?
     ORDER BY block`,
    [bucketSeq, rankedOn, first, Math.floor((to - 1) / blockSize)],
  );
  return rows.flatMap((row) => ranksOf(row).seqs).slice(from - first * blockSize, to - first * blockSize);
}

/** Returns how many subscriptions of a ranking have at least a share. They are the first ones. */
export async function countFrom(reads: Reads, { bucketSeq, rankedOn, size }: Ranking, share: number): Promise<number> {
  const smallest = Math.ceil(Number((share * 1_000_000).toFixed(3)));
  // The first block that has a smaller share.
  const row = await reads.one<BlockRow>(
    `SELECT block, ranks FROM usage_ranking_blocks WHERE bucket_seq = ? AND ranked_on = ? AND last_share < ?
     ORDER BY last_share DESC, block LIMIT 1`,
    [bucketSeq, rankedOn, smallest],
  );
  if (!row) return size;
  return row.block * blockSize + ranksOf(row).shares.filter((each) => each >= smallest).length;
}

export async function insertBlock(
  transaction: WriteTransaction,
  { bucketSeq, rankedOn }: Omit<Ranking, "size">,
  block: number,
  ranks: Ranks,
): Promise<void> {
  await transaction.insertAll("usage_ranking_blocks", [
    {
      bucket_seq: bucketSeq,
      ranked_on: rankedOn,
      block,
      last_share: ranks.shares.at(-1)!,
      ranks: JSON.stringify(ranks),
    },
  ]);
}

/** A bucket with the number of its subscriptions, and what is known of its ranking. */
export interface RankedBucket {
  seq: number;
  test_clock: number | null;
  subscriptions: number;
  is_ranked: number;
  ranked_on: number | null;
  bucket_clock: number | null;
  next_on: number | null;
}

/** The next buckets of the server in their order, except those that are being removed. */
export function bucketsAfter(
  reads: Reads,
  seq: number,
  limit: number,
  list: string,
  removedAccount: number,
): Promise<RankedBucket[]> {
  return reads.all(
    `SELECT metering_buckets.seq, test_clock, ranked_on, bucket_clock, next_on,
       CASE WHEN usage_rankings.bucket_seq IS NULL THEN 0 ELSE 1 END AS is_ranked,
       CAST(COALESCE((SELECT SUM(size) FROM list_blocks WHERE scope = metering_buckets.id AND list = ?), 0) AS bigint) AS subscriptions
     FROM metering_buckets LEFT JOIN usage_rankings ON usage_rankings.bucket_seq = metering_buckets.seq
     WHERE metering_buckets.seq > ? AND account_seq <> ? ORDER BY metering_buckets.seq LIMIT ?`,
    [list, seq, removedAccount, limit],
  );
}

/** Begins to rank a bucket. Returns false if another node does so, or the bucket was deleted. */
export async function claim(
  transaction: WriteTransaction,
  bucketSeq: number,
  now: number,
  until: number,
): Promise<boolean> {
  await transaction.run(
    `INSERT INTO usage_rankings (bucket_seq, ranked_on, previous_ranked_on, bucket_clock, size, next_on, lease_until)
     SELECT seq, NULL, NULL, NULL, 0, 0, 0 FROM metering_buckets WHERE seq = ?
     ON CONFLICT (bucket_seq) DO NOTHING`,
    [bucketSeq],
  );
  return setLease(transaction, bucketSeq, "lease_until <= ?", now, until);
}

/** Extends a lease. Returns false if it was lost. */
export function extend(
  transaction: WriteTransaction,
  bucketSeq: number,
  lease: number,
  until: number,
): Promise<boolean> {
  return setLease(transaction, bucketSeq, "lease_until = ?", lease, until);
}

async function setLease(
  transaction: WriteTransaction,
  bucketSeq: number,
  condition: string,
  compared: number,
  until: number,
): Promise<boolean> {
  const set = await transaction.all(
    `UPDATE usage_rankings SET lease_until = ? WHERE bucket_seq = ? AND ${condition} RETURNING bucket_seq`,
    [until, bucketSeq, compared],
  );
  return set.length > 0;
}

/** Makes a ranking the last one, and removes those before the one that it replaces. */
export async function publish(
  transaction: WriteTransaction,
  { bucketSeq, rankedOn, size }: Ranking,
  { bucketClock, nextOn, lease }: { bucketClock: number | null; nextOn: number; lease: number },
): Promise<void> {
  const published = await transaction.all<{ previous_ranked_on: number | null }>(
    `UPDATE usage_rankings SET previous_ranked_on = ranked_on, ranked_on = ?, bucket_clock = ?, size = ?, next_on = ?, lease_until = 0
     WHERE bucket_seq = ? AND lease_until = ? RETURNING previous_ranked_on`,
    [rankedOn, bucketClock, size, nextOn, bucketSeq, lease],
  );
  const kept = published[0]?.previous_ranked_on ?? rankedOn;
  if (published.length === 0) await removeBlocks(transaction, bucketSeq, "ranked_on = ?", [rankedOn]);
  else await removeBlocks(transaction, bucketSeq, "ranked_on <> ? AND ranked_on <> ?", [rankedOn, kept]);
}

async function removeBlocks(
  transaction: WriteTransaction,
  bucketSeq: number,
  condition: string,
  parameters: number[],
): Promise<void> {
  await transaction.run(`DELETE FROM usage_ranking_blocks WHERE bucket_seq = ? AND ${condition}`, [
    bucketSeq,
    ...parameters,
  ]);
}

/** Removes the ranking of a bucket that is no longer large. */
export async function removeRanking(transaction: WriteTransaction, bucketSeq: number): Promise<void> {
  await transaction.run("DELETE FROM usage_rankings WHERE bucket_seq = ?", [bucketSeq]);
  await removeBlocks(transaction, bucketSeq, "1 = 1", []);
}
