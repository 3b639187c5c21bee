import type { Storage, WriteTransaction } from "../storage.ts";
import { type ChangeRow, countChanges, type FeedCursor, sqliteCursor } from "./feed-cursor.ts";
import { postgresCursor } from "./postgres-cursor.ts";

/** Does what must be done with changes, in the transaction that marks them as read. */
export type ChangeWork = (transaction: WriteTransaction, rows: ChangeRow[]) => Promise<void>;

export interface DurableReaderOptions {
  /** Of changes in one transaction; a pack is not split. */
  page?: number;
  /** A condition in SQL on the row of a change: the others are passed over, which costs next to nothing. */
  wanted?: string;
}

/**
 * Reads every change that has details, in order, without losing one: its cursor is in storage and moves in the transaction
 * of the work. Changes of one resource come in the order in which they were made. One node reads at a time.
 */
export class DurableReader {
  readonly #cursor: FeedCursor;
  readonly #page: number;
  readonly #wanted: string;
  #isRegistered = false;

  constructor(
    private readonly storage: Storage,
    /** Stays the same for good: it names the cursor. */
    readonly name: string,
    { page = 500, wanted = "TRUE" }: DurableReaderOptions = {},
  ) {
    this.#page = page;
    this.#wanted = wanted;
    this.#cursor = storage.engine === "postgres" ? postgresCursor : sqliteCursor;
  }

  /** Runs the work with the next page. Returns how many changes there were: 0 also where another node reads. */
  async read(work: ChangeWork): Promise<number> {
    await this.#register();
    if (!(await this.#cursor.hasUnread(this.storage.reads, this.name))) return 0;
    return this.storage.write(async (transaction) => {
      if (!(await transaction.tryLock(`reader ${this.name}`))) return 0;
      const rows = await this.#cursor.next(transaction, this.name, this.#page, this.#wanted);
      if (rows.length > 0) await work(transaction, rows);
      return countChanges(rows);
    });
  }

  /** Page after page until there is nothing new. */
  async readAll(work: ChangeWork, signal?: AbortSignal): Promise<void> {
    while (!signal?.aborted) {
      if ((await this.read(work)) < this.#page) return;
    }
  }

  /** What of an account is not read yet, in pages, the newest first; also some that was read a moment ago. */
  async *unread(accountSeq: number, limit: number): AsyncGenerator<ChangeRow[]> {
    let before = Number.MAX_SAFE_INTEGER;
    for (;;) {
      const rows = await this.#cursor.unread(this.storage.reads, this.name, { accountSeq, before, limit });
      if (rows.length === 0) return;
      yield rows;
      if (countChanges(rows) < limit) return;
      before = rows.at(-1)!.seq;
      await new Promise(setImmediate);
    }
  }

  /** From then on nothing is trimmed that it has not read. */
  async #register(): Promise<void> {
    if (this.#isRegistered) return;
    await this.storage.write((transaction) =>
      transaction.run("INSERT INTO feed_cursors (reader, position) VALUES (?, 0) ON CONFLICT DO NOTHING", [this.name]),
    );
    this.#isRegistered = true;
  }
}
