import type { Fetch } from "../../../client/index.ts";
import { Listeners } from "../../lib/listeners.ts";

/** A session that ended while a dialog was open: requests wait until the user has signed in again or cancels. */
interface Renewal {
  /** Resolves to whether the session was renewed. */
  settled: Promise<boolean>;
  settle: (isRenewed: boolean) => void;
}

let renewal: Renewal | undefined;
const listeners = new Listeners();

export const isRenewing = (): boolean => renewal !== undefined;

export const subscribeToRenewal = listeners.subscribe;

/** Sends the waiting requests again, or lets them fail. */
export function endRenewal(isRenewed: boolean): void {
  const ended = renewal;
  renewal = undefined;
  ended?.settle(isRenewed);
  listeners.notify();
}

function renewed(): Promise<boolean> {
  if (!renewal) {
    const { promise: settled, resolve: settle } = Promise.withResolvers<boolean>();
    renewal = { settled, settle };
    listeners.notify();
  }
  return renewal.settled;
}

/** Requests of the sign-in itself, where a 401 has another meaning. */
const signInPath = /\/v1\/(who-am-i|sessions|sign-in)\b/;

const hasOpenDialog = (): boolean => document.querySelector(".dialog") !== null;

/**
 * Holds requests that are rejected because the session has ended, while a dialog is open: its input, or the new key
 * that it shows, would be lost on the way to the sign-in page. They are repeated after a new sign-in.
 */
export function withRenewal(fetch: Fetch): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (response.status !== 401 || signInPath.test(url) || init.body instanceof ReadableStream) return response;
    if (!isRenewing() && !hasOpenDialog()) return response;
    if (!(await renewed())) return response;
    // The timeout of the first attempt has passed meanwhile.
    const { signal: _, ...again } = init;
    return fetch(url, again);
  };
}
