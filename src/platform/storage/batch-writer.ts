import { randomUUID } from "node:crypto";
import type { Clock } from "../../lib/time/clock.ts";
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
    const result = await this.storage.write(named ? Object.assign(work, { named }) : work);
    this.#unconfirmed = [];
    this.batches.written(items, result);
  }
}

/** A batch is identified by the process that writes it and a number, which increases. */
export interface BatchId {
  writer: string;
  number: number;
}

/** Returns false if the batch with that number is already written. */
export async function claimBatch(
  transaction: WriteTransaction,
  writer: string,
  number: number,
  now: number,
): Promise<boolean> {
  return (await claimBatches(transaction, [{ writer, number }], now)).length > 0;
}

const claim = (batches: number) => `INSERT INTO written_batches (writer, number, written_on)
  VALUES ${Array(batches).fill("(?, ?, ?)").join(", ")}
  ON CONFLICT (writer) DO UPDATE SET number = excluded.number, written_on = excluded.written_on
  WHERE written_batches.number < excluded.number RETURNING writer`;

/** Returns the batches that are not written already, each once. */
export async function claimBatches<Batch extends BatchId>(
  transaction: WriteTransaction,
  batches: readonly Batch[],
  now: number,
): Promise<Batch[]> {
  const claimed: Batch[] = [];
  let rest = batches.toSorted((one, other) => one.number - other.number);
  while (rest.length > 0) {
    // A statement must not contain a writer twice. Further batches of a writer are claimed after its first one.
    const first = new Map<string, Batch>();
    for (const batch of rest) if (!first.has(batch.writer)) first.set(batch.writer, batch);
    rest = rest.filter((batch) => first.get(batch.writer) !== batch);
    const parameters = [...first.values()].flatMap(({ writer, number }) => [writer, number, now]);
    const rows = await transaction.all<{ writer: string }>(claim(first.size), parameters);
    for (const { writer } of rows) claimed.push(first.get(writer)!);
  }
  return claimed;
}

/** Deletes the rows of writers that no longer exist, such as stopped nodes. */
export async function deleteOldWriters(storage: Storage, now: number): Promise<void> {
  await storage.write((transaction) =>
    transaction.run("DELETE FROM written_batches WHERE written_on < ?", [now - keptMilliseconds]),
  );
}
