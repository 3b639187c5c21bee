/** The period whose requests decide. */
export const windowMilliseconds = 60_000;

/** When a canary release is aborted. */
export interface AbortRule {
  /** The share of failed requests from which on it is aborted, above 0 and at most 1. */
  errorShare: number;
  /** Fewer requests of the canary in the window decide nothing. */
  minimumRequests: number;
}

/** The canary's requests in the window. */
export interface WindowCounts {
  requests: number;
  errors: number;
}

export function exceedsAbortRule(
  { errorShare, minimumRequests }: AbortRule,
  { requests, errors }: WindowCounts,
): boolean {
  return requests > 0 && requests >= minimumRequests && errors >= errorShare * requests;
}

/** The first second that is in the window that ends now. Both are in milliseconds. */
export function firstSecond(now: number): number {
  return secondOf(now - windowMilliseconds) + 1000;
}

export function secondOf(time: number): number {
  return Math.floor(time / 1000) * 1000;
}
