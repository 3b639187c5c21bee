const windowSeconds = 10;
/** The minimum number of retries of every upstream, however few requests there are. */
const minRetries = 10;
const share = 0.2;

/** Bounds the retries of an upstream, so that an outage does not multiply its load: at most a fifth of the requests in 10 s. */
export class RetryBudget {
  /** The number of requests by second of the window. */
  readonly #requests = new Uint32Array(windowSeconds);
  readonly #retries = new Uint32Array(windowSeconds);
  #second = 0;
  /** The retries since the start, for metrics. */
  retried = 0;
  denied = 0;

  /** `now` is the monotonic time. */
  request(now: number): void {
    const slot = this.#advance(now);
    this.#requests[slot] = this.#requests[slot]! + 1;
  }

  /** Whether another retry is within the budget; if so, it is consumed. */
  take(now: number): boolean {
    const slot = this.#advance(now);
    if (sum(this.#retries) >= Math.max(minRetries, share * sum(this.#requests))) {
      this.denied += 1;
      return false;
    }
    this.#retries[slot] = this.#retries[slot]! + 1;
    this.retried += 1;
    return true;
  }

  /** Adds requests and retries of other processes of the machine. */
  addElsewhere(requests: number, retries: number, now: number): void {
    const slot = this.#advance(now);
    this.#requests[slot] = this.#requests[slot]! + requests;
    this.#retries[slot] = this.#retries[slot]! + retries;
  }

  #advance(now: number): number {
    const second = Math.floor(now / 1000);
    const passed = Math.min(second - this.#second, windowSeconds);
    for (let back = 0; back < passed; back += 1) {
      const slot = (second - back) % windowSeconds;
      this.#requests[slot] = 0;
      this.#retries[slot] = 0;
    }
    this.#second = second;
    return second % windowSeconds;
  }
}

function sum(counts: Uint32Array): number {
  let total = 0;
  for (const count of counts) total += count;
  return total;
}
