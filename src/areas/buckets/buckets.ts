import type { Act } from "../../core/access/access.ts";
import { recordChange } from "../../core/changes/record.ts";
import { invalid, notFound, Problem } from "../../core/problems/problem.ts";
import type { Precondition } from "../../lib/etag.ts";
import { newId } from "../../lib/ids.ts";
import { namePattern, namePatternText } from "../../lib/names.ts";
import type { Paging } from "../../lib/paging.ts";
import { removeCounts } from "../../platform/storage/counted-lists.ts";
import { ReferenceViolation } from "../../platform/storage/errors.ts";
import type { Reads, WriteTransaction } from "../../platform/storage/storage.ts";
import * as store from "./store.ts";

export type Bucket = store.BucketRow;
type Tags = Record<string, string | number | boolean>;

export interface BucketInput {
  name: string;
  description?: string | undefined;
  tags?: Tags | undefined;
  isRetrievable?: boolean | undefined;
  keyPrefix?: string | undefined;
}

export interface BucketPatch {
  description?: string | null | undefined;
  tags?: Tags | null | undefined;
  keyPrefix?: string | undefined;
}

export const listBuckets = (reads: Reads, accountSeq: number, paging: Paging) =>
  store.listBuckets(reads, accountSeq, paging);

export async function findBucket(reads: Reads, accountSeq: number, name: string): Promise<Bucket> {
  const bucket = await store.findBucket(reads, accountSeq, name);
  if (!bucket) throw notFound("key bucket");
  return bucket;
}

/** Reading from a bucket that does not exist yet finds it empty. */
export const findBucketIfAny = (reads: Reads, accountSeq: number, name: string) =>
  store.findBucket(reads, accountSeq, name);

export async function createBucket(transaction: WriteTransaction, act: Act, input: BucketInput): Promise<Bucket> {
  const bucket = await insertBucket(transaction, act, input);
  if (!bucket) throw new Problem("bucket_exists");
  return bucket;
}

/** The bucket of that name, made with the defaults if there is none. */
export async function ensureBucket(transaction: WriteTransaction, act: Act, name: string): Promise<Bucket> {
  const existing = await store.findBucket(transaction, act.account.seq, name);
  if (existing) return existing;
  if (!namePattern.test(name)) throw invalid("bucketName", `must be ${namePatternText}`);
  return (await insertBucket(transaction, act, { name })) ?? (await findBucket(transaction, act.account.seq, name));
}

async function insertBucket(transaction: WriteTransaction, act: Act, input: BucketInput): Promise<Bucket | undefined> {
  const bucket = await store.insertBucketOnce(transaction, {
    id: newId("bckt", act.now),
    account_seq: act.account.seq,
    name: input.name,
    description: input.description ?? null,
    tags: input.tags ? JSON.stringify(input.tags) : null,
    is_retrievable: input.isRetrievable === false ? 0 : 1,
    key_prefix: input.keyPrefix ?? "tg",
    has_lookalike_keys: 0,
    version: 1,
    created_on: act.now,
    updated_on: act.now,
  });
  if (bucket) recordChange(transaction, act, "bucket.created", bucket.id, { name: bucket.name });
  return bucket;
}

export async function updateBucket(
  transaction: WriteTransaction,
  act: Act,
  name: string,
  patch: BucketPatch,
  precondition: Precondition,
): Promise<Bucket> {
  const bucket = await findForUpdate(transaction, act, name);
  precondition(bucket);
  if (Object.values(patch).every((value) => value === undefined)) return bucket;
  const changed = {
    ...(patch.description === undefined ? {} : { description: patch.description }),
    ...(patch.tags === undefined ? {} : { tags: patch.tags && JSON.stringify(patch.tags) }),
    ...(patch.keyPrefix === undefined ? {} : { key_prefix: patch.keyPrefix }),
    version: bucket.version + 1,
    updated_on: act.now,
  };
  await store.updateBucket(transaction, bucket.seq, changed);
  recordChange(transaction, act, "bucket.updated", bucket.id, { name: bucket.name });
  return { ...bucket, ...changed };
}

/** From now on a wrong checksum proves nothing in this bucket. Its revision stays: nothing that is shown of it changes. */
export async function markLookalikeKeys(transaction: WriteTransaction, act: Act, bucket: Bucket): Promise<void> {
  if (bucket.has_lookalike_keys === 1) return;
  await store.updateBucket(transaction, bucket.seq, { has_lookalike_keys: 1 });
  recordChange(transaction, act, "bucket.marked", bucket.id, { name: bucket.name });
}

export async function deleteBucket(
  transaction: WriteTransaction,
  act: Act,
  name: string,
  options: { force: boolean; precondition: Precondition },
): Promise<void> {
  const bucket = await findForUpdate(transaction, act, name);
  options.precondition(bucket);
  await remove(transaction, act, bucket, options.force);
}

export async function deleteBucketsOf(transaction: WriteTransaction, act: Act): Promise<void> {
  for (const bucket of await store.allBuckets(transaction, act.account.seq))
    await remove(transaction, act, bucket, true);
}

async function remove(transaction: WriteTransaction, act: Act, bucket: Bucket, force: boolean): Promise<void> {
  if (force) await store.deleteConsumersOf(transaction, bucket.seq);
  try {
    await store.deleteBucket(transaction, bucket.seq);
  } catch (error) {
    throw error instanceof ReferenceViolation ? new Problem("bucket_not_empty") : error;
  }
  removeCounts(transaction, bucket.id);
  recordChange(transaction, act, "bucket.deleted", bucket.id, { name: bucket.name });
}

async function findForUpdate(transaction: WriteTransaction, act: Act, name: string): Promise<Bucket> {
  const bucket = await store.findBucketForUpdate(transaction, act.account.seq, name);
  if (!bucket) throw notFound("key bucket");
  return bucket;
}
