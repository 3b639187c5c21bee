import { type Act, actAt, type Cause, systemAct } from "../../../core/access.ts";
import { recordChange, recordForFollowers } from "../../../core/changes/record.ts";
import { ensureRemovedAccount } from "../../../core/database/removed-account.ts";
import { notFound, Problem, rejectingTaken } from "../../../core/problems/problem.ts";
import type { Precondition } from "../../../lib/http/etag.ts";
import { newId } from "../../../lib/ids.ts";
import type { Paging } from "../../../lib/paging.ts";
import { formatDateTime } from "../../../lib/time/time.ts";
import { locking, type OneRead } from "../../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import { countContents, hasInvoices, markMeteringRemoved } from "./removal-store.ts";
import type { MeteringBucketRow } from "./store.ts";
import * as store from "./store.ts";

export { subscriptionList } from "./removal-store.ts";
export {
  bucketColumns,
  consumerIdIn,
  displayNameIn,
  joinBucket,
  meteringBucketsOfKeyBucket,
  type OfBucket,
} from "./store.ts";

export type MeteringBucket = store.MeteringBucketRow;

/** A transaction in a metering bucket, and who acts in it. */
export interface BucketContext<Who extends Cause = Act> {
  transaction: WriteTransaction;
  act: Who;
  bucket: MeteringBucket;
}

/** The same context for what the server itself does, with effect at a time. */
export function asSystem(context: BucketContext<Cause>, at = context.act.now): BucketContext {
  return { ...context, act: systemAct(context.act, at) };
}

export const listMeteringBuckets = (reads: Reads, accountSeq: number, paging: Paging) =>
  store.listMeteringBuckets(reads, accountSeq, paging);

export async function findMeteringBucket(reads: OneRead, accountSeq: number, id: string): Promise<MeteringBucket> {
  const bucket = await store.findMeteringBucket(reads, accountSeq, id);
  if (!bucket) throw notFound("metering bucket");
  return bucket;
}

export async function createMeteringBucket(
  transaction: WriteTransaction,
  act: Act,
  input: { name?: string | undefined; isTest?: boolean | undefined; keyBucket?: string | undefined } = {},
): Promise<MeteringBucket> {
  const row = {
    id: newId("mtr", act.now),
    account_seq: act.account.seq,
    name: input.name ?? null,
    test_clock: input.isTest ? act.now : null,
    recurring_on: null,
    key_bucket: input.keyBucket ?? null,
    version: 1,
    created_on: act.now,
    updated_on: act.now,
  };
  const seq = await rejectingTaken("metering_bucket_exists", transaction.insert("metering_buckets", row));
  const resource = { ...namedMeteringBucket(row), after: presentMeteringBucket(row, act.account.name) };
  recordChange(transaction, act, "metering-bucket.created", resource, nameOf(row));
  return { seq, ...row };
}

export async function updateMeteringBucket(
  transaction: WriteTransaction,
  act: Act,
  idOrName: string,
  patch: { name?: string | null | undefined; keyBucket?: string | null | undefined },
  precondition: Precondition,
): Promise<MeteringBucket> {
  const bucket = await findMeteringBucket(locking(transaction), act.account.seq, idOrName);
  precondition(bucket);
  const { name = bucket.name, keyBucket: key_bucket = bucket.key_bucket } = patch;
  if (patch.name === undefined && patch.keyBucket === undefined) return bucket;
  const changed = { name, key_bucket, version: bucket.version + 1, updated_on: act.now };
  await rejectingTaken("metering_bucket_exists", transaction.update("metering_buckets", bucket.seq, changed));
  const updated = { ...bucket, ...changed };
  if (key_bucket !== bucket.key_bucket) await store.linkCustomers(transaction, updated);
  recordUpdate(transaction, act, bucket, updated);
  return updated;
}

/** Sets the time of a test bucket. Cached quotas of it are evicted. */
export async function setMeteringClock(
  { transaction, act, bucket }: BucketContext,
  now: number,
): Promise<MeteringBucket> {
  const before = await findMeteringBucket(locking(transaction), act.account.seq, bucket.id);
  const changed = { test_clock: now, version: before.version + 1, updated_on: act.now };
  await transaction.update("metering_buckets", bucket.seq, changed);
  const updated = { ...before, ...changed };
  recordUpdate(transaction, act, before, updated);
  return updated;
}

