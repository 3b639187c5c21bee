import { type Repetition, repeat } from "../../../lib/tasks/repeat.ts";

/** Who was not heard of for this long has died, and what it was at may be taken over. */
export const leaseMilliseconds = 10_000;

/** Often enough that a few that are late do not cost the lease. */
const heartbeatSeconds = 2;

/** Renews a lease until it is stopped. One that cannot be renewed runs out. */
export function keepLease(renew: () => Promise<void>): Repetition {
  return repeat(heartbeatSeconds, renew, () => {});
}
