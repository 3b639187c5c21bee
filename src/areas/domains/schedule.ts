const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** How long a claim may wait for its proof. */
export const claimMilliseconds = 7 * day;

/** How long a domain whose proof is gone from DNS is still routed. */
export const graceMilliseconds = 7 * day;

/** Close together at first, while somebody edits the zone and waits; then patient. */
const backOff = [5 * second, 10 * second, 30 * second, minute, 2 * minute, 5 * minute, 10 * minute, 30 * minute, hour];

const dailyMilliseconds = day;

/** When to look next, after so many checks in the present status. */
export function nextCheck(now: number, checks: number): number {
  return now + backOff[Math.min(checks, backOff.length) - 1]!;
}

export function nextDailyCheck(now: number): number {
  return now + dailyMilliseconds;
}
