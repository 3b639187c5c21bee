import type { Act } from "../../../core/access.ts";
import { maxListedIds, recordChange, recordForFollowers } from "../../../core/changes/record.ts";
import { invalid } from "../../../core/problems/problem.ts";
import { emailKey } from "../../../lib/text/email.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { JobKind, JobStep } from "../../common/background-jobs/job-runner.ts";
import { startJob } from "../../common/background-jobs/jobs.ts";
import type { TagFilter } from "../consumer-addresses/consumer-address.ts";
import { readTags, type Tags } from "../consumer-addresses/consumer-tags.ts";
import { type KeyBucket, namedKeyBucket } from "../key-buckets/key-buckets.ts";
import { deleteKeysOf } from "../keys/keys.ts";
import * as bulk from "./bulk-store.ts";
import { changedSuspension } from "./consumers.ts";
import * as store from "./store.ts";

/** The fields that a bulk change sets. Tags are added to the tags of a consumer, or removed from them. */
interface ConsumersChange {
  description?: string | null | undefined;
  addTags?: Tags | undefined;
  removeTags?: string[] | undefined;
  isSuspended?: boolean | undefined;
  suspensionReason?: string | null | undefined;
}

/** Conditions, all of which must match. */
export interface ConsumerWhere {
  tags: TagFilter;
  managerEmail?: string | undefined;
  namePrefix?: string | undefined;
}

export type BulkConsumerTarget = { names: string[] } | { where: ConsumerWhere };

/** Without `set`, the consumers are deleted. */
type BulkConsumerChange = BulkConsumerTarget & { set?: ConsumersChange | undefined };

interface BulkConsumerItem {
  name: string;
  status: "updated" | "deleted" | "not_found";
}

/** The maximum number of consumers that are changed within the request. More become a job. */
const maxPerRequest = 1000;
const pieceSize = 250;
const sampleSize = 10;
const maxTags = 50;

/** The kind of jobs that change consumers. */
export const bulkConsumersJobKind = "consumers";

/** The parameters of a job. */
type StoredChange = BulkConsumerChange & { bucket: { seq: number; id: string }; submittedOn: number };

/** Changes or deletes consumers of a bucket, all or none. Starts a job if there are more than 1,000. */
export async function changeConsumers(
  transaction: WriteTransaction,
  act: Act,
  bucket: KeyBucket,
  change: BulkConsumerChange,
): Promise<{ results: BulkConsumerItem[] } | { jobId: string }> {
  const names = "names" in change ? [...new Set(change.names)] : undefined;
  const total = names?.length ?? (await countMatches(transaction, bucket, change, act.now));
  if (total > maxPerRequest) {
    const input: StoredChange = { ...change, bucket: { seq: bucket.seq, id: bucket.id }, submittedOn: act.now };
    if (names) (input as { names: string[] }).names = names;
    return { jobId: await startJob(transaction, act, { kind: bulkConsumersJobKind, input, total }) };
  }
  const rows = names
    ? await bulk.consumersNamed(transaction, bucket, names)
    : await bulk.matchingConsumersAfter(transaction, bucket, filterOf(change, act.now), {
        after: 0,
        limit: maxPerRequest,
      });
  const failed = await changeRows(transaction, act, bucket, rows, change.set);
  if (failed.length > 0)
    throw invalid("/set/addTags", `would give ${failed[0]!.name} more than ${maxTags} tags; nothing was changed`);
  const found = new Set(rows.map(({ name }) => name));
  const status = change.set ? "updated" : "deleted";
  return {
    results: (names ?? [...found]).map((name) => ({ name, status: found.has(name) ? status : "not_found" })),
  };
}

/** Previews a change: the number of consumers, some of them, and the number of their keys. */
export async function previewConsumerChange(reads: Reads, bucket: KeyBucket, target: BulkConsumerTarget, now: number) {
  if ("names" in target) {
    const rows = await bulk.consumersNamedAsRead(reads, bucket, [...new Set(target.names)]);
    return { matched: rows.length, sample: rows.slice(0, sampleSize), keys: await bulk.countKeysOf(reads, rows) };
  }
  const filter = filterOf(target, now);
  const { data, total } = await store.listConsumers(reads, bucket, filter, { limit: sampleSize, offset: 0 });
  return { matched: total, sample: data, keys: await bulk.countKeysMatching(reads, bucket, filter) };
}

/**
 * Runs one batch of a job. Consumers are processed in the order of creation, so that a change does not affect which
 * ones follow.
 */
