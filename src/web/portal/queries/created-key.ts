import { useSyncExternalStore } from "react";

let value: string | undefined;
const listeners = new Set<() => void>();

/** Keeps the value of a new key until the page is left, so that samples work when they are copied. It is not stored. */
export function rememberCreatedKey(key: string | undefined): void {
  value = key;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The key that was created last since the page was loaded. */
export function useCreatedKey(): string | undefined {
  return useSyncExternalStore(subscribe, () => value);
}
