import type { Clock } from "../../lib/time/clock.ts";
import { type BatchTransfer, BatchWriter } from "../../platform/storage/batch-writer.ts";
import type { Storage, WriteTransaction } from "../../platform/storage/storage.ts";
import { WritePace } from "./write-pace.ts";

/** Counts of minutes in memory. */
interface Counter<Minute> {
  take(): Minute[];
  written(minutes: Minute[]): void;
}

/**
 * Writes counts asynchronously. Each batch is written once, to the rows of its minute, hour and day in one transaction,
 * so that no step depends on a job that aggregates another.
 */
export abstract class CountWriter<Minute> {
  readonly #writer: BatchWriter<Minute, void>;
  readonly #pace = new WritePace();

  constructor(storage: Storage, clock: Clock, counter: Counter<Minute>, transfer: BatchTransfer<Minute>) {
    this.#writer = new BatchWriter<Minute, void>(storage, clock, {
      take: () => counter.take(),
      write: (transaction, minutes, isNew) => (isNew ? this.write(transaction, minutes) : Promise.resolve()),
      written: (minutes) => counter.written(minutes),
      transfer,
    });
  }

  /** The counts of workers. */
  get transferred() {
    return this.#writer.transferred!;
  }

  /** Whether some of the taken counts are not confirmed by storage. */
  get hasUnwritten(): boolean {
    return this.#writer.unconfirmed.length > 0;
  }

  /** Writes the counts of requests, every second. Pauses after many rows. */
  flushPaced(): Promise<void> {
    return this.#pace.next(() => this.flush());
  }

  flush(): Promise<void> {
    return this.#writer.flush();
  }

  /** Adds the counts to the stored rows, and reports their number with `wrote`. */
  protected abstract write(transaction: WriteTransaction, minutes: Minute[]): Promise<void>;

  protected wrote(rows: number): void {
    this.#pace.wrote(rows);
  }
}
