import { randomUUID } from "node:crypto";
import type { Clock } from "../../lib/time/clock.ts";
import { claimBatch, claimBatches } from "./batch-claims.ts";
import type { WriteBatch } from "./batch-transactions.ts";
import { StorageUnavailable } from "./errors.ts";
import { NamedWrite } from "./named-write.ts";
import type { Storage, WriteTransaction } from "./storage.ts";

/** Longer than any node retries a batch that it could not write. */
const keptMilliseconds = 30 * 24 * 60 * 60 * 1000;

/** The source and the destination of batches. */
export interface Batches<Item, Written> {
  /** Returns the items to write next. Each item is returned once. */
  take(): Item[];
  /** Whether an item of a batch that could not be written is still worth writing. */
  keep?(item: Item): boolean;
  /** `isNew` is false if an earlier attempt was committed. Then it must only read the current counters. */
  write(transaction: WriteTransaction, items: Item[], isNew: boolean): Promise<Written>;
  written(items: Item[], result: Written): void;
  /** How a worker sends batches to the process that owns storage. Without it, batches are written by that process only. */
  transfer?: BatchTransfer<Item>;
}

export interface BatchTransfer<Item> {
  /** The name of the write. */
  name: string;
  /** Returns values that structured cloning supports. */
  encode(items: Item[]): unknown;
  decode(encoded: unknown): Item[];
  /**
   * Returns about how many rows the items are. Without it, batches of different processes are not written together:
   * `write` then needs to be prepared for several items about the same rows.
   */
  rows?(encoded: unknown): number;
}

/** A batch of another process, with the number under which that process writes it. */
interface TransferredBatch {
  writer: string;
  number: number;
  items: unknown;
}

/**
 * Writes batches one after the other, each exactly once. A COMMIT whose response is lost may have succeeded. Each batch
 * therefore has a number, which is stored in the same transaction, and is retried with that number until storage
 * confirms it.
 */
export class BatchWriter<Item, Written> {
  /** The key of a batch in `written_batches`, together with `number`. */
  readonly name = randomUUID();
  #number = 0;
  #unconfirmed: Item[] = [];
  #flushing: Promise<void> = Promise.resolve();

  constructor(
    private readonly storage: Storage,
    private readonly clock: Clock,
    private readonly batches: Batches<Item, Written>,
    /** Writes a batch together with those of other writers. */
    private readonly writeShared?: WriteBatch,
  ) {}

  /** The number of the batch that is being written, or of the last one. */
  get number(): number {
    return this.#number;
  }

  /** Items that were taken and are not confirmed as written. */
  get unconfirmed(): readonly Item[] {
    return this.#unconfirmed;
  }

  /**
   * Items that cannot be written now are retried by the next flush. Numbers must be committed in order, so flushes do
   * not overlap.
   */
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

  /** Writes batches of other processes, once each. Undefined if they are not transferred. */
  get transferred(): NamedWrite<TransferredBatch> | undefined {
    const { transfer } = this.batches;
    if (!transfer) return undefined;
    const apply = async (transaction: WriteTransaction, { writer, number, items }: TransferredBatch) => {
      const isNew = await claimBatch(transaction, writer, number, this.clock.now());
      await this.batches.write(transaction, transfer.decode(items), isNew);
    };
    const applyAll = async (transaction: WriteTransaction, all: TransferredBatch[]) => {
      const claimed = await claimBatches(transaction, all, this.clock.now());
      const items = claimed.flatMap((batch) => transfer.decode(batch.items));
      if (items.length > 0) await this.batches.write(transaction, items, true);
    };
    const { rows } = transfer;
    return new NamedWrite(transfer.name, apply, {
      isIdempotent: true,
      ...(rows && { merging: { rows: ({ items }: TransferredBatch) => rows(items), apply: applyAll } }),
    });
  }

  async #write(): Promise<void> {
    const items = this.#unconfirmed;
    const number = this.#number;
    const result = this.writeShared
      ? await this.writeShared(this.name, number, (transaction, isNew) => this.batches.write(transaction, items, isNew))
      : await this.#writeAlone(number, items);
    this.#unconfirmed = [];
    this.batches.written(items, result);
  }

  #writeAlone(number: number, items: Item[]): Promise<Written> {
    const { transfer } = this.batches;
    const work = async (transaction: WriteTransaction) => {
      const isNew = await claimBatch(transaction, this.name, number, this.clock.now());
      return this.batches.write(transaction, items, isNew);
    };
    const named = transfer && {
      name: transfer.name,
      // Encoded only for another process.
      data: () => ({ writer: this.name, number, items: transfer.encode(items) }),
    };
    return this.storage.write(named ? Object.assign(work, { named }) : work);
  }
}

/** Deletes the rows of writers that no longer exist, such as stopped nodes. */
export async function deleteOldWriters(storage: Storage, now: number): Promise<void> {
  await storage.write((transaction) =>
    transaction.run("DELETE FROM written_batches WHERE written_on < ?", [now - keptMilliseconds]),
  );
}
