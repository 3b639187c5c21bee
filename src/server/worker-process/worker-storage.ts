import type { WriteResponse } from "../../counting/workers/messages.ts";
import { machineTime } from "../../lib/time/machine-time.ts";
import type { Change } from "../../platform/storage/change.ts";
import { ChangeFeed, type Trust } from "../../platform/storage/change-feed.ts";
import { StorageUnavailable } from "../../platform/storage/errors.ts";
import { namedWorkOf } from "../../platform/storage/named-write.ts";
import type { ReadStorage, Storage, WriteTransaction } from "../../platform/storage/storage.ts";
import { trustMilliseconds } from "../primary-process/worker-messages.ts";
import type { PrimaryLink } from "./primary-link.ts";

/** The maximum number of writes that wait for the primary. Further writes fail as if storage were unavailable. */
const maxWaiting = 256;

/** The primary's change feed, as a worker receives it. */
export class PrimaryFeed extends ChangeFeed {
  #trust: Trust = "behind";
  /** In milliseconds of machine time. */
  #trustedUntil = 0;
  #lastHeartbeat = machineTime();

  constructor(
    warn: (message: string, error: unknown) => void,
    private readonly staleSeconds: number,
  ) {
    super(warn);
  }

  /** `time` is when the primary sent the heartbeat: changes that it sent after that may not have arrived. */
  heartbeat(time: number, trust: Trust): void {
    this.#trust = trust;
    this.#lastHeartbeat = time;
    this.#trustedUntil = time + trustMilliseconds;
  }

  /** Ends trust at once: the next primary may accept writes before this worker is connected to it. */
  disconnected(): void {
    this.#trustedUntil = 0;
  }

  received(changes: Change[]): void {
    this.publish(changes);
  }

  trust(): Trust {
    const now = machineTime();
    if (now < this.#trustedUntil) return this.#trust;
    return now < this.#lastHeartbeat + this.staleSeconds * 1000 ? "behind" : "lost";
  }

  override lagMilliseconds(): number {
    return Math.max(0, machineTime() - this.#lastHeartbeat);
  }
}

/**
 * Storage of a worker: its own reads, and writes by name that the primary applies, each once. A write is numbered and
 * sent again to the next primary until one confirms it; numbers must be committed in order, so one is sent at a time.
 */
export class WorkerStorage implements Storage {
  readonly engine: Storage["engine"];
  readonly isShared: boolean;
  readonly reads: Storage["reads"];
  readonly countsInMemory = new Set<never>();
  #number = 0;
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();
  #hasReads = true;

  constructor(
    private readonly opened: ReadStorage,
    readonly feed: PrimaryFeed,
    private readonly link: PrimaryLink,
  ) {
    this.engine = opened.engine;
    this.isShared = opened.isShared;
    this.reads = opened.reads;
  }

  write<Result>(work: (transaction: WriteTransaction) => Promise<Result>): Promise<Result> {
    const named = namedWorkOf(work);
    if (!named) return Promise.reject(new Error("A worker writes only what the primary can apply by name."));
    if (this.#waiting >= maxWaiting) return Promise.reject(new StorageUnavailable("too many writes wait"));
    this.#waiting += 1;
    const data = named.data();
    const written = this.#last.then(() => this.#send(named.name, data));
    this.#last = written.catch(() => {}).finally(() => (this.#waiting -= 1));
    return written as Promise<Result>;
  }

  snapshot(): Promise<never> {
    return Promise.reject(new Error("A worker reads single rows."));
  }

  inMemory(): Promise<never> {
    return Promise.reject(new Error("A worker computes no bills."));
  }

  async releaseSpace(): Promise<void> {}

  async close(): Promise<void> {
    await this.#last;
    await this.endReads();
  }

  /** Reads fail from now on. */
  async endReads(): Promise<void> {
    if (!this.#hasReads) return;
    this.#hasReads = false;
    await this.opened.close();
  }

  async #send(name: string, data: unknown): Promise<unknown> {
    const number = ++this.#number;
    // At most three attempts: a write that crashes the primary must not crash each new one forever.
    for (let attempts = 3; ; attempts -= 1) {
      const { epoch } = this.link;
      let response: WriteResponse;
      try {
        response = (await this.link.send(["write", name, number, data])) as WriteResponse;
      } catch (error) {
        if (error instanceof StorageUnavailable || attempts === 1) throw new StorageUnavailable(error);
        // Retried at once with a new primary.
        if (epoch === this.link.epoch) await Bun.sleep(10);
        continue;
      }
      if ("result" in response) return response.result;
      const failure = new Error(response.failure);
      throw response.isUnavailable ? new StorageUnavailable(failure) : failure;
    }
  }
}
