import type { Clock } from "../../lib/time/clock.ts";
import { claimBatches } from "./batch-claims.ts";
import { StorageUnavailable } from "./errors.ts";
import type { Storage, WriteTransaction } from "./storage.ts";

/** A batch of one writer. `isNew` is false if an earlier attempt was committed. */
interface Job {
  writer: string;
  number: number;
  order: number;
  work(transaction: WriteTransaction, isNew: boolean): Promise<unknown>;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** Writes the batch of one writer. */
export type WriteBatch = <Result>(
  writer: string,
  number: number,
  work: (transaction: WriteTransaction, isNew: boolean) => Promise<Result>,
) => Promise<Result>;

/**
 * Batches of several writers that are written in the same turn of the event loop are one transaction, because on
 * PostgreSQL each costs several round trips. A batch that cannot be written does not fail the others.
 */
export class BatchTransactions {
  #waiting: Job[] = [];
  #writers = 0;
  /** Writers whose last batch could not be written, by their order. One that takes too long must not hold up the others. */
  readonly #alone = new Set<number>();

  constructor(
    private readonly storage: Storage,
    private readonly clock: Clock,
  ) {}

  /** For one writer. The work of writers runs in the order of these calls, so that two nodes cannot deadlock. */
  join(): WriteBatch {
    const order = this.#writers++;
    return <Result>(writer: string, number: number, work: (...args: Parameters<Job["work"]>) => Promise<Result>) =>
      new Promise<Result>((resolve, reject) => {
        this.#add({ writer, number, order, work, resolve: resolve as Job["resolve"], reject });
      });
  }

  #add(job: Job): void {
    this.#waiting.push(job);
    if (this.#waiting.length > 1) return;
    setImmediate(() => {
      const jobs = this.#waiting.sort((one, other) => one.order - other.order);
      this.#waiting = [];
      const together: Job[] = [];
      for (const each of jobs)
        if (this.#alone.has(each.order)) void this.#write([each]);
        else together.push(each);
      if (together.length > 0) void this.#write(together);
    });
  }

  async #write(jobs: Job[]): Promise<void> {
    try {
      const results = await this.storage.write(async (transaction) => {
        const claimed = new Set(await claimBatches(transaction, jobs, this.clock.now()));
        const done: unknown[] = [];
        for (const job of jobs) done.push(await job.work(transaction, claimed.has(job)));
        return done;
      });
      for (const [index, { order, resolve }] of jobs.entries()) {
        this.#alone.delete(order);
        resolve(results[index]);
      }
    } catch (error) {
      const isUnavailable = error instanceof StorageUnavailable;
      if (jobs.length > 1 && !isUnavailable) for (const job of jobs) await this.#write([job]);
      else
        for (const { order, reject } of jobs) {
          if (isUnavailable) this.#alone.add(order);
          reject(error);
        }
    }
  }
}
