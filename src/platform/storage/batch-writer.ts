import { randomUUID } from "node:crypto";
import type { Clock } from "../../lib/time/clock.ts";
import { StorageUnavailable } from "./errors.ts";
import type { Storage, WriteTransaction } from "./storage.ts";

/** Longer than any node goes on retrying the batch that it could not write. */
const keptMilliseconds = 30 * 24 * 60 * 60 * 1000;

/** Where batches come from, and where they go. */
export interface Batches<Item, Written> {
  /** What is to be written next; it is handed out once. */
  take(): Item[];
  /** What of a batch that could not be written is still worth writing. */
  keep?(item: Item): boolean;
  /** `isNew` is false if an earlier attempt was committed: then it must only read how far the counters are. */
  write(transaction: WriteTransaction, items: Item[], isNew: boolean): Promise<Written>;
  written(items: Item[], result: Written): void;
}

/**
 * Writes batches one after the other, each exactly once. A COMMIT whose response is lost may have happened: so each batch
 * has a number that is stored in the same transaction, and is retried under that number until storage confirms it.
 */
export class BatchWriter<Item, Written> {
  /** With `number`, the key of a batch in `written_batches`. */
  readonly name = randomUUID();
  #number = 0;
  #unconfirmed: Item[] = [];
  #flushing: Promise<void> = Promise.resolve();

  constructor(
    private readonly storage: Storage,
    private readonly clock: Clock,
    private readonly batches: Batches<Item, Written>,
  ) {}

  /** Of the batch that is being written, or of the last. */
  get number(): number {
    return this.#number;
  }

  /** Taken, and not known to be written. */
  get unconfirmed(): readonly Item[] {
    return this.#unconfirmed;
  }

  /** What storage does not take now is kept for the next time. Numbers must be committed in order, so one at a time. */
  flush(): Promise<void> {
    this.#flushing = this.#flushing.catch(() => {}).then(() => this.#flush());
    return this.#flushing;
  }

  async #flush(): Promise<void> {
    const { batches } = this;
    try {
      const retried = this.#unconfirmed.filter((item) => batches.keep?.(item) ?? true);
      this.#unconfirmed = retried;
      if (retried.length > 0) await this.#write();
      this.#unconfirmed = batches.take();
      if (this.#unconfirmed.length === 0) return;
      this.#number += 1;
      await this.#write();
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error;
    }
  }

  async #write(): Promise<void> {
    const items = this.#unconfirmed;
    const result = await this.storage.write(async (transaction) => {
      const isNew = await claim(transaction, this.name, this.#number, this.clock.now());
      return this.batches.write(transaction, items, isNew);
    });
    this.#unconfirmed = [];
    this.batches.written(items, result);
  }
}

/** False if the batch of that number is written. */
async function claim(transaction: WriteTransaction, writer: string, number: number, now: number): Promise<boolean> {
  const claimed = await transaction.one(
    `INSERT INTO written_batches (writer, number, written_on) VALUES (?, ?, ?)
     ON CONFLICT (writer) DO UPDATE SET number = excluded.number, written_on = excluded.written_on
     WHERE written_batches.number < excluded.number RETURNING number`,
    [writer, number, now],
  );
  return claimed !== undefined;
}

/** Forgets writers that are gone: nodes that were stopped. */
export async function forgetOldWriters(storage: Storage, now: number): Promise<void> {
  await storage.write((transaction) =>
    transaction.run("DELETE FROM written_batches WHERE written_on < ?", [now - keptMilliseconds]),
  );
}
