import { Problem } from "../core/problems/problem.ts";
import { addressGroup } from "../lib/network/address-group.ts";

const maxFailures = 100;
const windowMilliseconds = 60_000;
/** Beyond this, the oldest window is dropped. */
const maxAddresses = 10_000;

interface Failures {
  count: number;
  windowEnd: number;
}

/**
 * Counts invalid credentials per client address. Valid credentials are never rejected, so that a client cannot lock out
 * others behind the same proxy.
 */
export class FailedCredentials {
  readonly #failures = new Map<string, Failures>();

  /** Returns the problem for a failed credential: `rejection`, or a 429 after too many. */
  count(ip: string, now: number, rejection: Problem): Problem {
    const group = addressGroup(ip);
    let failures = this.#failures.get(group);
    // A clock that was set back must not keep a window open.
    if (!failures || now >= failures.windowEnd || now < failures.windowEnd - windowMilliseconds) {
      this.#failures.delete(group);
      if (this.#failures.size >= maxAddresses) this.#failures.delete(this.#failures.keys().next().value!);
      failures = { count: 0, windowEnd: now + windowMilliseconds };
      this.#failures.set(group, failures);
    }
    failures.count += 1;
    if (failures.count <= maxFailures) return rejection;
    return new Problem("too_many_failures", { retryAfterSeconds: Math.ceil((failures.windowEnd - now) / 1000) });
  }

  get size(): number {
    return this.#failures.size;
  }
}
