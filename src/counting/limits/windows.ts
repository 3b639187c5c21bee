import type { Timers } from "../../lib/time/timers.ts";
import type { WriteBatch } from "../../platform/storage/batch-transactions.ts";
import { BatchWriter } from "../../platform/storage/batch-writer.ts";
import { removeInPieces } from "../../platform/storage/removal.ts";
import type { Storage } from "../../platform/storage/storage.ts";
import type { LimitPlace, Limits, TakenRequest } from "./limits.ts";
import {
  type CountedRow,
  countedWindows,
  type RateLimitTotalRow,
  raiseUsed,
  removeEndedWindows,
  type UsedRow,
} from "./rate-limit-store.ts";
import { maxSubjectsInTotal, type SubjectCount, Window, type WindowKind, type WindowLimit } from "./window.ts";

/** Shorter windows are written only if other nodes read them: a restart takes about as long as they do. */
const shortestKeptMilliseconds = 60_000;

/** The last word of the scope of sliding limits; that of others is a number. */
const slidingSuffix = " sliding";

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
export class RateLimitWindows implements Limits {
  readonly #windows = new Map<string, Window>();
  /** The last opened window of each limit. */
  readonly #latest = new Map<string, Window>();
  /** The same by the objects of callers: finding a window by its name costs more than the rest of a decision. */
  readonly #open = new WeakMap<LimitPlace, Window>();
  readonly #tally: SubjectCount = { subjects: 0 };

  readonly #writer: BatchWriter<Unwritten, RateLimitTotalRow[]>;
  /** The time of the last flush. */
  #now = 0;

  constructor(
    private readonly storage: Storage,
    private readonly options: { writeShared?: WriteBatch; timers?: Timers } = {},
  ) {
    this.#writer = new BatchWriter<Unwritten, RateLimitTotalRow[]>(
      storage,
      { now: () => this.#now },
      {
        take: () => this.#takeUnwritten(),
        keep: ({ window }) => this.#now < window.keptUntil,
        write: (transaction, batch, isNew) =>
          // Adding 0 to a row only returns its total.
          raiseUsed(
            transaction,
            batch.map(({ row }) => (isNew ? row : { ...row, used: 0 })),
          ),
        written,
      },
      options.writeShared,
    );
  }

  /** Reads the counts from before this process started. Must complete before requests are counted. */
  async load(now: number): Promise<void> {
    for await (const rows of countedWindows(this.storage.reads, now)) {
      if (this.#tally.subjects + rows.length > maxSubjectsInTotal) return;
      for (const row of rows) this.#window(limitOf(row), row.window_start).restore(row.subject, row.used);
    }
  }

  /** The currently open window. Windows begin at multiples of their length, on every node at the same time. */
  open(scope: string, windowSeconds: number, now: number, kind: WindowKind = "fixed"): Window {
    const milliseconds = windowSeconds * 1000;
    const start = now - (now % milliseconds);
    const isSliding = kind === "sliding";
    const limit = { scope: `${scope} ${windowSeconds}${isSliding ? slidingSuffix : ""}`, milliseconds, kind };
    // Short windows would accumulate until the next sweep.
    const latest = this.#latest.get(limit.scope);
    this.#forgetIfEnded(latest?.previous, now);
    this.#forgetIfEnded(latest, now);
    const window = this.#window(limit, start);
    if (isSliding) window.previous = this.#window(limit, start - milliseconds);
    this.#latest.set(limit.scope, window);
    return window;
  }

  take(limit: LimitPlace, subject: string, requests: number, now: number): TakenRequest | Promise<TakenRequest> {
    let window = this.#open.get(limit);
    if (!window || now >= window.end || now < window.start) {
      window = this.open(limit.scope, limit.windowSeconds, now, limit.kind);
      this.#open.set(limit, window);
    }
    const left = window.take(subject, window.allowance(subject, requests, now));
    const recalled = left === -1 ? window.recall(subject) : undefined;
    if (recalled) return recalled.then(() => this.take(limit, subject, requests, now));
    return { left, resetsOn: left > 0 ? window.end : window.nextOn(subject, requests) };
  }

  takeAhead(): undefined {}

  #window(limit: WindowLimit, start: number): Window {
    const key = keyOfWindow(limit.scope, start);
    let window = this.#windows.get(key);
    if (!window) {
      const isWritten = this.storage.isShared || limit.milliseconds >= shortestKeptMilliseconds;
      window = new Window(limit, start, isWritten, this.#tally, this.options.timers);
      this.#windows.set(key, window);
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
    const needed = keys.map((key) => this.#windows.get(key)!).filter((window) => this.#now < window.keptUntil);
    return needed.flatMap((window) => window.takeUnwritten().map((row) => ({ window, row })));
  }

  /** Whether storage has not confirmed all counts. */
  get hasUnwritten(): boolean {
    return this.#writer.unconfirmed.length > 0;
  }

  /** Removes ended windows from memory and storage. */
  async forgetEnded(now: number, signal?: AbortSignal): Promise<void> {
    for (const window of [...this.#windows.values()]) this.#forgetIfEnded(window, now);
    for (const [scope, window] of this.#latest) if (now >= window.keptUntil) this.#latest.delete(scope);
    await removeInPieces(this.storage, (transaction, rows) => removeEndedWindows(transaction, now, rows), { signal });
  }

  get size(): number {
    return this.#windows.size;
  }

  /** The number of subjects in all windows. */
  get subjects(): number {
    return this.#tally.subjects;
  }

  #forgetIfEnded(window: Window | undefined, now: number): void {
    if (!window || now < window.keptUntil) return;
    window.close();
    this.#windows.delete(keyOfWindow(window.scope, window.start));
  }
}

function written(batch: Unwritten[], totals: RateLimitTotalRow[]): void {
  const byKey = new Map(totals.map((total) => [keyOf(total.scope, total.subject, total.window_start), total]));
  for (const { window, row } of batch) {
    const { used, previous_used } = byKey.get(keyOf(row.scope, row.subject, row.windowStart))!;
    window.written(row, used, previous_used ?? 0);
  }
}

/** Returns the limit of a row. A row of a sliding limit is kept for two windows. */
function limitOf({ scope, window_start, ends_on }: CountedRow): WindowLimit {
  const isSliding = scope.endsWith(slidingSuffix);
  const kept = ends_on - window_start;
  return { scope, milliseconds: isSliding ? kept / 2 : kept, kind: isSliding ? "sliding" : "fixed" };
}

function keyOfWindow(scope: string, start: number): string {
  return `${scope} ${start}`;
}

function keyOf(scope: string, subject: string, windowStart: number): string {
  return `${scope} ${subject} ${windowStart}`;
}
