import { Slice } from "../../../lib/tasks/slices.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import { type LogRow, lastLogSeq, logRowsAfter } from "../../gateways/deployments/logs/logs.ts";
import { lastSeq, type OmittedCount, omittedSince, requestsAfter, type WrittenRequest } from "./store.ts";

/**
 * Nodes write concurrently, and a row may become visible after one with a higher number. It is awaited for this time.
 */
const settleMilliseconds = 3_000;

interface NumberedRow {
  seq: number;
}

/** Returns rows of a table as they become visible, each once. */
class NewRows<Row extends NumberedRow> {
  /** All rows up to this number have been returned. */
  #floor = 0;
  readonly #seen = new Set<number>();
  /** The highest number at the time of earlier polls. */
  #marks: { at: number; seq: number }[] = [];

  private constructor(private readonly read: RowReader<Row>) {}

  static async from<Row extends NumberedRow>(read: RowReader<Row>): Promise<NewRows<Row>> {
    const rows = new NewRows(read);
    rows.#floor = await read.last();
    return rows;
  }

  async next(): Promise<Row[]> {
    const now = performance.now();
    const last = await this.read.last();
    const rows = await this.read.after(this.#floor);
    const fresh = rows.filter(({ seq }) => !this.#seen.has(seq));
    for (const { seq } of fresh) this.#seen.add(seq);
    const isFull = rows.length >= this.read.max;
    this.#marks.push({ at: now, seq: isFull ? rows.at(-1)!.seq : last });
    while (this.#marks.length > 0 && (isFull || now - this.#marks[0]!.at >= settleMilliseconds))
      this.#floor = Math.max(this.#floor, this.#marks.shift()!.seq);
    for (const seq of this.#seen) if (seq <= this.#floor) this.#seen.delete(seq);
    return fresh;
  }
}

interface RowReader<Row> {
  /** The highest number of all rows. */
  last(): Promise<number>;
  after(seq: number): Promise<Row[]>;
  /** The maximum number of rows that `after` returns. */
  max: number;
}

const pollMilliseconds = 250;
const maxRows = 1_000;
const minuteMilliseconds = 60_000;
/** Nodes flush their counts late: the counts of a minute may still increase for this time. */
const openMilliseconds = 2 * minuteMilliseconds;

/** The rows that were stored since the last poll, of all accounts. */
export interface NewRequests {
  requests: WrittenRequest[];
  /** How many more requests were omitted since the last poll, by deployment and minute. */
  omitted: OmittedCount[];
  lines: LogRow[];
}

type Listener = (news: NewRequests) => void;

/** Polls for new requests and log lines once for all listeners of this process, and not at all while there are none. */
export class RequestTail {
  readonly #listeners = new Set<Listener>();
  /** Returns the rows since its last call. Undefined while nothing listens. */
  #readNews: (() => Promise<NewRequests>) | undefined;
  /** The calls of `listen` whose first poll is in progress. */
  #starting = 0;
  #polling: Promise<void> = Promise.resolve();
  #timer: Timer | undefined;
  #hasMore = false;

  constructor(
    private readonly reads: Reads,
    private readonly now: () => number,
  ) {}

  /** Calls the listener with rows that are written from now on, until the returned function is called. */
  async listen(listener: Listener): Promise<() => void> {
    this.#starting += 1;
    try {
      // Earlier rows are first passed to the existing listeners.
      await this.#poll();
      this.#listeners.add(listener);
    } finally {
      this.#starting -= 1;
      this.#continue();
    }
    return () => this.#listeners.delete(listener);
  }

  get isReading(): boolean {
    return this.#timer !== undefined;
  }

  async #repeat(): Promise<void> {
    // Storage may be unavailable: the next poll retries.
    if (this.#listeners.size > 0) await this.#poll().catch(() => {});
    this.#timer = undefined;
    this.#continue();
  }

  #continue(): void {
    if (this.#listeners.size > 0)
      this.#timer ??= setTimeout(() => void this.#repeat(), this.#hasMore ? 0 : pollMilliseconds);
    // While a listener is starting, its position must be kept: rows written before its next poll would be skipped.
    else if (this.#starting === 0) this.#readNews = undefined;
  }

  /** Polls run one after the other, because each continues where the last one ended. */
  #poll(): Promise<void> {
    const poll = this.#polling.then(() => this.#pollOnce());
    this.#polling = poll.catch(() => {});
    return poll;
  }

  async #pollOnce(): Promise<void> {
    this.#readNews ??= await newsFromNow(this.reads, this.now);
    const news = await this.#readNews();
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
  // If a later query of the same poll fails, the next poll returns these rows: `next` returns each row only once.
  let pending: Partial<NewRequests> = {};
  return async () => {
    pending.requests ??= await requests.next();
    pending.lines ??= await lines.next();
    const news = { requests: pending.requests, lines: pending.lines, omitted: await omitted.next() };
    pending = {};
    return news;
  };
}

/** Returns by how much the counts of omitted requests have increased since the last call. */
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
