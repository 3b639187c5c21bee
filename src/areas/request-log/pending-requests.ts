import type { RequestRecord, Served } from "./request-record.ts";
import type { OmittedCount } from "./store.ts";

/** The number of requests of a deployment that are recorded per second on one node. Others are only counted. */
const ratePerSecond = { successes: 400, failures: 200 };

/** The maximum number of unwritten requests of a deployment while storage is slow. */
const maxPending = 2_000;

const minuteMilliseconds = 60_000;

/** The number of flushes without a request after which a deployment is evicted. */
const idleFlushes = 40;

/** The unwritten requests of one deployment. */
export class PendingRequests {
  #records: { served: Served; record: RequestRecord }[] = [];
  #second = Number.NaN;
  #successes = 0;
  #failures = 0;
  #omitted: OmittedCount | undefined;
  #fullMinutes: OmittedCount[] = [];
  #idle = 0;

  /** `share` is the part of the rate that this process may record. */
  constructor(private readonly share = 1) {}

  takes(served: Served, isFailure: boolean, now: number): boolean {
    const second = Math.floor(now / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#successes = 0;
      this.#failures = 0;
    }
    const isOver = isFailure
      ? this.#failures >= ratePerSecond.failures * this.share
      : this.#successes >= ratePerSecond.successes * this.share;
    if (isOver || this.#records.length >= maxPending) {
      this.#omit(served, isFailure, now);
      return false;
    }
    if (isFailure) this.#failures += 1;
    else this.#successes += 1;
    return true;
  }

  add(served: Served, record: RequestRecord): void {
    this.#records.push({ served, record });
  }

  take(): { records: { served: Served; record: RequestRecord }[]; omitted: OmittedCount[] } {
    const taken = { records: this.#records, omitted: this.#fullMinutes };
    if (this.#omitted) taken.omitted.push(this.#omitted);
    this.#idle = taken.records.length + taken.omitted.length > 0 ? 0 : this.#idle + 1;
    this.#records = [];
    this.#fullMinutes = [];
    this.#omitted = undefined;
    return taken;
  }

  get isIdle(): boolean {
    return this.#idle >= idleFlushes;
  }

  #omit({ deploymentSeq, accountSeq }: Served, failed: boolean, now: number): void {
    const minute = now - (now % minuteMilliseconds);
    if (this.#omitted?.minute !== minute) {
      if (this.#omitted) this.#fullMinutes.push(this.#omitted);
      this.#omitted = { deploymentSeq, accountSeq, minute, successes: 0, failures: 0 };
    }
    if (failed) this.#omitted.failures += 1;
    else this.#omitted.successes += 1;
  }
}
