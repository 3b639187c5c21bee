import { useSyncExternalStore } from "react";
import { Listeners } from "../../lib/listeners.ts";

let value: string | undefined;
const listeners = new Listeners();

/** Keeps the value of a new key until the page is left, so that samples work when they are copied. It is not stored. */
export function rememberCreatedKey(key: string | undefined): void {
  value = key;
  listeners.notify();
}

/** The key that was created last since the page was loaded. */
export function useCreatedKey(): string | undefined {
  return useSyncExternalStore(listeners.subscribe, () => value);
}
