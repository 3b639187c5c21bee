import { type Repetition, repeat } from "../../../../lib/tasks/repeat.ts";

/** The duration of a lease. When it expires, another node may claim the work. */
export const buildLeaseMilliseconds = 10_000;

/** Frequent enough that a few late renewals do not lose the lease. */
const heartbeatSeconds = 2;

/** Renews a lease until it is stopped. A lease that cannot be renewed expires. */
export function keepLease(renew: () => Promise<void>): Repetition {
  return repeat(heartbeatSeconds, renew, () => {});
}
