import type { Act } from "../../../core/access.ts";
import { hashFromText, secretHashText } from "../../../lib/crypto/secret-text.ts";
import { formatDateTime } from "../../../lib/time/time.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { JobKind, JobStep } from "../../common/background-jobs/job-runner.ts";
import { startJob } from "../../common/background-jobs/jobs.ts";
import type { KeyBucket } from "../key-buckets/key-buckets.ts";
import { recordKeyChange } from "./key-changes.ts";
import { countChanged } from "./key-lists.ts";
import { maskedKey, presentKey } from "./present.ts";
import * as store from "./store.ts";

/** The kind of jobs that process reports of leaked keys. */
export const leakJobKind = "leaks";

const pieceSize = 100;

interface LeakReport {
  keys: string[];
  source: string;
  url?: string | undefined;
}

/** The parameters of a job. The values are not stored. */
interface StoredReport {
  bucketSeq: number;
  hashes: string[];
  source: string;
  url?: string | undefined;
}

/**
 * Queues a report. Looks nothing up, so that neither the response nor its duration tells whether a value is a key.
 * Returns the id of the job.
 */
export function reportLeak(
  transaction: WriteTransaction,
  act: Act,
  bucket: Pick<KeyBucket, "seq">,
  { keys, source, url }: LeakReport,
): Promise<string> {
  const hashes = [...new Set(keys.map(secretHashText))];
  const input: StoredReport = { bucketSeq: bucket.seq, hashes, source, ...(url !== undefined && { url }) };
  return startJob(transaction, act, { kind: leakJobKind, input, total: keys.length });
}

/** Called with the keys of a consumer that were marked or disabled, in the transaction that did it. */
type OnLeak = (transaction: WriteTransaction, act: Act, consumerSeq: number, keyIds: string[]) => Promise<void>;

/** Marks the keys of a report, and disables them if the bucket says so. */
export const markLeakedPiece =
  (onLeak: OnLeak): JobKind =>
  async (transaction, act, job): Promise<JobStep> => {
    const report = JSON.parse(job.input) as StoredReport;
    const hashes = report.hashes.slice(job.position, job.position + pieceSize);
    const leaked: store.KeyRow[] = [];
    for (const hash of hashes) {
      const key = await markLeaked(transaction, act, report, hashFromText(hash));
      if (key) leaked.push(key);
    }
    for (const [consumerSeq, keys] of Map.groupBy(leaked, ({ consumer_seq }) => consumer_seq)) {
      const keyIds = keys.map(({ id }) => id);
      await onLeak(transaction, act, consumerSeq, keyIds);
    }
    const position = job.position + hashes.length;
    const isLast = position >= report.hashes.length;
    // Values that are no keys do not count as failed: the progress must not reveal which values are keys.
    return { position, done: isLast ? job.total - job.done : hashes.length, failed: 0, isLast };
  };

async function markLeaked(
  transaction: WriteTransaction,
  act: Act,
  { bucketSeq, source, url }: StoredReport,
  hash: Uint8Array,
): Promise<store.KeyRow | undefined> {
  const found = await store.findLeakedKey(transaction, bucketSeq, hash);
  if (!found) return undefined;
  const { key, bucket, consumer } = found;
  const isDisabled = bucket.on_leak === "disable" && key.is_enabled === 1;
  // A second report of a key changes nothing.
  if (key.leak !== null && !isDisabled) return undefined;
  const leak = JSON.stringify({ reportedOn: formatDateTime(act.now), source, url });
  const changed = {
    leak: key.leak ?? leak,
    ...(isDisabled && { is_enabled: 0 }),
    version: key.version + 1,
    updated_on: act.now,
  };
  const updated = { ...key, ...changed };
  await transaction.update("api_keys", key.seq, changed);
  countChanged(transaction, bucket, key, updated);
  recordKeyChange(transaction, act, "key.leaked", bucket, consumer, key, {
    before: presentKey(key, undefined),
    after: presentKey(updated, undefined),
  });
  return updated;
}

/** A leaked key for its owner, without its value. */
export interface LeakedKey {
  masked: string;
  description?: string | undefined;
  isEnabled: boolean;
  leak: { source: string; url?: string };
  consumerName: string;
  bucketName: string;
}

/** The keys of an account with these ids that still exist and are still marked as leaked. */
export async function leakedKeys(reads: Reads, accountSeq: number, ids: string[]): Promise<LeakedKey[]> {
  return (await store.findLeakedKeys(reads, accountSeq, ids)).map((row) => ({
    masked: maskedKey(row),
    description: row.description ?? undefined,
    isEnabled: row.is_enabled === 1,
    leak: JSON.parse(row.leak!) as LeakedKey["leak"],
    consumerName: row.consumer_name,
    bucketName: row.bucket_name,
  }));
}