export const changeConsumersPiece: JobKind = async (transaction, act, job): Promise<JobStep> => {
  const change = JSON.parse(job.input) as StoredChange;
  const { bucket, set, submittedOn } = change;
  if ("names" in change) {
    const names = change.names.slice(job.position, job.position + pieceSize);
    const rows = await bulk.consumersNamed(transaction, bucket, names);
    const rejected = await changeRows(transaction, act, bucket, rows, set);
    const position = job.position + names.length;
    const failed = names.length - rows.length + rejected.length;
    return { position, done: names.length, failed, isLast: position >= change.names.length };
  }
  const range = { after: job.position, limit: pieceSize, createdUntil: submittedOn };
  const rows = await bulk.matchingConsumersAfter(transaction, bucket, filterOf(change, act.now), range);
  const rejected = await changeRows(transaction, act, bucket, rows, set);
  return {
    position: rows.at(-1)?.seq ?? job.position,
    done: rows.length,
    failed: rejected.length,
    isLast: rows.length < pieceSize,
  };
};

async function countMatches(reads: Reads, bucket: KeyBucket, target: BulkConsumerTarget, now: number): Promise<number> {
  return (await store.listConsumers(reads, bucket, filterOf(target, now), { limit: 1, offset: 0 })).total;
}

function filterOf(target: BulkConsumerTarget, now: number): store.ConsumerFilter {
  const { tags, managerEmail, namePrefix } = (target as { where: ConsumerWhere }).where;
  return { tags, managerEmailKey: managerEmail === undefined ? undefined : emailKey(managerEmail), namePrefix, now };
}

/** The bucket. It has no name if a job changes its consumers. */
type ChangedBucket = { seq: number; id: string; name?: string };

/** Changes locked rows. Returns those that could not be changed. */
async function changeRows(
  transaction: WriteTransaction,
  act: Act,
  bucket: ChangedBucket,
  rows: store.ConsumerRow[],
  set: ConsumersChange | undefined,
): Promise<store.ConsumerRow[]> {
  const counts: Record<string, number> = {};
  const failed: store.ConsumerRow[] = [];
  for (const row of rows) {
    if (!set) addCounts(counts, await deleteRow(transaction, bucket, row));
    else if (!(await updateRow(transaction, act, bucket, row, set))) failed.push(row);
  }
  const changed = rows.filter((row) => !failed.includes(row));
  const kind = set ? "consumers.updated" : "consumers.deleted";
  const data = { consumerIds: changed.map(({ id }) => id) };
  // The batches of a job have no audit entries of their own: the job has one.
  if (bucket.name === undefined) recordForFollowers(transaction, act, kind, bucket.id, data);
  else {
    const holder = { id: bucket.id, name: bucket.name };
    const resource = {
      ...namedKeyBucket(holder),
      event: { bucket: holder, ids: data.consumerIds.slice(0, maxListedIds) },
    };
    const action = set ? "consumer.updated" : "consumer.deleted";
    const all = { consumers: changed.length, ...counts };
    recordChange(transaction, act, kind, { ...resource, counts: all, action }, data);
  }
  return failed;
}

function addCounts(sum: Record<string, number>, more: Record<string, number>): void {
  for (const [name, count] of Object.entries(more)) sum[name] = (sum[name] ?? 0) + count;
}

async function deleteRow(
  transaction: WriteTransaction,
  bucket: ChangedBucket,
  row: store.ConsumerRow,
): Promise<Record<string, number>> {
  const counts = await store.countBelongings(transaction, row.seq);
  await deleteKeysOf(transaction, bucket, row);
  await store.deleteConsumer(transaction, row);
  store.countConsumer(transaction, bucket, row, -1);
  return counts;
}

/** Returns false if the consumer would have too many tags. */
async function updateRow(
  transaction: WriteTransaction,
  act: Act,
  bucket: ChangedBucket,
  row: store.ConsumerRow,
  { description, addTags, removeTags, ...suspension }: ConsumersChange,
): Promise<boolean> {
  const tags = new Map(Object.entries(readTags(row.tags)));
  for (const name of removeTags ?? []) tags.delete(name);
  for (const [name, value] of Object.entries(addTags ?? {})) tags.set(name, value);
  if (tags.size > maxTags) return false;
  const changed = {
    ...(description === undefined ? {} : { description }),
    ...changedSuspension(row, suspension, "/set/suspensionReason"),
    tags: tags.size === 0 ? null : JSON.stringify(Object.fromEntries(tags)),
    version: row.version + 1,
    updated_on: act.now,
  };
  const updated = { ...row, ...changed };
  await store.updateConsumer(transaction, row, changed);
  if (changed.tags !== row.tags) await store.replaceTags(transaction, bucket, row, updated);
  return true;
}
