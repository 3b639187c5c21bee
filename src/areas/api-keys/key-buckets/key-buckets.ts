import type { z } from "zod";
import type { Act } from "../../../core/access.ts";
import { recordChange, recordForFollowers } from "../../../core/changes/record.ts";
import { ensureRemovedAccount } from "../../../core/database/removed-account.ts";
import { existing, invalid, Problem } from "../../../core/problems/problem.ts";
import type { Precondition } from "../../../lib/http/etag.ts";
import { newId } from "../../../lib/ids.ts";
import { namePattern, namePatternText } from "../../../lib/text/names.ts";
import { countList, removeCounts, wholeList } from "../../../platform/storage/counted-lists.ts";
import { ReferenceViolation } from "../../../platform/storage/errors.ts";
import { findRow, findRows, lockRow } from "../../../platform/storage/rows.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import { presentKeyBucket } from "./present.ts";
import { markKeyBucketRemoved } from "./removal-store.ts";
import type { keyBucketInput, keyBucketPatch } from "./schema.ts";
import * as store from "./store.ts";
import type { TokenIssuer } from "./token-issuers.ts";

/** The counted list of a bucket's keys. The list without a name is that of its consumers. */
export const keyList = "keys";

export { listKeyBuckets } from "./store.ts";

export type KeyBucket = store.KeyBucketRow;

type KeyBucketInput = z.output<typeof keyBucketInput>;
type KeyBucketPatch = z.output<typeof keyBucketPatch>;

/** A bucket that does not exist yet is treated as empty. */
export const findKeyBucketIfAny = (reads: Reads, accountSeq: number, name: string): Promise<KeyBucket | undefined> =>
  findRow(reads, "key_buckets", { account_seq: accountSeq, name });

export const findKeyBucket = (reads: Reads, accountSeq: number, name: string): Promise<KeyBucket> =>
  existing(findKeyBucketIfAny(reads, accountSeq, name), "key bucket");

export async function createKeyBucket(
  transaction: WriteTransaction,
  act: Act,
  input: KeyBucketInput,
): Promise<KeyBucket> {
  const bucket = await insertBucket(transaction, act, input);
  if (!bucket) throw new Problem("bucket_exists");
  return bucket;
}

/** Returns the bucket of that name. Creates it with the defaults if there is none. */
export async function ensureKeyBucket(transaction: WriteTransaction, act: Act, name: string): Promise<KeyBucket> {
  const found = await findKeyBucketIfAny(transaction, act.account.seq, name);
  if (found) return found;
  if (!namePattern.test(name)) throw invalid("bucketName", `must be ${namePatternText}`);
  return (await insertBucket(transaction, act, { name })) ?? (await findKeyBucket(transaction, act.account.seq, name));
}

async function insertBucket(
  transaction: WriteTransaction,
  act: Act,
  input: KeyBucketInput,
): Promise<KeyBucket | undefined> {
  const bucket = await store.insertKeyBucketOnce(transaction, {
    id: newId("bckt", act.now),
    account_seq: act.account.seq,
    name: input.name,
    description: input.description ?? null,
    tags: input.tags ? JSON.stringify(input.tags) : null,
    is_retrievable: input.isRetrievable === false ? 0 : 1,
    key_prefix: input.keyPrefix ?? "tg",
    has_lookalike_keys: 0,
    on_leak: input.onLeak ?? "mark",
    token_issuers: storedIssuers(input.tokenIssuers),
    version: 1,
    created_on: act.now,
    updated_on: act.now,
  });
  if (bucket) {
    const after = presentKeyBucket(bucket);
    recordChange(transaction, act, "bucket.created", { ...namedKeyBucket(bucket), after }, { name: bucket.name });
  }
  return bucket;
}

function storedIssuers(issuers: TokenIssuer[] | null | undefined): string | null {
  return !issuers || issuers.length === 0 ? null : JSON.stringify(issuers);
}

