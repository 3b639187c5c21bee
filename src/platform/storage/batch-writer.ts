import { randomUUID } from "node:crypto";
import type { Clock } from "../../lib/time/clock.ts";
import { claimBatch, claimBatches } from "./batch-claims.ts";
import type { WriteBatch } from "./batch-transactions.ts";
import { StorageUnavailable } from "./errors.ts";
import { NamedWrite } from "./named-write.ts";
import type { Storage, WriteTransaction } from "./storage.ts";

/** Longer than any node retries a batch that it could not write. */
const keptMilliseconds = 30 * 24 * 60 * 60 * 1000;

/** How often an item that fails alone is tried. The time between two attempts doubles: 512 flushes before the last. */
const maxAttempts = 10;
/** The maximum number of transactions that fail in one flush. The pieces of a batch that are left wait for the next. */
const maxFailures = 64;
/** The maximum number of failed items that wait for their next attempt. Further ones are dropped. */
const maxFailed = 10_000;

/** The source and the destination of batches. */
export interface Batches<Item, Written> {
  /** Returns the items to write next. Each item is returned once. */
  take(): Item[];
  /** Whether an item of a batch that could not be written is still worth writing. */
  keep?(item: Item): boolean;
  /** `isNew` is false if an earlier attempt was committed. Then it must only read the current counters. */
  write(transaction: WriteTransaction, items: Item[], isNew: boolean): Promise<Written>;
  written(items: Item[], result: Written): void;
  /** Called for an item that cannot be written and is not tried again. */
  dropped?(item: Item): void;
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

/** Items that are one transaction. */
interface Batch<Item> {
  items: Item[];
  /** 0 before the first attempt. */
  number: number;
  /** The attempts that failed although storage was available. */
  attempts: number;
  /** Whether storage was unavailable in an attempt: it may have been committed. */
  isAmbiguous: boolean;
}

/** An item that failed alone. */
interface FailedItem<Item> {
  item: Item;
  attempts: number;
  /** The number of flushes until it is tried again. */
  flushes: number;
}

/**
 * Writes batches one after the other, each exactly once. A COMMIT whose response is lost may have succeeded. Each batch
 * therefore has a number, which is stored in the same transaction, and is retried with that number until storage
 * confirms it. If a batch fails although storage is available, the transaction was rolled back: its halves are written
 * instead, so that one bad item does not keep back the others. An item that fails alone is tried a few times and then
 * dropped.
 */
export class BatchWriter<Item, Written> {
  /** The key of a batch in `written_batches`, together with `number`. */
  readonly name = randomUUID();
  #number = 0;
  /** The batches to write, in order. Only the first may have been tried. */
  #pending: Batch<Item>[] = [];
  #failed: FailedItem<Item>[] = [];
  #flushing: Promise<void> = Promise.resolve();

  constructor(
    private readonly storage: Storage,
    private readonly clock: Clock,
    private readonly batches: Batches<Item, Written>,
    /** Writes a batch together with those of other writers. */
    private readonly writeShared?: WriteBatch,
  ) {}

  /**
   * The number of the batch that is being written, or of the last one. Infinity while there are items of a batch that
   * failed: they are in none.
   */
  get number(): number {
    return this.#pending.length > 1 || this.#failed.length > 0 ? Number.POSITIVE_INFINITY : this.#number;
  }

  /** The batches that are not confirmed, with the numbers under which they are written; `more` will be the next one. */
  numbered<More>(more: More[]): { number: number; items: (Item | More)[] }[] {
    const failed = this.#failed.map(({ item }) => item);
    let next = this.#number;
    return [...this.#pending, { number: 0, items: [...failed, ...more] }]
      .filter(({ items }) => items.length > 0)
      .map(({ number, items }) => ({ number: number || ++next, items }));
  }

  /** Items that were taken and are not confirmed as written. */
  get unconfirmed(): readonly Item[] {
    return [...this.#pending.flatMap(({ items }) => items), ...this.#failed.map(({ item }) => item)];
  }

  /**
   * Items that cannot be written now are retried by the next flush. Rejects with the error of an item that cannot be
   * written although storage is available; the others are written. Numbers must be committed in order, so flushes do not
   * overlap.
   */
  flush(): Promise<void> {
    this.#flushing = this.#flushing.catch(() => {}).then(() => this.#flush());
    return this.#flushing;
  }

  async #flush(): Promise<void> {
    const failures: unknown[] = [];
    const { batches } = this;
    for (const batch of this.#pending) batch.items = batch.items.filter((item) => batches.keep?.(item) ?? true);
    this.#pending = this.#pending.filter(({ items }) => items.length > 0);
    this.#retryFailed();
    try {
      await this.#writePending(failures);
      const items = this.#pending.length === 0 ? batches.take() : [];
      if (items.length > 0) this.#add(items);
      await this.#writePending(failures);
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error;
    }
    if (failures.length > 0) throw failures[0];
  }

  #add(items: Item[], attempts = 0): void {
    this.#pending.push({ items, number: 0, attempts, isAmbiguous: false });
  }

  #retryFailed(): void {
    const failed = this.#failed;
    this.#failed = [];
    for (const each of failed) {
      each.flushes -= 1;
      if (each.flushes > 0) this.#failed.push(each);
      else if (this.batches.keep?.(each.item) ?? true) this.#add([each.item], each.attempts);
    }
  }

  /** Adds the errors of batches that fail although storage is available. */
  async #writePending(failures: unknown[]): Promise<void> {
    while (this.#pending.length > 0 && failures.length < maxFailures) {
      const batch = this.#pending[0]!;
      if (batch.number === 0) {
        this.#number += 1;
        batch.number = this.#number;
      }
      let result: Written;
      try {
        result = await this.#write(batch);
      } catch (error) {
        if (error instanceof StorageUnavailable) {
          batch.isAmbiguous = true;
          throw error;
        }
        batch.attempts += 1;
        // It may have been committed under its number, so only the whole can be tried again.
        if (batch.isAmbiguous && batch.attempts < maxAttempts) throw error;
        this.#pending.shift();
        failures.push(this.#divide(batch, error));
        continue;
      }
      this.#pending.shift();
      this.batches.written(batch.items, result);
    }
  }

  /** Returns the error to report. */
  #divide({ items, attempts, isAmbiguous }: Batch<Item>, error: unknown): unknown {
    if (items.length > 1 && !isAmbiguous) {
      const middle = Math.ceil(items.length / 2);
      const halves = [items.slice(0, middle), items.slice(middle)];
      this.#pending.unshift(...halves.map((half) => ({ items: half, number: 0, attempts: 0, isAmbiguous: false })));
      return error;
    }
    if (attempts < maxAttempts && this.#failed.length < maxFailed) {
      for (const item of items) this.#failed.push({ item, attempts, flushes: 2 ** (attempts - 1) });
      return error;
    }
    for (const item of items) this.batches.dropped?.(item);
    return new Error("counts or records that cannot be written are lost", { cause: error });
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

  #write({ items, number }: Batch<Item>): Promise<Written> {
    return this.writeShared
      ? this.writeShared(this.name, number, (transaction, isNew) => this.batches.write(transaction, items, isNew))
      : this.#writeAlone(number, items);
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
