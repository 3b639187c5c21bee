import type { TollgateError } from "./errors.ts";

/** What the client takes from the outside world besides `fetch`; tests bring their own. */
export interface Waiting {
  /** Ends early, and throws the signal's reason, when the signal aborts. */
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
 * Whether the server may have had the effect although its response was lost:
 * `repeatable` requests can be sent again all the same, the others only where the server has rejected them.
 */
export function isWorthRetrying(error: TollgateError, repeatable: boolean): boolean {
  // The first try of ours may still be under way where its response was lost.
  if (error.status === 429 || error.status === 503 || error.code === "request_in_progress") return true;
  return repeatable && (error.code === "network" || error.code === "timeout");
}

const firstPauseMs = 200;
const longestPauseMs = 5_000;
const longestPatienceMs = 30_000;

/**
 * How long to wait before the next try; undefined if the server demands more than a caller waits. Twice as
 * long each time, and half of it by chance, so that clients which failed together do not come back together.
 */
export function pauseBefore(
  retry: number,
  retryAfterSeconds: number | undefined,
  random: () => number,
): number | undefined {
  const pause = Math.min(firstPauseMs * 2 ** retry, longestPauseMs);
  const jittered = pause / 2 + (pause / 2) * random();
  if (retryAfterSeconds === undefined) return jittered;
  const requested = retryAfterSeconds * 1000;
  return requested > longestPatienceMs ? undefined : requested + jittered;
}
