import { prefixRange } from "../../../lib/text/prefix-range.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import { type ConsumerFilter, type ConsumerRow, managedSeqs, taggedSeqs } from "./store.ts";

interface BucketKeys {
  seq: number;
  id: string;
}

/**
 * `after` is also a condition on the tags: otherwise PostgreSQL would read all of them up to there for each batch of a
 * job.
 */
function matching(
  reads: Reads,
  bucket: BucketKeys,
  { tags, managerEmailKey, namePrefix, now }: ConsumerFilter,
  after = 0,
) {
  let consumers = reads.query.selectFrom("consumers").where("consumers.bucket_seq", "=", bucket.seq);
  if (namePrefix) {
    const { from, before } = prefixRange(namePrefix);
    consumers = consumers.where("consumers.name", ">=", from);
    if (before !== undefined) consumers = consumers.where("consumers.name", "<", before);
  }
  for (const tag of tags) {
    const tagged = taggedSeqs(reads, bucket, tag).where("consumer_tags.consumer_seq", ">", after);
    consumers = consumers.where("consumers.seq", "in", tagged);
  }
  if (managerEmailKey !== undefined)
    consumers = consumers.where("consumers.seq", "in", managedSeqs(reads, bucket, managerEmailKey, now));
  return consumers;
}

/** Locks the rows after a position, at most the given number, and returns them. */
export function matchingConsumersAfter(
  transaction: WriteTransaction,
  bucket: BucketKeys,
  filter: ConsumerFilter,
  { after, limit, createdUntil }: { after: number; limit: number; createdUntil?: number },
): Promise<ConsumerRow[]> {
  let found = matching(transaction, bucket, filter, after).selectAll("consumers").where("consumers.seq", ">", after);
  if (createdUntil !== undefined) found = found.where("consumers.created_on", "<=", createdUntil);
  found = found.orderBy("consumers.seq").limit(limit);
  return (transaction.locksRows ? found.forNoKeyUpdate() : found).execute();
}

export function consumersNamed(
  transaction: WriteTransaction,
  bucket: BucketKeys,
  names: string[],
): Promise<ConsumerRow[]> {
  const found = named(transaction, bucket, names);
  return (transaction.locksRows ? found.forNoKeyUpdate() : found).execute();
}

export const consumersNamedAsRead = (reads: Reads, bucket: BucketKeys, names: string[]): Promise<ConsumerRow[]> =>
  named(reads, bucket, names).execute();

const named = (reads: Reads, bucket: BucketKeys, names: string[]) =>
  reads.query
    .selectFrom("consumers")
    .selectAll()
    .where("bucket_seq", "=", bucket.seq)
    .where("name", "in", names)
    .orderBy("seq");

export async function countKeysOf(reads: Reads, consumers: ConsumerRow[]): Promise<number> {
  if (consumers.length === 0) return 0;
  const seqs = consumers.map(({ seq }) => seq);
  const { keys } = await reads.query
    .selectFrom("api_keys")
    .select(({ fn }) => fn.countAll<number>().as("keys"))
    .where("consumer_seq", "in", seqs)
    .executeTakeFirstOrThrow();
  return keys;
}

export async function countKeysMatching(reads: Reads, bucket: BucketKeys, filter: ConsumerFilter): Promise<number> {
  const { keys } = await reads.query
    .selectFrom("api_keys")
    .select(({ fn }) => fn.countAll<number>().as("keys"))
    .where("consumer_seq", "in", matching(reads, bucket, filter).select("consumers.seq"))
    .executeTakeFirstOrThrow();
  return keys;
}
