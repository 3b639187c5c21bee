import { useSyncExternalStore } from "react";
import { Listeners } from "../../../lib/listeners.ts";

/** The value of the key that a sign-up created, until the person has stored it. It is in memory only. */
let firstKey: string | undefined;
const listeners = new Listeners();

export function showFirstKey(value: string | undefined): void {
  firstKey = value;
  listeners.notify();
}

export function useFirstKey(): string | undefined {
  return useSyncExternalStore(listeners.subscribe, () => firstKey);
}
