import { type ChangeRow, countChanges, type FeedCursor, isFull, type Page, sqliteCursor } from "./feed-cursor.ts";
import { postgresCursor } from "./postgres-cursor.ts";
import type { Storage, WriteTransaction } from "./storage.ts";

/** Does what must be done with changes, in the transaction that marks them as read. */
export type ChangeWork = (transaction: WriteTransaction, rows: ChangeRow[]) => Promise<void>;

export interface DurableReaderOptions {
  /** Of rows in one transaction. */
  page?: number;
  /** Of changes in one transaction, where rows are packs of them; as many as rows, unless it is given. A pack is not split. */
  changes?: number;
  /** A condition in SQL on the row of a change: the others are passed over, which costs next to nothing. */
  wanted?: string;
}

/**
 * Reads every change that has details, in order, without losing one: its cursor is in storage and moves in the transaction
 * of the work. Changes of one resource come in the order in which they were made. One node reads at a time.
 */
export class DurableReader {
  readonly #cursor: FeedCursor;
  readonly #page: Page;
  readonly #wanted: string;
  #isRegistered = false;

  constructor(
    private readonly storage: Storage,
    /** Stays the same for good: it names the cursor. */
    readonly name: string,
    { page = 500, changes = page, wanted = "TRUE" }: DurableReaderOptions = {},
  ) {
    this.#page = { rows: page, changes };
    this.#wanted = wanted;
    this.#cursor = storage.engine === "postgres" ? postgresCursor : sqliteCursor;
  }

  /** Runs the work with the next page. Returns how many changes there were: 0 also where another node reads. */
  async read(work: ChangeWork): Promise<number> {
    return countChanges(await this.#readPage(work));
  }

  /** Page after page until there is nothing new. */
  async readAll(work: ChangeWork, signal?: AbortSignal): Promise<void> {
    while (!signal?.aborted) {
      if (!isFull(await this.#readPage(work), this.#page)) return;
    }
  }

  async #readPage(work: ChangeWork): Promise<ChangeRow[]> {
    await this.#register();
    if (!(await this.#cursor.hasUnread(this.storage.reads, this.name))) return [];
    return this.storage.write(async (transaction) => {
      if (!(await transaction.tryLock(`reader ${this.name}`))) return [];
      const rows = await this.#cursor.next(transaction, this.name, this.#page, this.#wanted);
      if (rows.length > 0) await work(transaction, rows);
      return rows;
    });
  }

  /** What of an account is not read yet, the newest first; also some that was read a moment ago. */
  unread(accountSeq: number, limit: number): Promise<ChangeRow[]> {
    return this.#cursor.unread(this.storage.reads, this.name, accountSeq, limit);
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
