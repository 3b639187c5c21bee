const minute = 60_000;
const hour = 60 * minute;

/** After so many failures in a row; the last one goes on. Authorities count failed orders by the hour. */
const pauses = [minute, 5 * minute, 30 * minute, 2 * hour, 6 * hour, 12 * hour];

/** At two thirds of its life, as authorities recommend. */
export function renewalTime({ notBefore, notAfter }: { notBefore: number; notAfter: number }): number {
  return Math.floor(notBefore + ((notAfter - notBefore) * 2) / 3);
}

/** When to order again after another failure; never before the authority's own `Retry-After`. */
export function retryTime(now: number, failures: number, retryAfterSeconds = 0): number {
  return now + Math.max(pauses[Math.min(failures, pauses.length - 1)]!, retryAfterSeconds * 1000);
}
