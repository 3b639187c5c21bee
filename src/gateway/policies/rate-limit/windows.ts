import { BatchWriter } from "../../../platform/storage/batch-writer.ts";
import { removeInPieces } from "../../../platform/storage/removal.ts";
import type { Storage } from "../../../platform/storage/storage.ts";
import { countedWindows, raiseUsed, removeEnded, type TotalRow, type UsedRow } from "./rate-limit-store.ts";

/** The count of a subject in a window. */
interface Count {
  /** The count last read from storage. */
  stored: number;
  /** Accepted here and not included in `stored`. */
  here: number;
  /** The part of `here` that is not written yet. */
  unwritten: number;
}

/** The maximum number of subjects in a window; above it, the oldest is evicted and starts again at 0. */
const mostSubjects = 200_000;
/** The maximum of all windows together: each subject takes about 200 bytes. */
const mostSubjectsInAll = 1_000_000;

/** Shorter windows are written only if other nodes read them: a restart takes about as long as they do. */
const shortestKeptMilliseconds = 60_000;

/** The number of subjects in all windows. */
interface Tally {
  subjects: number;
}

/** A time window with a request limit for each subject. */
export class Window {
  readonly #counts = new Map<string, Count>();
  /** Subjects with unwritten counts. */
  readonly #unwritten = new Set<string>();

  constructor(
    readonly scope: string,
    readonly start: number,
    readonly end: number,
    private readonly isWritten: boolean,
    private readonly tally: Tally,
  ) {}

  /** Returns the remaining number after this request, or -1 if the limit is reached. */
  take(subject: string, requests: number): number {
    const count = this.#counts.get(subject) ?? this.#add(subject, 0);
    const left = requests - count.stored - count.here;
    if (left <= 0) return -1;
    count.here += 1;
    if (this.isWritten) {
      if (count.unwritten === 0) this.#unwritten.add(subject);
      count.unwritten += 1;
    }
    return left - 1;
  }

  /** Sets the stored count of a subject. */
  restore(subject: string, used: number): void {
    const count = this.#counts.get(subject);
    if (count) count.stored = Math.max(count.stored, used);
    else this.#add(subject, used);
  }

  /** Returns the counts to write, by subject. */
  takeUnwritten(): UsedRow[] {
    const rows: UsedRow[] = [];
    for (const subject of [...this.#unwritten].sort()) {
      const count = this.#counts.get(subject);
      if (!count) continue;
      const { scope, start: windowStart, end: endsOn } = this;
      rows.push({ scope, subject, windowStart, endsOn, used: count.unwritten });
      count.unwritten = 0;
    }
    this.#unwritten.clear();
    return rows;
  }

  written({ subject, used }: UsedRow, total: number): void {
    const count = this.#counts.get(subject);
    if (!count) return;
    count.here -= used;
    count.stored = Math.max(count.stored, total);
  }

  get size(): number {
    return this.#counts.size;
  }

  /** Called when it has ended: it no longer counts. */
  close(): void {
    this.tally.subjects -= this.#counts.size;
    this.#counts.clear();
    this.#unwritten.clear();
  }

  #add(subject: string, stored: number): Count {
    const count = { stored, here: 0, unwritten: 0 };
    this.#makeRoom();
    this.#counts.set(subject, count);
    this.tally.subjects += 1;
    return count;
  }

  /** Each window evicts its own subjects: a flood in one must not empty the others. */
  #makeRoom(): void {
    const { size } = this.#counts;
    if (size < mostSubjects && (size === 0 || this.tally.subjects < mostSubjectsInAll)) return;
    const first = this.#counts.keys().next().value!;
    this.#counts.delete(first);
    this.#unwritten.delete(first);
    this.tally.subjects -= 1;
  }
}

/** Counts of a window that are being written. */
interface Unwritten {
  window: Window;
  row: UsedRow;
}

/**
 * The open windows of all rate limits. They are counted in memory and written in groups, so that a restart continues
 * them. Exact on one node. On PostgreSQL nodes share their counts by storage: a limit is exceeded by at most what the
 * other nodes accept in two flush intervals, as for quotas.
 */
