const minute = 60_000;
const hour = 60 * minute;

/** The delays after consecutive failures; the last one repeats. Authorities count failed orders per hour. */
const pauses = [minute, 5 * minute, 30 * minute, 2 * hour, 6 * hour, 12 * hour];

/** Two thirds of its validity, as authorities recommend. */
export function renewalTime({ notBefore, notAfter }: { notBefore: number; notAfter: number }): number {
  return Math.floor(notBefore + ((notAfter - notBefore) * 2) / 3);
}

/** Returns when to order again after a failure, never before the authority's `Retry-After`. */
export function retryTime(now: number, failures: number, retryAfterSeconds = 0): number {
  return now + Math.max(pauses[Math.min(failures, pauses.length - 1)]!, retryAfterSeconds * 1000);
}
