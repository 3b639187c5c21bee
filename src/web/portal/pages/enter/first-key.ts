import { useSyncExternalStore } from "react";

/** The value of the key that a sign-up created, until the person has stored it. It is in memory only. */
let firstKey: string | undefined;
const listeners = new Set<() => void>();

export function showFirstKey(value: string | undefined): void {
  firstKey = value;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useFirstKey(): string | undefined {
  return useSyncExternalStore(subscribe, () => firstKey);
}
