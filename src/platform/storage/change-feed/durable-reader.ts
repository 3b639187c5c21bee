import type { Storage, WriteTransaction } from "../storage.ts";
import { type ChangeRow, countChanges, type FeedCursor, sqliteCursor } from "./feed-cursor.ts";
import { postgresCursor } from "./postgres-cursor.ts";

/** Processes changes in the transaction that marks them as read. */
type ChangeWork = (transaction: WriteTransaction, rows: ChangeRow[]) => Promise<void>;

interface DurableReaderOptions {
  /** The maximum number of changes in one transaction. A pack is not split. */
  page?: number;
  /** A SQL condition on the row of a change. Other changes are skipped, which costs almost nothing. */
  wanted?: string;
}

/**
 * Reads every change that has details, in order and without loss: its cursor is stored, and moves in the transaction of
 * the work. Changes of one resource are read in the order in which they were written. One node reads at a time.
 */
export class DurableReader {
  readonly #cursor: FeedCursor;
  readonly #page: number;
  readonly #wanted: string;
  #isRegistered = false;

  constructor(
    private readonly storage: Storage,
    /** Identifies the cursor and must never change. */
    readonly name: string,
    { page = 500, wanted = "TRUE" }: DurableReaderOptions = {},
  ) {
    this.#page = page;
    this.#wanted = wanted;
    this.#cursor = storage.engine === "postgres" ? postgresCursor : sqliteCursor;
    // Another database may not know the reader.
    storage.feed.subscribe(
      () => {},
      () => {
        this.#isRegistered = false;
      },
    );
  }

  /** Runs the work with the next page. Returns the number of changes, which is 0 also if another node is reading. */
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

  /** Reads pages until there are no new changes. */
  async readAll(work: ChangeWork, signal?: AbortSignal): Promise<void> {
    while (!signal?.aborted) {
      if ((await this.read(work)) < this.#page) return;
    }
  }

  /** Returns pages of an account's unread changes, the newest first. Changes that were just read may be included. */
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

  /** From then on, changes that the reader has not read are not trimmed. */
  async #register(): Promise<void> {
    if (this.#isRegistered) return;
    await this.storage.write((transaction) =>
      transaction.run("INSERT INTO feed_cursors (reader, position) VALUES (?, 0) ON CONFLICT DO NOTHING", [this.name]),
    );
    this.#isRegistered = true;
  }
}
