import type { Act } from "../../core/access.ts";
import { hashFromText, secretHashText } from "../../lib/crypto/secret-text.ts";
import { formatDateTime } from "../../lib/time/time.ts";
import type { WriteTransaction } from "../../platform/storage/storage.ts";
import type { Bucket } from "../buckets/buckets.ts";
import type { JobKind, JobStep } from "../jobs/job-runner.ts";
import { startJob } from "../jobs/jobs.ts";
import { recordKey } from "./key-changes.ts";
import { countChanged } from "./key-lists.ts";
import { presentKey } from "./present.ts";
import * as store from "./store.ts";

/** The kind of jobs that process reports of leaked keys. */
export const leakJobKind = "leaks";

const pieceSize = 100;

export interface LeakReport {
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
  bucket: Pick<Bucket, "seq">,
  { keys, source, url }: LeakReport,
): Promise<string> {
  const hashes = [...new Set(keys.map(secretHashText))];
  const input: StoredReport = { bucketSeq: bucket.seq, hashes, source, ...(url !== undefined && { url }) };
  return startJob(transaction, act, { kind: leakJobKind, input, total: keys.length });
}

/** Marks the keys of a report, and disables them if the bucket says so. */
export const markLeakedPiece: JobKind = async (transaction, act, job): Promise<JobStep> => {
  const report = JSON.parse(job.input) as StoredReport;
  const hashes = report.hashes.slice(job.position, job.position + pieceSize);
  for (const hash of hashes) await markLeaked(transaction, act, report, hashFromText(hash));
  const position = job.position + hashes.length;
  const isLast = position >= report.hashes.length;
  // Values that are no keys do not count as failed: the progress must not tell which ones are.
  return { position, done: isLast ? job.total - job.done : hashes.length, failed: 0, isLast };
};

async function markLeaked(
  transaction: WriteTransaction,
  act: Act,
  { bucketSeq, source, url }: StoredReport,
  hash: Uint8Array,
): Promise<void> {
  const found = await store.findLeakedKey(transaction, bucketSeq, hash);
  if (!found) return;
  const { key, bucket, holder } = found;
  const isDisabled = bucket.on_leak === "disable" && key.is_enabled === 1;
  // A second report of a key changes nothing.
  if (key.leak !== null && !isDisabled) return;
  const leak = JSON.stringify({ reportedOn: formatDateTime(act.now), source, url });
  const changed = {
    leak: key.leak ?? leak,
    ...(isDisabled && { is_enabled: 0 }),
    version: key.version + 1,
    updated_on: act.now,
  };
  const updated = { ...key, ...changed };
  await store.updateKey(transaction, key.seq, changed);
  countChanged(transaction, bucket, key, updated);
  recordKey(transaction, act, "key.leaked", bucket, holder, key, {
    before: presentKey(key, undefined),
    after: presentKey(updated, undefined),
  });
}