export class RateLimitWindows {
  readonly #windows = new Map<string, Window>();
  /** The last opened window of each limit. */
  readonly #latest = new Map<string, string>();
  readonly #tally: Tally = { subjects: 0 };

  readonly #writer: BatchWriter<Unwritten, TotalRow[]>;
  /** The time of the last flush. */
  #now = 0;

  constructor(private readonly storage: Storage) {
    this.#writer = new BatchWriter<Unwritten, TotalRow[]>(
      storage,
      { now: () => this.#now },
      {
        take: () => this.#takeUnwritten(),
        keep: ({ window }) => this.#now < window.end,
        write: (transaction, batch, isNew) =>
          // Adding 0 to a row only returns its total.
          raiseUsed(
            transaction,
            batch.map(({ row }) => (isNew ? row : { ...row, used: 0 })),
          ),
        written,
      },
    );
  }

  /** Reads the counts from before this process started. Must complete before requests are counted. */
  async load(now: number): Promise<void> {
    for await (const rows of countedWindows(this.storage.reads, now)) {
      if (this.#tally.subjects + rows.length > mostSubjectsInAll) return;
      for (const { scope, subject, window_start, ends_on, used } of rows)
        this.#window(scope, window_start, ends_on).restore(subject, used);
    }
  }

  /** The currently open window. Windows begin at multiples of their length, on every node at the same time. */
  open(scope: string, windowSeconds: number, now: number): Window {
    const length = windowSeconds * 1000;
    const start = now - (now % length);
    const limit = `${scope} ${windowSeconds}`;
    // Short windows would accumulate until the next sweep.
    this.#forgetIfEnded(this.#latest.get(limit), now);
    return this.#window(limit, start, start + length);
  }

  #window(limit: string, start: number, end: number): Window {
    const key = `${limit} ${start}`;
    let window = this.#windows.get(key);
    if (!window) {
      const isWritten = this.storage.isShared || end - start >= shortestKeptMilliseconds;
      window = new Window(limit, start, end, isWritten, this.#tally);
      this.#windows.set(key, window);
      this.#latest.set(limit, key);
    }
    return window;
  }

  /** Writes the counts of this node and reads those of other nodes. */
  async flush(now: number): Promise<void> {
    this.#now = now;
    await this.#writer.flush();
  }

  /** In a fixed order, so that two nodes with the same rows cannot deadlock. */
  #takeUnwritten(): Unwritten[] {
    const keys = [...this.#windows.keys()].sort();
    const open = keys.map((key) => this.#windows.get(key)!).filter((window) => this.#now < window.end);
    return open.flatMap((window) => window.takeUnwritten().map((row) => ({ window, row })));
  }

  /** Whether storage has not confirmed all counts. */
  get hasUnwritten(): boolean {
    return this.#writer.unconfirmed.length > 0;
  }

  /** Removes ended windows from memory and storage. */
  async forgetEnded(now: number, signal?: AbortSignal): Promise<void> {
    for (const key of [...this.#windows.keys()]) this.#forgetIfEnded(key, now);
    for (const [limit, key] of this.#latest) if (!this.#windows.has(key)) this.#latest.delete(limit);
    await removeInPieces(this.storage, (transaction, rows) => removeEnded(transaction, now, rows), { signal });
  }

  get size(): number {
    return this.#windows.size;
  }

  /** The number of subjects in all windows. */
  get subjects(): number {
    return this.#tally.subjects;
  }

  #forgetIfEnded(key: string | undefined, now: number): void {
    const window = key === undefined ? undefined : this.#windows.get(key);
    if (!window || now < window.end) return;
    window.close();
    this.#windows.delete(key!);
  }
}

function written(batch: Unwritten[], totals: TotalRow[]): void {
  const byKey = new Map(totals.map((total) => [keyOf(total.scope, total.subject, total.window_start), total.used]));
  for (const { window, row } of batch) window.written(row, byKey.get(keyOf(row.scope, row.subject, row.windowStart))!);
}

function keyOf(scope: string, subject: string, windowStart: number): string {
  return `${scope} ${subject} ${windowStart}`;
}
