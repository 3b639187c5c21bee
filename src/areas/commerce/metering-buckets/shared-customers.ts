import type { Reads } from "../../../platform/storage/storage.ts";
import type { MeteringBucketRow } from "./store.ts";

/** What is compared for a warning: the key buckets created first, and the consumers created first in each. */
const maxBuckets = 20;
const maxConsumers = 2000;

const firstBuckets = `SELECT seq, name FROM key_buckets WHERE account_seq = ? ORDER BY seq LIMIT ${maxBuckets}`;

type Customers = Pick<MeteringBucketRow, "account_seq" | "key_bucket">;

/** Warns if consumers of several key buckets are one customer of a metering bucket, because they have the same name. */
export async function customerWarnings(reads: Reads, bucket: Customers, customerKey: string): Promise<string[]> {
  if (bucket.key_bucket !== null) return [];
  const found = await reads.all<{ name: string }>(
    `SELECT buckets.name FROM (${firstBuckets}) buckets
     JOIN consumers ON consumers.bucket_seq = buckets.seq AND consumers.name = ? ORDER BY buckets.seq LIMIT 2`,
    [bucket.account_seq, customerKey],
  );
  return warningsOf(customerKey, found);
}

/** The same for any customer of a metering bucket without a `keyBucket`. */
export async function sharedCustomerWarnings(reads: Reads, accountSeq: number): Promise<string[]> {
  const buckets = await reads.all<{ seq: number; name: string }>(firstBuckets, [accountSeq]);
  for (const { seq, name } of buckets) {
    const [shared] = await reads.all<{ name: string; bucket: string }>(
      `SELECT compared.name, buckets.name AS bucket
       FROM (SELECT name FROM consumers WHERE bucket_seq = ? ORDER BY seq LIMIT ${maxConsumers}) compared
       JOIN (${firstBuckets}) buckets ON buckets.seq > ?
       JOIN consumers ON consumers.bucket_seq = buckets.seq AND consumers.name = compared.name LIMIT 1`,
      [seq, accountSeq, seq],
    );
    if (shared) return warningsOf(shared.name, [{ name }, { name: shared.bucket }]);
  }
  return [];
}

function warningsOf(consumer: string, [first, second]: { name: string }[]): string[] {
  if (!second) return [];
  return [
    `The consumers ${consumer} of the key buckets ${first!.name} and ${second.name} are one customer: they share its subscriptions and their quotas. Set the metering bucket's keyBucket to the one whose consumers are its customers.`,
  ];
}
