import { BatchWriter } from "../../../platform/storage/batch-writer.ts";
import { removeInPieces } from "../../../platform/storage/removal.ts";
import type { Storage } from "../../../platform/storage/storage.ts";
import { raiseUsed, removeEnded, type TotalRow, type UsedRow } from "./rate-limit-store.ts";

/** What one subject used in a window. */
interface Count {
  /** As far as storage told; 0 on a node that is alone. */
  shared: number;
  /** Let through here and not yet in `shared`. */
  here: number;
  /** The part of it that storage does not know yet. */
  unwritten: number;
}

/** So many subjects are counted in a window; then the one that came first is forgotten, and begins anew. */
const mostSubjects = 200_000;
/** The same of all windows together: each takes about 200 bytes. */
const mostSubjectsInAll = 1_000_000;

/** How many subjects all windows count. */
interface Tally {
  subjects: number;
}

/** A stretch of time in which each subject may make so many requests. */
export class Window {
  readonly #counts = new Map<string, Count>();
  /** Subjects of which the other nodes do not know everything. */
  readonly #unwritten = new Set<string>();

  constructor(
    readonly scope: string,
    readonly start: number,
    readonly end: number,
    private readonly isShared: boolean,
    private readonly tally: Tally,
  ) {}

  /** What is left after this request, or -1 if there was nothing left for it. */
  take(subject: string, requests: number): number {
    let count = this.#counts.get(subject);
    if (!count) {
      count = { shared: 0, here: 0, unwritten: 0 };
      this.#makeRoom();
      this.#counts.set(subject, count);
      this.tally.subjects += 1;
    }
    const left = requests - count.shared - count.here;
    if (left <= 0) return -1;
    count.here += 1;
    if (this.isShared) {
      if (count.unwritten === 0) this.#unwritten.add(subject);
      count.unwritten += 1;
    }
    return left - 1;
  }

  /** What has to be told to the other nodes, and is being told now. */
  takeUnwritten(): UsedRow[] {
    const rows: UsedRow[] = [];
    for (const subject of this.#unwritten) {
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
    count.shared = Math.max(count.shared, total);
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

  /** Each window gives up its own: one that many strangers ask for must not empty the others. */
  #makeRoom(): void {
    const { size } = this.#counts;
    if (size < mostSubjects && (size === 0 || this.tally.subjects < mostSubjectsInAll)) return;
    const first = this.#counts.keys().next().value!;
    this.#counts.delete(first);
    this.#unwritten.delete(first);
    this.tally.subjects -= 1;
  }
}

/** What a window let through, on its way to storage. */
interface Unwritten {
  window: Window;
  row: UsedRow;
}

/**
 * The windows that are open, of all rate limits. Exact on one node, where nothing is written. On PostgreSQL nodes tell
 * each other through storage what they let through, written behind in groups: a limit is exceeded by at most what the other
 * nodes let through in two flush intervals, as for quotas.
 */
export class RateLimitWindows {
  readonly #windows = new Map<string, Window>();
  /** Of each limit the one that was opened last. */
  readonly #latest = new Map<string, string>();
  readonly #tally: Tally = { subjects: 0 };

  readonly #isShared: boolean;
  readonly #writer: BatchWriter<Unwritten, TotalRow[]>;
  /** As of the last flush. */
  #now = 0;

  constructor(private readonly storage: Storage) {
    this.#isShared = storage.isShared;
    this.#writer = new BatchWriter<Unwritten, TotalRow[]>(
      storage,
      { now: () => this.#now },
      {
        take: () => this.#takeUnwritten(),
        keep: ({ window }) => this.#now < window.end,
        write: (transaction, batch, isNew) =>
          // Raised by nothing, a row only answers how far it is.
          raiseUsed(
            transaction,
            batch.map(({ row }) => (isNew ? row : { ...row, used: 0 })),
          ),
        written,
      },
    );
  }

  /** The one that is open now. Windows begin at multiples of their length, on every node at the same moment. */
  open(scope: string, windowSeconds: number, now: number): Window {
    const length = windowSeconds * 1000;
    const start = now - (now % length);
    const limit = `${scope} ${windowSeconds}`;
    const key = `${limit} ${start}`;
    let window = this.#windows.get(key);
    if (!window) {
      // Short windows would pile up until those that are over are looked for.
      this.#forgetIfEnded(this.#latest.get(limit), now);
      window = new Window(limit, start, start + length, this.#isShared, this.#tally);
      this.#windows.set(key, window);
      this.#latest.set(limit, key);
    }
    return window;
  }

  /** Tells the other nodes what was let through here, and learns what they did. */
  async flush(now: number): Promise<void> {
    if (!this.#isShared) return;
    this.#now = now;
    await this.#writer.flush();
  }

  #takeUnwritten(): Unwritten[] {
    const open = [...this.#windows.values()].filter((window) => this.#now < window.end);
    return open.flatMap((window) => window.takeUnwritten().map((row) => ({ window, row })));
  }

  /** Lets go of windows that are over, here and in storage. */
  async forgetEnded(now: number, signal?: AbortSignal): Promise<void> {
    for (const key of [...this.#windows.keys()]) this.#forgetIfEnded(key, now);
    for (const [limit, key] of this.#latest) if (!this.#windows.has(key)) this.#latest.delete(limit);
    if (!this.#isShared) return;
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
