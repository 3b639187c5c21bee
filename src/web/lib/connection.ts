import { onlineManager } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";

/**
 * Whether the server responds. While it does not, queries keep what they have, and queries and mutations wait; when it
 * responds again they continue. It sets TanStack's online manager, whose own events only report the network interface.
 */
const firstPauseMs = 500;
const maxPauseMs = 4_000;
const probeTimeoutMs = 10_000;
/** An idle page sends a probe after this time, so that a form does not look usable during an outage. */
const idleMs = 30_000;

let isProbing = false;
let lastResponse = Date.now();

type Send<Address> = (address: Address, init: RequestInit) => Promise<Response>;

/** Watches the requests of a page. */
export function withConnection<Address>(send: Send<Address>): Send<Address> {
  return async (address, init) => {
    try {
      const response = await send(address, init);
      if (isGone(response)) lose();
      else found();
      return response;
    } catch (error) {
      if (!init.signal?.aborted) lose();
      throw error;
    }
  };
}

/** For the queries of a page: the attempts are far apart, because each waits until the server responds. */
export const connectedQueries = {
  retry: (failures: number): boolean => !onlineManager.isOnline() && failures < 5,
  retryDelay: 0,
};

export function useIsConnected(): boolean {
  return useSyncExternalStore(onlineManager.subscribe.bind(onlineManager), () => onlineManager.isOnline());
}

/** Calls the listener when the server responds again. */
export const onReconnect = (listener: () => void): (() => void) =>
  onlineManager.subscribe((isOnline) => isOnline && listener());

/** Begins to watch. The page calls it once. */
export function watchConnection(): void {
  onlineManager.setEventListener(() => {
    window.addEventListener("online", probe);
    window.addEventListener("offline", probe);
    return undefined;
  });
  setInterval(() => {
    if (document.visibilityState === "visible" && Date.now() - lastResponse >= idleMs) probe();
  }, idleMs);
}

/** A proxy in front of the server responds for it. The server's own 503 is a problem in JSON. */
const isGone = ({ status, headers }: Response): boolean =>
  status >= 502 && status <= 504 && !headers.get("content-type")?.includes("json");

function found(): void {
  lastResponse = Date.now();
  onlineManager.setOnline(true);
}

function lose(): void {
  onlineManager.setOnline(false);
  probe();
}

async function probe(): Promise<void> {
  if (isProbing) return;
  isProbing = true;
  for (let pauseMs = firstPauseMs; !(await responds()); pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
    onlineManager.setOnline(false);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  isProbing = false;
  found();
}

async function responds(): Promise<boolean> {
  try {
    const { origin, pathname } = window.location;
    const signal = AbortSignal.timeout(probeTimeoutMs);
    return !isGone(await fetch(origin + pathname, { method: "HEAD", cache: "no-store", signal }));
  } catch {
    return false;
  }
}
