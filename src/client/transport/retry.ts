import type { TollgateError } from "./errors.ts";

/** Time and randomness; tests replace them. */
export interface Waiting {
  /** Throws the signal's reason as soon as it aborts. */
  sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void>;
  /** From 0 to 1. */
  random(): number;
}

export const realWaiting: Waiting = {
  random: Math.random,
  sleep: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const aborted = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", aborted);
        resolve();
      }, milliseconds);
      signal?.addEventListener("abort", aborted, { once: true });
    }),
};

/**
 * Whether a request can be retried. `repeatable` requests always can; others only if the server rejected them, because
 * the effect may have happened although the response was lost.
 */
export function isRetryable(error: TollgateError, repeatable: boolean): boolean {
  // An earlier attempt may still be in progress if its response was lost.
  if (error.status === 429 || error.status === 503 || error.code === "request_in_progress") return true;
  return repeatable && (error.code === "network" || error.code === "timeout");
}

const firstPauseMs = 200;
const maxPauseMs = 5_000;
const maxRetryAfterMs = 30_000;

/**
 * The delay before the next attempt; undefined if the server's Retry-After exceeds the maximum. It doubles each time,
 * and half of it is random, so that clients that failed together do not retry together.
 */
export function pauseBefore(
  retry: number,
  retryAfterSeconds: number | undefined,
  random: () => number,
): number | undefined {
  const pause = Math.min(firstPauseMs * 2 ** retry, maxPauseMs);
  const jittered = pause / 2 + (pause / 2) * random();
  if (retryAfterSeconds === undefined) return jittered;
  const requested = retryAfterSeconds * 1000;
  return requested > maxRetryAfterMs ? undefined : requested + jittered;
}
