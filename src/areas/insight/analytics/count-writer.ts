import { pieceSize, yieldToEventLoop } from "../../../lib/tasks/slices.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import { BatchWriter } from "../../../platform/storage/batch-writer.ts";
import type { Storage, WriteTransaction } from "../../../platform/storage/storage.ts";
import { type CountedRow, type CountedTable, type Place, type RowKey, SummedRows } from "./counted-table.ts";
import { alignDown, steps } from "./steps.ts";

/**
 * The average number of rows per second: at about 20 µs of CPU per row, a twentieth of the time. The pause depends on
 * the number of rows, not on the duration of the write: slow storage costs no CPU here, and a longer pause would only
 * leave more unwritten.
 */
const rowsPerSecond = 2_000;
const maxPauseSeconds = 30;

/** Counts in memory that belong to one minute. */
export interface CountedMinute {
  readonly time: number;
  /** The number of counters. */
  size: number;
}

/** The minutes of a counter, until they are written. A request that began in an earlier minute counts when it ends. */
export class Minutes<Minute extends CountedMinute> {
  #minutes: Minute[] = [];
  #current: Minute | undefined;
  /** The number of counters, also of those that were taken and are not confirmed. */
  size = 0;

  /** @param max while storage is unavailable, up to this number are separate: later requests count in the last */
  constructor(
    private readonly max: number,
    private readonly open: (time: number) => Minute,
  ) {}

