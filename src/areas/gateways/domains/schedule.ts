const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** How long a claim may remain unproven. */
export const claimMilliseconds = 7 * day;

/** How long a domain without a proof in DNS is still routed. */
export const graceMilliseconds = 7 * day;

/** Short intervals at first, while a user edits the zone and waits; longer ones later. */
const backOff = [5 * second, 10 * second, 30 * second, minute, 2 * minute, 5 * minute, 10 * minute, 30 * minute, hour];

const dailyMilliseconds = day;

/** Returns the time of the next check, given the number of checks in the current status. */
export function nextDomainCheck(now: number, checks: number): number {
  return now + backOff[Math.min(checks, backOff.length) - 1]!;
}

export function nextDailyCheck(now: number): number {
  return now + dailyMilliseconds;
}
