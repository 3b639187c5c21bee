import { TollgateError } from "../transport/errors.ts";
import { pauseBefore } from "../transport/retry.ts";
import type { Events, UsageEvent } from "./events.ts";

const batchSize = 1_000;
/** How long events wait for others. */
const gatherMilliseconds = 1_000;
const defaultMaxQueue = 100_000;
const closeMilliseconds = 5_000;

export interface UsageReporterOptions {
  /**
   * Gets the events that are dropped, and why: `queue_full`, `closed` (not sent within 5 seconds after `close()` or the
   * exit of the program; the last batch may have been counted), `invalid_parameter` (not JSON), or the server's rejection.
   */
  onDrop?: (events: UsageEvent[], reason: string) => void;
  /** How many events may wait; 100,000 by default. */
  maxQueue?: number;
  /** The source of the events; `tollgate-js` by default. */
  source?: string;
}

interface ReportingClient {
  events: (bucketId: string) => Pick<Events, "sendOnce">;
}

/** The part of Node's and Bun's `process` that tells the end of the program. */
interface ExitingProcess {
  on?(event: "beforeExit", listener: () => void): unknown;
  off?(event: "beforeExit", listener: () => void): unknown;
}

/**
 * Sends usage in batches in the background. An event has its id from the start and is repeated until the server has
 * answered, so it is counted once. Node and Bun send what is queued before they exit by themselves; before
 * `process.exit()`, and elsewhere, call `close()`. A killed process loses what was not sent.
 *
 * @example
 * ```ts
 * import { Tollgate, UsageReporter } from "tollgate/client";
 *
 * const tollgate = new Tollgate({ url: "http://127.0.0.1:8787", token: "tgt_…" });
 * const usage = new UsageReporter(tollgate, "main", { onDrop: (events, reason) => console.error(events.length, reason) });
 * usage.add("acme", { requests: 1 });
 * await usage.close();
 * ```
 */
export class UsageReporter {
  readonly #events: Pick<Events, "sendOnce">;
  readonly #onDrop: (events: UsageEvent[], reason: string) => void;
  readonly #maxQueue: number;
  readonly #source: string;
  #queue: UsageEvent[] = [];
  #running: Promise<void> | undefined;
  /** Ends the present pause. */
  #wake: () => void = () => {};
  #isClosed = false;
  readonly #abort = new AbortController();
  readonly #atExit = () => void this.close();

  constructor(client: ReportingClient, bucketId: string, options: UsageReporterOptions = {}) {
    this.#events = client.events(bucketId);
    this.#onDrop = options.onDrop ?? (() => {});
    this.#maxQueue = options.maxQueue ?? defaultMaxQueue;
    this.#source = options.source ?? "tollgate-js";
  }

  /**
   * Queues one event and returns at once. Amounts are greater than 0.
   *
   * @example
   * ```ts
   * new UsageReporter(client, bucketId).add("acme", { requests: 1 });
   * ```
   */
  add(customerKey: string, meters: Record<string, number>): void {
    const event: UsageEvent = {
      specversion: "1.0",
      id: crypto.randomUUID(),
      source: this.#source,
      type: "usage",
      subject: customerKey,
      time: new Date().toISOString(),
      data: { ...meters },
    };
    if (this.#isClosed) this.#onDrop([event], "closed");
    else if (this.#queue.length >= this.#maxQueue) this.#onDrop([event], "queue_full");
    else if (!isJson(event)) this.#onDrop([event], "invalid_parameter: the event is not JSON");
    else {
      this.#queue.push(event);
      if (this.#queue.length >= batchSize) this.#wake();
      this.#running ??= this.#start();
    }
  }

  /**
   * Sends what is queued, for at most the given time, and drops the rest.
   *
   * @example
   * ```ts
   * await new UsageReporter(client, bucketId).close(1_000);
   * ```
   */
  async close(milliseconds = closeMilliseconds): Promise<void> {
    this.#isClosed = true;
    this.#wake();
    const timer = setTimeout(() => this.#abort.abort(), milliseconds);
    await this.#running;
    clearTimeout(timer);
    const rest = this.#queue.splice(0);
    if (rest.length > 0) this.#onDrop(rest, "closed");
  }

  async #start(): Promise<void> {
    const { process } = globalThis as { process?: ExitingProcess };
    process?.on?.("beforeExit", this.#atExit);
    await this.#run();
    process?.off?.("beforeExit", this.#atExit);
    this.#running = undefined;
  }

  /** Ends when the queue is empty. */
  async #run(): Promise<void> {
    for (let failures = 0; this.#queue.length > 0 && !this.#abort.signal.aborted; ) {
      if (failures > 0) await this.#pause(this.#isClosed ? 100 : pauseBefore(failures - 1, undefined, Math.random)!);
      else if (this.#queue.length < batchSize && !this.#isClosed) await this.#pause(gatherMilliseconds);
      const batch = this.#queue.slice(0, batchSize);
      try {
        const { rejected } = await this.#events.sendOnce(batch, { signal: this.#abort.signal });
        failures = 0;
        this.#queue.splice(0, batch.length);
        for (const { index, detail } of rejected) this.#onDrop([batch[index]!], detail);
      } catch (error) {
        if (!isAnswer(error)) {
          failures += 1;
          continue;
        }
        failures = 0;
        this.#queue.splice(0, batch.length);
        this.#onDrop(batch, `${error.code}: ${error.detail}`);
      }
    }
  }

  /** Does not keep the program from exiting: `beforeExit` follows, which ends the pause. */
  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      if (!this.#isClosed) (timer as { unref?(): void }).unref?.();
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** A batch with a BigInt could never be sent. */
function isJson(event: UsageEvent): boolean {
  try {
    return JSON.stringify(event) !== "";
  } catch {
    return false;
  }
}

/** Whether the server has rejected the batch, so that a repetition would be rejected too. */
function isAnswer(error: unknown): error is TollgateError {
  if (!(error instanceof TollgateError)) return false;
  if (error.status === 0 || error.code === "unexpected_answer") return error.code === "invalid_parameter";
  return error.status !== 429 && error.status < 500;
}