function recordUpdate(transaction: WriteTransaction, act: Act, before: MeteringBucket, after: MeteringBucket): void {
  const snapshots = {
    before: presentMeteringBucket(before, act.account.name),
    after: presentMeteringBucket(after, act.account.name),
  };
  const resource = { ...namedMeteringBucket(after), ...snapshots };
  recordChange(transaction, act, "metering-bucket.updated", resource, nameOf(after));
}

/** The time in a bucket: that of the server, or of its clock if it is a test bucket. */
export function timeIn({ test_clock }: Pick<MeteringBucket, "test_clock">, now: number): number {
  return test_clock ?? now;
}

/** The act at the time in a bucket. */
export function actIn(bucket: Pick<MeteringBucket, "test_clock">, act: Act): Act {
  return bucket.test_clock === null ? act : actAt(act, bucket.test_clock);
}

/** Followers use this to find data that is cached under the bucket's name. */
export function nameOf({ name }: { name: string | null }): { bucketName?: string } {
  return name === null ? {} : { bucketName: name };
}

export async function deleteMeteringBucket(
  transaction: WriteTransaction,
  act: Act,
  id: string,
  options: { force: boolean; precondition: Precondition },
): Promise<void> {
  const bucket = await findMeteringBucket(locking(transaction), act.account.seq, id);
  options.precondition(bucket);
  if (!options.force && (await store.hasSubscriptionsIn(transaction, bucket.seq)))
    throw new Problem("metering_bucket_not_empty");
  if (bucket.test_clock === null && (await hasInvoices(transaction, bucket.seq)))
    throw new Problem("bucket_has_invoices");
  const counts = await remove({ transaction, act, bucket });
  const before = presentMeteringBucket(bucket, act.account.name);
  recordChange(transaction, act, "metering-bucket.deleted", { ...namedMeteringBucket(bucket), before, counts });
}

export async function deleteMeteringOf(transaction: WriteTransaction, act: Act): Promise<Record<string, number>> {
  const buckets = await store.allMeteringBuckets(transaction, act.account.seq);
  const counts = { meteringBuckets: buckets.length, plans: 0, subscriptions: 0 };
  for (const bucket of buckets) {
    const removed = await remove({ transaction, act, bucket });
    counts.plans += removed.plans;
    counts.subscriptions += removed.subscriptions;
    recordForFollowers(transaction, act, "metering-bucket.deleted", bucket.id);
  }
  return counts;
}

/** Invisible immediately; its contents are removed later, see removal.ts. */
async function remove({ transaction, act, bucket }: BucketContext) {
  const counts = await countContents(transaction, bucket);
  await ensureRemovedAccount(transaction, act.now);
  await markMeteringRemoved(transaction, bucket.seq);
  return counts;
}

/** The resource in changes. */
export function namedMeteringBucket({ id, name }: { id: string; name: string | null }) {
  return { type: "metering-bucket", id, name: name ?? undefined };
}

/** Buckets by account and id or name, each read once in a transaction that serves many requests. */
export class MeteringBucketLookup {
  readonly #known = new Map<string, MeteringBucket>();

  constructor(private readonly reads: Reads) {}

  known(accountSeq: number, id: string): MeteringBucket | undefined {
    return this.#known.get(`${accountSeq} ${id}`);
  }

  async find(accountSeq: number, id: string): Promise<MeteringBucket> {
    const key = `${accountSeq} ${id}`;
    const bucket = this.#known.get(key) ?? (await findMeteringBucket(this.reads, accountSeq, id));
    this.#known.set(key, bucket);
    return bucket;
  }
}

export function presentMeteringBucket(meteringBucket: Omit<MeteringBucketRow, "seq">, accountName: string) {
  return {
    id: meteringBucket.id,
    ...(meteringBucket.name === null ? {} : { name: meteringBucket.name }),
    accountName,
    ...(meteringBucket.key_bucket === null ? {} : { keyBucket: meteringBucket.key_bucket }),
    ...(meteringBucket.test_clock === null ? {} : { isTest: true, clock: formatDateTime(meteringBucket.test_clock) }),
    createdOn: formatDateTime(meteringBucket.created_on),
    updatedOn: formatDateTime(meteringBucket.updated_on),
  };
}
