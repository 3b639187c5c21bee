import { Problem } from "../core/problems/problem.ts";
import { addressGroup } from "../lib/address-group.ts";

const mostFailures = 100;
const windowMilliseconds = 60_000;
/** Beyond so many addresses, the one whose window began first is forgotten. */
const mostAddresses = 10_000;

interface Failures {
  count: number;
  windowEnd: number;
}

/**
 * Counts credentials that nobody has, by client address. Only those are rejected: a good credential passes from any address,
 * so that nobody can lock out others behind the same proxy.
 */
export class FailedCredentials {
  readonly #failures = new Map<string, Failures>();

  /** What to reject a failed credential with; `rejection` itself until there were too many. */
  count(ip: string, now: number, rejection: Problem): Problem {
    const group = addressGroup(ip);
    let failures = this.#failures.get(group);
    // A clock that was set back must not keep a window open.
    if (!failures || now >= failures.windowEnd || now < failures.windowEnd - windowMilliseconds) {
      this.#failures.delete(group);
      if (this.#failures.size >= mostAddresses) this.#failures.delete(this.#failures.keys().next().value!);
      failures = { count: 0, windowEnd: now + windowMilliseconds };
      this.#failures.set(group, failures);
    }
    failures.count += 1;
    if (failures.count <= mostFailures) return rejection;
    return new Problem("too_many_failures", { retryAfterSeconds: Math.ceil((failures.windowEnd - now) / 1000) });
  }

  get size(): number {
    return this.#failures.size;
  }
}
