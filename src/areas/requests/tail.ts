import { Slice } from "../../lib/tasks/slices.ts";
import type { Reads } from "../../platform/storage/storage.ts";
import { type LogRow, lastLogSeq, logRowsAfter } from "../deployments/logs/logs.ts";
import { NewRows } from "./new-rows.ts";
import { lastSeq, type OmittedCount, omittedSince, requestsAfter, type WrittenRequest } from "./store.ts";

const pollMilliseconds = 250;
const maxRows = 1_000;
const minuteMilliseconds = 60_000;
/** Nodes still add to the counts of a minute for this time after it. */
const openMilliseconds = 2 * minuteMilliseconds;

/** The rows that were stored since the last poll, of all accounts. */
export interface NewRequests {
  requests: WrittenRequest[];
  /** The increase of omitted requests by deployment. */
  omitted: OmittedCount[];
  lines: LogRow[];
}

type Listener = (news: NewRequests) => void;

/** Reads new requests and log lines once for all followers of this process, and not at all while there are none. */
export class RequestTail {
  readonly #listeners = new Set<Listener>();
  #read: (() => Promise<NewRequests>) | undefined;
  #polling: Promise<void> = Promise.resolve();
  #timer: Timer | undefined;
  #hasMore = false;

  constructor(
    private readonly reads: Reads,
    private readonly now: () => number,
  ) {}

  /** Calls the listener with rows that are written from now on, until the returned function is called. */
  async listen(listener: Listener): Promise<() => void> {
    // Earlier rows are first passed to the existing listeners.
    await this.#poll();
    this.#listeners.add(listener);
    this.#schedule();
    return () => this.#listeners.delete(listener);
  }

  get isReading(): boolean {
    return this.#timer !== undefined;
  }

  async #repeat(): Promise<void> {
    // Storage may be unavailable: the next poll retries.
    if (this.#listeners.size > 0) await this.#poll().catch(() => {});
    this.#timer = undefined;
    if (this.#listeners.size > 0) this.#schedule();
    else this.#read = undefined;
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => void this.#repeat(), this.#hasMore ? 0 : pollMilliseconds);
  }

  /** One at a time, because each poll continues from the last. */
  #poll(): Promise<void> {
    const poll = this.#polling.then(() => this.#pollOnce());
    this.#polling = poll.catch(() => {});
    return poll;
  }

  async #pollOnce(): Promise<void> {
    this.#read ??= await newsFromNow(this.reads, this.now);
    const news = await this.#read();
    this.#hasMore = Math.max(news.requests.length, news.lines.length) >= maxRows;
    if (news.requests.length + news.omitted.length + news.lines.length === 0) return;
    const slice = new Slice();
    for (const listener of [...this.#listeners]) {
      listener(news);
      if (slice.isOver) await slice.next();
    }
  }
}

async function newsFromNow(reads: Reads, now: () => number): Promise<() => Promise<NewRequests>> {
  const requests = await NewRows.from({
    last: () => lastSeq(reads),
    after: (seq) => requestsAfter(reads, seq, maxRows),
    max: maxRows,
  });
  const lines = await NewRows.from({
    last: () => lastLogSeq(reads),
    after: (seq) => logRowsAfter(reads, seq, maxRows),
    max: maxRows,
  });
  const omitted = await OmittedTail.from(reads, now);
  // What was read before a failure is kept for the next poll, because it is not returned twice.
  let read: Partial<NewRequests> = {};
  return async () => {
    read.requests ??= await requests.next();
    read.lines ??= await lines.next();
    const news = { requests: read.requests, lines: read.lines, omitted: await omitted.next() };
    read = {};
    return news;
  };
}

/** The counts of omitted requests as they increase. */
class OmittedTail {
  #known = new Map<string, OmittedCount>();

  private constructor(
    private readonly reads: Reads,
    private readonly now: () => number,
  ) {}

  static async from(reads: Reads, now: () => number): Promise<OmittedTail> {
    const tail = new OmittedTail(reads, now);
    await tail.next();
    return tail;
  }

  async next(): Promise<OmittedCount[]> {
    const counts = await omittedSince(this.reads, this.now() - openMilliseconds);
    const known = this.#known;
    this.#known = new Map(counts.map((count) => [`${count.deploymentSeq} ${count.minute}`, count]));
    return [...this.#known].flatMap(([key, count]) => {
      const before = known.get(key);
      const successes = count.successes - (before?.successes ?? 0);
      const failures = count.failures - (before?.failures ?? 0);
      return successes + failures > 0 ? [{ ...count, successes, failures }] : [];
    });
  }
}
