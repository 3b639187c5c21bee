import { randomUUID } from "node:crypto";
import type { Act } from "../../../core/access.ts";
import { pause } from "../../../lib/tasks/pause.ts";
import { TaskRunner } from "../../../lib/tasks/task-runner.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import { StorageUnavailable } from "../../../platform/storage/errors.ts";
import { findRow, lockRow } from "../../../platform/storage/rows.ts";
import type { Storage, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { Log } from "../../../platform/telemetry/log.ts";
import * as store from "./store.ts";

/** The result of a step. */
export interface JobStep {
  /** The position of the next step. */
  position: number;
  done: number;
  failed: number;
  isLast: boolean;
}

/**
 * Runs the next step of a job in the transaction that also stores its progress, so that each step is done exactly once.
 */
type PerformStep = (transaction: WriteTransaction, act: Act, job: store.JobRow) => Promise<JobStep>;

/** Computes the next step of a job outside of transactions, and returns what stores its result. It delays no other writer. */
export interface ComputedJobKind {
  compute(storage: Storage, act: Act, job: store.JobRow): Promise<PerformStep>;
}

export type JobKind = PerformStep | ComputedJobKind;

interface JobRunnerOptions {
  /** By which it follows changes. */
  name: string;
  storage: Storage;
  clock: Clock;
  log: Log;
  /** Those that it runs. Jobs of other kinds neither wait for them nor delay them. */
  kinds: Record<string, JobKind>;
}

const pollSeconds = 2;
/** The duration of a lease. A step takes a fraction of a second. */
const leaseMilliseconds = 30_000;
/** The maximum number of concurrent jobs, each of a different account. */
const maxConcurrent = 2;
const maxPauseMilliseconds = 1000;
/** Of the time of a step: steps that write leave at least half of it to other writers, and computed ones delay none. */
const pauseShares = { writing: 1, computed: 0.25 };

/**
 * Runs jobs, oldest first and one at a time for each account. Any node may claim a job, also one whose lease has
 * expired.
 */
export class JobRunner {
  readonly #runner: TaskRunner<store.TakenJob>;
  readonly #kinds: string[];

  constructor(private readonly options: JobRunnerOptions) {
    const { log, kinds } = options;
    this.#kinds = Object.keys(kinds);
    this.#runner = new TaskRunner({
      maxConcurrent,
      pollSeconds,
      claim: () => this.#take(),
      run: (job, signal) =>
        this.#run(job, signal).catch((error) =>
          log.warn("a job was interrupted and will be resumed", { error, job: job.id }),
        ),
      claimFailed: (error) => log.warn("jobs could not be read; this will be retried", { error }),
    });
  }

  async start(): Promise<void> {
    const { storage, name } = this.options;
    if (!storage.isShared) await storage.write((transaction) => store.releaseAllJobs(transaction, this.#kinds));
    const wake = () => this.#runner.wake();
    storage.feed.follow(name, { "job.created": wake }, wake);
    this.#runner.start();
  }

  /** Running jobs stop after their current step and are released. */
  stop(): Promise<void> {
    return this.#runner.stop();
  }

  #take(): Promise<store.TakenJob | undefined> {
    const { storage, clock } = this.options;
    const now = clock.now();
    return storage.write(async (transaction) => {
      await transaction.lock("jobs");
      const job = await store.findNextJob(transaction, now, this.#kinds);
      if (!job) return undefined;
      const worker = randomUUID();
      await transaction.update("jobs", job.seq, { state: "running", worker, worker_until: now + leaseMilliseconds });
      return { ...job, worker };
    });
  }

  async #run(job: store.TakenJob, signal: AbortSignal): Promise<void> {
    const share = pauseShares[typeof this.options.kinds[job.kind] === "function" ? "writing" : "computed"];
    while (!signal.aborted) {
      const started = performance.now();
      if (!(await this.#step(job))) return;
      await pause(Math.min(share * (performance.now() - started), maxPauseMilliseconds));
    }
    await this.#release(job);
  }

  /** Whether there is more to do. */
  async #step(job: store.TakenJob): Promise<boolean> {
    const { storage, clock, kinds, log } = this.options;
    const now = clock.now();
    try {
      const account = { seq: job.account_seq, id: job.account_id, name: job.account_name };
      const act = { account, actor: job.actor, now };
      const kind = kinds[job.kind]!;
      const current = await findRow(storage.reads, "jobs", { seq: job.seq });
      if (!current) return false;
      const perform = typeof kind === "function" ? kind : await kind.compute(storage, act, current);
      return await storage.write(async (transaction) => {
        const held = await lockHeld(transaction, job);
        if (!held) return false;
        const step = await perform(transaction, act, held);
        await transaction.update("jobs", held.seq, {
          position: step.position,
          done: held.done + step.done,
          failed: held.failed + step.failed,
          updated_on: now,
          ...(step.isLast
            ? { state: "succeeded", worker: null, worker_until: null }
            : { worker_until: now + leaseMilliseconds }),
        });
        return !step.isLast;
      });
    } catch (error) {
      // The lease expires, and the next node that reaches storage continues.
      if (error instanceof StorageUnavailable) throw error;
      log.error("a job failed", { error, job: job.id });
      const failed = { state: "failed", worker: null, worker_until: null, updated_on: now };
      await storage.write((transaction) => transaction.update("jobs", job.seq, failed));
      return false;
    }
  }

  async #release(job: store.TakenJob): Promise<void> {
    await this.options.storage.write(async (transaction) => {
      if (await lockHeld(transaction, job))
        await transaction.update("jobs", job.seq, { worker: null, worker_until: null });
    });
  }
}

/** Returns undefined if another worker has the lease, or the job was deleted. */
function lockHeld(transaction: WriteTransaction, { seq, worker }: store.TakenJob): Promise<store.JobRow | undefined> {
  return lockRow(transaction, "jobs", { seq, worker: worker! });
}
