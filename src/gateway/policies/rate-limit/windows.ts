import { BatchWriter } from "../../../platform/storage/batch-writer.ts";
import { removeInPieces } from "../../../platform/storage/removal.ts";
import type { Storage } from "../../../platform/storage/storage.ts";
import { countedWindows, raiseUsed, removeEnded, type TotalRow, type UsedRow } from "./rate-limit-store.ts";

/** What one subject used in a window. */
interface Count {
  /** As last read from storage. */
  stored: number;
  /** Admitted here and not yet in `stored`. */
  here: number;
  /** The part of it that is not written yet. */
  unwritten: number;
}

/** So many subjects are counted in a window; then the one that came first is forgotten, and begins anew. */
const mostSubjects = 200_000;
/** The same of all windows together: each takes about 200 bytes. */
const mostSubjectsInAll = 1_000_000;

/** Shorter windows are written only where other nodes read them: a restart takes about as long as they do. */
const shortestKeptMilliseconds = 60_000;

/** How many subjects all windows count. */
interface Tally {
  subjects: number;
}

/** A stretch of time in which each subject may make so many requests. */
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

  /** What is left after this request, or -1 if there was nothing left for it. */
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

  /** Sets what storage has counted of a subject. */
  restore(subject: string, used: number): void {
    const count = this.#counts.get(subject);
    if (count) count.stored = Math.max(count.stored, used);
    else this.#add(subject, used);
  }

  /** What has to be written now, by subject. */
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

  /** It is over: nothing is counted in it any more. */
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

  /** Each window evicts its own: a flood of one must not empty the others. */
  #makeRoom(): void {
    const { size } = this.#counts;
    if (size < mostSubjects && (size === 0 || this.tally.subjects < mostSubjectsInAll)) return;
    const first = this.#counts.keys().next().value!;
    this.#counts.delete(first);
    this.#unwritten.delete(first);
    this.tally.subjects -= 1;
  }
}

/** What a window admitted, on its way to storage. */
interface Unwritten {
  window: Window;
  row: UsedRow;
}

/**
 * The windows that are open, of all rate limits. Counted in memory and written behind in groups, so that a restart goes on where it
 * was; exact on one node. On PostgreSQL nodes share their counts through storage: a limit is exceeded by at most what the other
 * nodes admit in two flush intervals, as for quotas.
 */
export class RateLimitWindows {
  readonly #windows = new Map<string, Window>();
  /** Of each limit the one that was opened last. */
  readonly #latest = new Map<string, string>();
  readonly #tally: Tally = { subjects: 0 };

  readonly #writer: BatchWriter<Unwritten, TotalRow[]>;
  /** As of the last flush. */
  #now = 0;

  constructor(private readonly storage: Storage) {
    this.#writer = new BatchWriter<Unwritten, TotalRow[]>(
      storage,
      { now: () => this.#now },
      {
        take: () => this.#takeUnwritten(),
        keep: ({ window }) => this.#now < window.end,
        write: (transaction, batch, isNew) =>
          // Raised by 0, a row only returns its total.
          raiseUsed(
            transaction,
            batch.map(({ row }) => (isNew ? row : { ...row, used: 0 })),
          ),
        written,
      },
    );
  }

  /** Reads what was counted before this process started. Must be done before requests are counted. */
  async load(now: number): Promise<void> {
    for await (const rows of countedWindows(this.storage.reads, now)) {
      if (this.#tally.subjects + rows.length > mostSubjectsInAll) return;
      for (const { scope, subject, window_start, ends_on, used } of rows)
        this.#window(scope, window_start, ends_on).restore(subject, used);
    }
  }

  /** The one that is open now. Windows begin at multiples of their length, on every node at the same moment. */
  open(scope: string, windowSeconds: number, now: number): Window {
    const length = windowSeconds * 1000;
    const start = now - (now % length);
    const limit = `${scope} ${windowSeconds}`;
    // Short windows would pile up until those that are over are looked for.
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

  /** Writes what was admitted here and reads what other nodes admitted. */
  async flush(now: number): Promise<void> {
    this.#now = now;
    await this.#writer.flush();
  }

  /** In one order: two nodes with the same rows must not wait for each other in a circle. */
  #takeUnwritten(): Unwritten[] {
    const keys = [...this.#windows.keys()].sort();
    const open = keys.map((key) => this.#windows.get(key)!).filter((window) => this.#now < window.end);
    return open.flatMap((window) => window.takeUnwritten().map((row) => ({ window, row })));
  }

  /** Whether storage has not confirmed everything that was taken. */
  get hasUnwritten(): boolean {
    return this.#writer.unconfirmed.length > 0;
  }

  /** Removes windows that are over, here and in storage. */
  async forgetEnded(now: number, signal?: AbortSignal): Promise<void> {
    for (const key of [...this.#windows.keys()]) this.#forgetIfEnded(key, now);
    for (const [limit, key] of this.#latest) if (!this.#windows.has(key)) this.#latest.delete(limit);
    await removeInPieces(this.storage, (transaction, rows) => removeEnded(transaction, now, rows), { signal });
  }

  get size(): number {
    return this.#windows.size;
  }

  /** What all windows count. */
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