  at(now: number): Minute {
    const current = this.#current;
    if (current && (now < current.time + steps["1m"].milliseconds || this.#minutes.length >= this.max)) return current;
    this.#current = this.open(alignDown(now, steps["1m"].milliseconds));
    this.#minutes.push(this.#current);
    return this.#current;
  }

  grow(minute: Minute): void {
    minute.size += 1;
    this.size += 1;
  }

  /** Returns all counts so far. Later requests are counted in new minutes. */
  take(): Minute[] {
    const minutes = this.#minutes;
    this.#minutes = [];
    this.#current = undefined;
    return minutes;
  }

  /** Releases minutes after they are stored. */
  written(minutes: Minute[]): void {
    for (const { size } of minutes) this.size -= size;
  }
}

/** The number of rows a place may have before new ones are counted as others. */
export interface Level {
  max: number;
  fold?: (key: RowKey) => RowKey;
}

/** How counts reach the process that owns storage. */
export interface CountTransfer<Minute> {
  /** The name of the write. */
  name: string;
  /** Without it, minutes are plain values. */
  encode?(minutes: Minute[]): CountedMinute[];
  decode?(encoded: unknown): Minute[];
}

/** The additions to the rows of one owner and detail, in any step and time. */
export interface Increments<Counts extends object> {
  /** The `seq` of the deployment or bucket that is counted. */
  owner: number;
  /** The place without its step and time. */
  place: RowKey;
  sums: SummedRows<Counts>;
  /** The bounds of new rows in a step and time; the last has no maximum. */
  levels: (step: number) => Level[];
}

/** The rows to write for one place. */
interface Filling<Counts extends object> {
  table: CountedTable<Counts>;
  place: Place;
  rows: SummedRows<Counts>["rows"];
  levels: Level[];
  /** The number of rows of the place, with the new ones. Undefined until it is needed. */
  taken: number | undefined;
  /** Rows beyond the maximum of the current level. */
  folded: SummedRows<Counts>;
}

interface FilledRow<Counts extends object> {
  filling: Filling<Counts>;
  /** Whether the database adds it, because no row can be too many. */
  isAdded: boolean;
  key: RowKey;
  counts: Counts;
}

/**
 * Writes counts asynchronously. Each batch is written once, to the rows of its minute, hour and day in one transaction,
 * so that no step depends on a job that aggregates another.
 */
export abstract class CountWriter<Minute extends CountedMinute, Counts extends object> {
  readonly #writer: BatchWriter<Minute, void>;
  readonly #name: string;
  /** The number of rows since the last paced write began. */
  #rows = 0;
  #pauseSeconds = 0;

  constructor(
    storage: Storage,
    clock: Clock,
    counter: { minutes: Minutes<Minute> },
    { name, encode = (minutes) => minutes, decode = (encoded) => encoded as Minute[] }: CountTransfer<Minute>,
  ) {
    this.#name = name;
    this.#writer = new BatchWriter<Minute, void>(storage, clock, {
      take: () => counter.minutes.take(),
      write: (transaction, minutes, isNew) => (isNew ? this.#write(transaction, minutes) : Promise.resolve()),
      written: (minutes) => counter.minutes.written(minutes),
      transfer: {
        name,
        encode,
        decode,
        rows: (encoded) => (encoded as CountedMinute[]).reduce((sum, { size }) => sum + size, 0),
      },
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

  /** To be called every second: writes the counts, or counts down a second of the pause after many rows. */
  async flushPaced(): Promise<void> {
    if (this.#pauseSeconds > 0) {
      this.#pauseSeconds -= 1;
      return;
    }
    this.#rows = 0;
    await this.flush();
    this.#pauseSeconds = Math.min(Math.floor(this.#rows / rowsPerSecond), maxPauseSeconds - 1);
  }

  flush(): Promise<void> {
    return this.#writer.flush();
  }

  /** Sums minutes for all of their tables and details. */
  protected abstract sum(transaction: WriteTransaction, minutes: Minute[]): Promise<Increments<Counts>[]>;

  /** Returns those of the owners that are not deleted. */
  protected abstract existing(transaction: WriteTransaction, owners: number[]): Promise<Set<number>>;

  /** Called after the rows are written, in the same transaction. */
  protected async finish(_: WriteTransaction, _minutes: Minute[]): Promise<void> {}

  async #write(transaction: WriteTransaction, minutes: Minute[]): Promise<void> {
    const byOwner = Map.groupBy(await this.#fillings(transaction, minutes), ({ owner }) => owner);
    if (byOwner.size === 0) return;
    const existing = await this.existing(transaction, [...byOwner.keys()]);
    // Sorted, so that two nodes cannot deadlock.
    for (const owner of [...byOwner.keys()].sort((one, another) => one - another)) {
      if (!existing.has(owner)) continue;
      // Counts are merged here, not in the database, so no other node may write the same rows at the same time.
      await transaction.lock(`${this.#name} ${owner}`);
      await this.#fill(
        transaction,
        byOwner.get(owner)!.map(({ filling }) => filling),
      );
    }
    await this.finish(transaction, minutes);
  }

  /** The same minutes add the same counts to every step, so they are summed once for all steps. */
  async #fillings(transaction: WriteTransaction, minutes: Minute[]) {
    const fillings: { owner: number; filling: Filling<Counts> }[] = [];
    const summed = new Map<string, Increments<Counts>[]>();
    for (const { milliseconds: step } of Object.values(steps))
      for (const [time, some] of Map.groupBy(minutes, (minute) => alignDown(minute.time, step))) {
        const key = some.map((minute) => minutes.indexOf(minute)).join();
        const increments = summed.get(key) ?? (await this.sum(transaction, some));
        summed.set(key, increments);
        for (const { owner, place, sums, levels } of increments) {
          const { table, rows } = sums;
          const folded = new SummedRows(table);
          const filling = {
            table,
            place: { ...place, step, time },
            rows,
            levels: levels(step),
            taken: undefined,
            folded,
          };
          fillings.push({ owner, filling });
        }
      }
    return fillings;
  }

  /**
   * Adds to all rows of an owner, in few statements: each is a round trip to PostgreSQL. New rows beyond the limit of
   * their place are added to coarser rows.
   */
  async #fill(transaction: WriteTransaction, all: Filling<Counts>[]): Promise<void> {
    for (const [table, ofTable] of Map.groupBy(all, (filling) => filling.table)) {
      let fillings = ofTable;
      for (let level = 0; fillings.length > 0; level++) {
        const rows: FilledRow<Counts>[] = [];
        for (const filling of fillings) {
          const { max, fold } = filling.levels[level]!;
          if (table.isSum && fold) filling.taken ??= await table.countRows(transaction, filling.place);
          const isAdded = table.isSum && (filling.taken ?? 0) + filling.rows.size <= max;
          for (const row of filling.rows.values()) rows.push({ filling, isAdded, ...row });
        }
        for (let from = 0; from < rows.length; from += pieceSize) {
          if (from > 0) await yieldToEventLoop();
          await this.#addPiece(transaction, table, level, rows.slice(from, from + pieceSize));
        }
        fillings = fillings
          .filter(({ folded }) => folded.rows.size > 0)
          .map((filling) => ({ ...filling, rows: filling.folded.rows, folded: new SummedRows(table) }));
      }
    }
  }

  async #addPiece(
    transaction: WriteTransaction,
    table: CountedTable<Counts>,
    level: number,
    rows: FilledRow<Counts>[],
  ): Promise<void> {
    const rowOf = ({ filling: { place }, key, counts }: FilledRow<Counts>): CountedRow<Counts> => ({
      place,
      key,
      counts,
    });
    const added = rows.filter(({ isAdded }) => isAdded);
    await table.writeRows(transaction, added.map(rowOf), "add");
    const others = rows.filter(({ isAdded }) => !isAdded);
    const known = await table.readRows(transaction, others.map(rowOf));
    const written: CountedRow<Counts>[] = [];
    for (const row of others) {
      const { filling, key, counts } = row;
      const { place } = filling;
      const stored = known.get(table.textOf(rowOf(row)));
      if (stored) {
        table.merge(stored, counts);
        written.push({ place, key, counts: stored });
        continue;
      }
      const { max, fold } = filling.levels[level]!;
      if (fold) {
        filling.taken ??= await table.countRows(transaction, place);
        if (filling.taken >= max) {
          filling.folded.add(fold(key), counts);
          continue;
        }
        filling.taken += 1;
      }
      written.push({ place, key, counts });
    }
    await table.writeRows(transaction, written);
    this.#rows += rows.length;
  }
}