export async function updateKeyBucket(
  transaction: WriteTransaction,
  act: Act,
  name: string,
  patch: KeyBucketPatch,
  precondition: Precondition,
): Promise<KeyBucket> {
  const bucket = await findForUpdate(transaction, act, name);
  precondition(bucket);
  if (Object.values(patch).every((value) => value === undefined)) return bucket;
  const changed = {
    ...(patch.description === undefined ? {} : { description: patch.description }),
    ...(patch.tags === undefined ? {} : { tags: patch.tags && JSON.stringify(patch.tags) }),
    ...(patch.keyPrefix === undefined ? {} : { key_prefix: patch.keyPrefix }),
    ...(patch.onLeak === undefined ? {} : { on_leak: patch.onLeak }),
    ...(patch.tokenIssuers === undefined ? {} : { token_issuers: storedIssuers(patch.tokenIssuers) }),
    version: bucket.version + 1,
    updated_on: act.now,
  };
  await transaction.update("key_buckets", bucket.seq, changed);
  const updated = { ...bucket, ...changed };
  const snapshots = { before: presentKeyBucket(bucket), after: presentKeyBucket(updated) };
  recordChange(transaction, act, "bucket.updated", { ...namedKeyBucket(bucket), ...snapshots }, { name: bucket.name });
  return updated;
}

/**
 * From now on a wrong checksum does not prove that a key is invalid in this bucket. The revision is unchanged, because
 * the API's view is.
 */
export async function markLookalikeKeys(transaction: WriteTransaction, act: Act, bucket: KeyBucket): Promise<void> {
  if (bucket.has_lookalike_keys === 1) return;
  await transaction.update("key_buckets", bucket.seq, { has_lookalike_keys: 1 });
  recordForFollowers(transaction, act, "bucket.marked", bucket.id, { name: bucket.name });
}

export async function deleteKeyBucket(
  transaction: WriteTransaction,
  act: Act,
  name: string,
  options: { force: boolean; precondition: Precondition },
): Promise<void> {
  const bucket = await findForUpdate(transaction, act, name);
  options.precondition(bucket);
  const counts = await remove(transaction, act, bucket, options.force);
  const before = presentKeyBucket(bucket);
  recordChange(
    transaction,
    act,
    "bucket.deleted",
    { ...namedKeyBucket(bucket), before, counts },
    { name: bucket.name },
  );
}

export async function deleteKeyBucketsOf(transaction: WriteTransaction, act: Act): Promise<Record<string, number>> {
  const buckets = await findRows(transaction, "key_buckets", { account_seq: act.account.seq });
  const counts = { keyBuckets: buckets.length, consumers: 0, keys: 0 };
  for (const bucket of buckets) {
    const removed = await remove(transaction, act, bucket, true);
    counts.consumers += removed.consumers;
    counts.keys += removed.keys;
    recordForFollowers(transaction, act, "bucket.deleted", bucket.id, { name: bucket.name });
  }
  return counts;
}

/** The resource in changes. */
export function namedKeyBucket({ id, name }: { id: string; name: string }) {
  return { type: "bucket", id, name };
}

/**
 * With force the bucket is invisible immediately, and its contents are removed later, see removal.ts: a million
 * consumers take minutes.
 */
async function remove(
  transaction: WriteTransaction,
  act: Act,
  bucket: KeyBucket,
  force: boolean,
): Promise<{ consumers: number; keys: number }> {
  if (!force) {
    await removeEmpty(transaction, bucket);
    return { consumers: 0, keys: 0 };
  }
  const consumers = await countList(transaction, bucket.id, wholeList);
  const keys = await countList(transaction, bucket.id, keyList);
  await ensureRemovedAccount(transaction, act.now);
  await markKeyBucketRemoved(transaction, bucket.seq);
  return { consumers, keys };
}

async function removeEmpty(transaction: WriteTransaction, bucket: KeyBucket): Promise<void> {
  try {
    await transaction.delete("key_buckets", bucket.seq);
  } catch (error) {
    throw error instanceof ReferenceViolation ? new Problem("bucket_not_empty") : error;
  }
  removeCounts(transaction, bucket.id);
}

const findForUpdate = (transaction: WriteTransaction, { account }: Act, name: string): Promise<KeyBucket> =>
  existing(lockRow(transaction, "key_buckets", { account_seq: account.seq, name }), "key bucket");
