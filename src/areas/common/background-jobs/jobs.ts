import type { Act } from "../../../core/access.ts";
import { recordChange } from "../../../core/changes/record.ts";
import { existing } from "../../../core/problems/problem.ts";
import { newId } from "../../../lib/ids.ts";
import { removeRows } from "../../../platform/storage/removal.ts";
import { findRow } from "../../../platform/storage/rows.ts";
import type { Reads, Storage, WriteTransaction } from "../../../platform/storage/storage.ts";
import type * as store from "./store.ts";

export type Job = store.JobRow;

const keptMilliseconds = 30 * 24 * 60 * 60 * 1000;

interface NewJob {
  kind: string;
  /** The parameters, which the kind parses at each step. */
  input: unknown;
  total: number;
}

/** Queues a job. A node claims it right after the commit. */
export async function startJob(
  transaction: WriteTransaction,
  act: Act,
  { kind, input, total }: NewJob,
): Promise<string> {
  const id = newId("job", act.now);
  await transaction.insert("jobs", {
    id,
    account_seq: act.account.seq,
    actor: act.actor,
    kind,
    input: JSON.stringify(input),
    state: "queued",
    position: 0,
    done: 0,
    failed: 0,
    total,
    worker: null,
    worker_until: null,
    created_on: act.now,
    updated_on: act.now,
  });
  recordChange(transaction, act, "job.created", { type: "job", id, after: { id, kind }, counts: { [kind]: total } });
  return id;
}

export const findJob = (reads: Reads, accountSeq: number, id: string): Promise<Job> =>
  existing(findRow(reads, "jobs", { account_seq: accountSeq, id }), "job");

/** Ends a job that has not ended. What its finished steps did remains. */
export async function cancelJob(transaction: WriteTransaction, act: Act, job: Job): Promise<void> {
  if (job.state !== "queued" && job.state !== "running") return;
  const ended = { state: "canceled", worker: null, worker_until: null, updated_on: act.now };
  await transaction.update("jobs", job.seq, ended);
}

export function removeOldJobs(storage: Storage, now: number, signal?: AbortSignal): Promise<void> {
  const hasEnded = "state IN ('succeeded', 'failed', 'canceled') AND updated_on < ? ORDER BY seq";
  return removeRows(storage, "jobs", hasEnded, [now - keptMilliseconds], { signal });
}
