import type { WriteResponse } from "../../src/counting/workers/messages.ts";
import { BatchWriter } from "../../src/platform/storage/batch-writer.ts";
import type { NamedWrite } from "../../src/platform/storage/named-write.ts";
import type { Storage, WriteTransaction } from "../../src/platform/storage/storage.ts";
import { PrimaryFeed, WorkerStorage } from "../../src/server/worker-process/worker-storage.ts";
import { unique } from "./metering.ts";

/** Numbers that workers record in batches, and whose sum the primary writes. */
export class RecordedNumbers {
  readonly #subject = unique("recorded");
  readonly named: NamedWrite<never, unknown>;

  constructor(private readonly storage: Storage) {
    this.named = this.writer(storage, () => 0, []).transferred as NamedWrite<never, unknown>;
  }

  writer(storage: Storage, now: () => number, numbers: number[]): BatchWriter<number, void> {
    return new BatchWriter<number, void>(
      storage,
      { now },
      {
        take: () => numbers.splice(0),
        write: async (transaction, items, isNew) => {
          if (isNew) await this.#add(transaction, items);
        },
        written: () => {},
        transfer: {
          name: "recorded numbers",
          encode: (items) => items,
          decode: (items) => items as number[],
          rows: () => 1,
        },
      },
    );
  }

  async sum(): Promise<number> {
    const query = "SELECT used FROM rate_limits WHERE subject = ?";
    return (await this.storage.reads.one<{ used: number }>(query, [this.#subject]))?.used ?? 0;
  }

  async #add(transaction: WriteTransaction, items: number[]): Promise<void> {
    const sum = items.reduce((total, item) => total + item, 0);
    await transaction.run(
      `INSERT INTO rate_limits (scope, subject, window_start, ends_on, used) VALUES ('test', ?, 0, 1, ?)
        ON CONFLICT (scope, subject, window_start) DO UPDATE SET used = rate_limits.used + excluded.used`,
      [this.#subject, sum],
    );
  }
}

interface RecordsLink {
  readonly epoch: number;
  send(write: { writer: string; number: number; data: unknown }): Promise<unknown>;
}

/** What one worker records: its own storage, whose writes the primary applies. */
export class WorkerRecords {
  readonly #numbers: number[] = [];
  readonly #writer: BatchWriter<number, void>;
  /** The number of flushes that have not ended. */
  flushing = 0;
  /** The sum of what it was given. */
  sum = 0;

  constructor(storage: Storage, now: () => number, records: RecordedNumbers, link: RecordsLink) {
    const writer = crypto.randomUUID();
    const primary = {
      get epoch() {
        return link.epoch;
      },
      send: ([, , number, data]: ["write", string, number, unknown]) =>
        link.send({ writer, number, data: structuredClone(data) }) as Promise<WriteResponse>,
    };
    const feed = new PrimaryFeed(() => {}, 0);
    const opened = { ...storage, reads: storage.reads, close: async () => {} };
    const own = new WorkerStorage(opened, feed, primary as ConstructorParameters<typeof WorkerStorage>[2]);
    this.#writer = records.writer(own, now, this.#numbers);
  }

  /** What is not confirmed as written. */
  get unconfirmed(): number {
    return [...this.#numbers, ...this.#writer.unconfirmed].reduce((sum, number) => sum + number, 0);
  }

  add(number: number): void {
    this.#numbers.push(number);
    this.sum += number;
  }

  flush(): void {
    this.flushing += 1;
    void this.#writer.flush().finally(() => (this.flushing -= 1));
  }
}
