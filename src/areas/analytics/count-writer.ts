import type { Clock } from "../../lib/time/clock.ts";
import { type BatchTransfer, BatchWriter } from "../../platform/storage/batch-writer.ts";
import type { Storage, WriteTransaction } from "../../platform/storage/storage.ts";

/**
 * The average number of rows per second: at about 20 µs of CPU per row, a twentieth of the time. The pause depends on
 * the number of rows, not on the duration of the write: slow storage costs no CPU here, and a longer pause would only
 * leave more unwritten.
 */
const rowsPerSecond = 2_000;
const maxPauseSeconds = 30;

/** Lets a writer that is called every second pause after many rows. */
class WritePace {
  /** The number of rows since the last write began. */
  #rows = 0;
  #pauseSeconds = 0;

  wrote(rows: number): void {
    this.#rows += rows;
  }

  /** Writes, or counts down a second of the pause. */
  async next(write: () => Promise<void>): Promise<void> {
    if (this.#pauseSeconds > 0) {
      this.#pauseSeconds -= 1;
      return;
    }
    this.#rows = 0;
    await write();
    this.#pauseSeconds = Math.min(Math.floor(this.#rows / rowsPerSecond), maxPauseSeconds - 1);
  }
}

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
