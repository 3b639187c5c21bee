import type { Act } from "../../../../core/access.ts";
import { maxListedIds, recordChange, recordForFollowers } from "../../../../core/changes/record.ts";
import { hashToText } from "../../../../lib/crypto/secret-text.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { JobKind, JobStep } from "../../../common/background-jobs/job-runner.ts";
import { startJob } from "../../../common/background-jobs/jobs.ts";
import { type KeyBucket, namedKeyBucket } from "../../key-buckets/key-buckets.ts";
import { storedRules } from "../fields.ts";
import type { KeyFilter } from "../filter/filter.ts";
import * as filtered from "../filter/filter-store.ts";
import { countChanged } from "../key-lists.ts";
import type { KeyPatch } from "../keys.ts";
import * as store from "../store.ts";

/** The fields that a bulk change sets. */
export type KeyChanges = Omit<KeyPatch, "key">;

export type BulkKeyTarget = { ids: string[] } | { where: KeyFilter };

/** Without `set`, the keys are deleted. */
export type BulkKeyChange = BulkKeyTarget & { set?: KeyChanges | undefined };

interface BulkKeyItem {
  id: string;
  status: "updated" | "deleted" | "not_found";
}

/** The maximum number of keys that are changed within the request. More become a job. */
const maxPerRequest = 1000;
const pieceSize = 500;
const sampleSize = 10;

/** The kind of jobs that change keys. */
export const bulkKeysJobKind = "keys";

/** The parameters of a job. */
type StoredChange = BulkKeyChange & { bucket: { seq: number; id: string }; submittedOn: number };

type BulkResult = { results: BulkKeyItem[] } | { jobId: string };

/** Changes or deletes keys of a bucket, all or none. Starts a job if there are more than 1,000. */
export async function changeKeys(
  transaction: WriteTransaction,
  act: Act,
  bucket: KeyBucket,
  change: BulkKeyChange,
): Promise<BulkResult> {
  const total =
    "ids" in change ? new Set(change.ids).size : await filtered.countMatches(transaction, bucket, change.where);
  if (total > maxPerRequest) {
    const input: StoredChange = { ...change, bucket: { seq: bucket.seq, id: bucket.id }, submittedOn: act.now };
    if ("ids" in input) input.ids = [...new Set(input.ids)];
    return { jobId: await startJob(transaction, act, { kind: bulkKeysJobKind, input, total }) };
  }
  if ("ids" in change)
    return { results: await changeWithIds(transaction, act, bucket, [...new Set(change.ids)], change.set) };
  const range = { after: 0, limit: maxPerRequest, madeUntil: act.now, few: filtered.fewMatches };
  const keys = await filtered.matchingKeysAfter(transaction, bucket, change.where, range);
  await changeRows(transaction, act, bucket, keys, change.set);
  const status = change.set ? "updated" : "deleted";
  return { results: keys.map(({ id }) => ({ id, status })) };
}

export type ListedKey = filtered.ListedKeyRow;

export const listFilteredKeys = filtered.listFilteredKeys;

/** Previews a change: the number of keys, and some of them. */
export async function previewKeyChange(reads: Reads, bucket: KeyBucket, target: BulkKeyTarget) {
  if ("where" in target) {
    const { data, total } = await filtered.listFilteredKeys(reads, bucket, target.where, {
      limit: sampleSize,
      offset: 0,
    });
    return { matched: total, sample: data };
  }
  const seqs = await filtered.seqsWithIds(reads, bucket, [...new Set(target.ids)]);
  return { matched: seqs.length, sample: await filtered.listedKeys(reads, seqs.slice(0, sampleSize)) };
}

/**
 * Runs one batch of a job. Keys are processed in the order of creation, so that a change does not affect which ones
 * follow.
 */
export const changeKeysPiece: JobKind = async (transaction, act, job): Promise<JobStep> => {
  const change = JSON.parse(job.input) as StoredChange;
  const { bucket, set } = change;
  if ("ids" in change) {
    const ids = change.ids.slice(job.position, job.position + pieceSize);
    const results = await changeWithIds(transaction, act, bucket, ids, set);
    const position = job.position + ids.length;
    const failed = results.filter(({ status }) => status === "not_found").length;
    return { position, done: ids.length, failed, isLast: position >= change.ids.length };
  }
  // In the order of keys for every batch: an index would be read from its beginning each time.
  const range = { after: job.position, limit: pieceSize, madeUntil: change.submittedOn, few: 0 };
  const keys = await filtered.matchingKeysAfter(transaction, bucket, change.where, range);
  await changeRows(transaction, act, bucket, keys, set);
  return { position: keys.at(-1)?.seq ?? job.position, done: keys.length, failed: 0, isLast: keys.length < pieceSize };
};

async function changeWithIds(
  transaction: WriteTransaction,
  act: Act,
  bucket: ChangedBucket,
  ids: string[],
  set: KeyChanges | undefined,
): Promise<BulkKeyItem[]> {
  const keys = await filtered.keysWithIds(transaction, bucket, ids);
  await changeRows(transaction, act, bucket, keys, set);
  const found = new Set(keys.map(({ id }) => id));
  return ids.map((id) => ({ id, status: !found.has(id) ? "not_found" : set ? "updated" : "deleted" }));
}

/** The bucket. It has no name if a job changes its keys. */
type ChangedBucket = filtered.BucketKeys & { name?: string };

/** Changes locked rows. */
async function changeRows(
  transaction: WriteTransaction,
  act: Act,
  bucket: ChangedBucket,
  keys: store.KeyRow[],
  set: KeyChanges | undefined,
): Promise<void> {
  if (keys.length > 0) {
    if (set) await updateRows(transaction, act, bucket, keys, set);
    else await store.deleteKeys(transaction, bucket, keys);
  }
  const hashes = keys.map(({ hash }) => hashToText(hash));
  const data = { bucketSeq: bucket.seq, hashes };
  const kind = set ? "keys.updated" : "keys.deleted";
  // The batches of a job have no audit entries of their own: the job has one.
  if (bucket.name === undefined) recordForFollowers(transaction, act, kind, bucket.id, data);
  else {
    const holder = { id: bucket.id, name: bucket.name };
    const event = { bucket: holder, ids: keys.slice(0, maxListedIds).map(({ id }) => id) };
    const resource = { ...namedKeyBucket(holder), counts: { keys: keys.length }, event };
    recordChange(transaction, act, kind, { ...resource, action: set ? "key.updated" : "key.deleted" }, data);
  }
}

async function updateRows(
  transaction: WriteTransaction,
  act: Act,
  bucket: filtered.BucketKeys,
  keys: store.KeyRow[],
  set: KeyChanges,
): Promise<void> {
  const changed = {
    ...(set.expiresOn === undefined ? {} : { expires_on: set.expiresOn }),
    ...(set.description === undefined ? {} : { description: set.description }),
    ...storedRules(set),
  };
  await store.updateKeys(transaction, keys, { ...changed, updated_on: act.now });
  for (const key of keys) countChanged(transaction, bucket, key, { ...key, ...changed });
  if (changed.permissions !== undefined)
    await store.replacePermissions(
      transaction,
      keys.map((key) => ({ ...key, ...changed })),
    );
}
