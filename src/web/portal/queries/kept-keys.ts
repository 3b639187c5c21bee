import { useSyncExternalStore } from "react";
import { Listeners } from "../../lib/listeners.ts";

/** The value of a key, in memory only. */
function keptKey() {
  let value: string | undefined;
  const listeners = new Listeners();
  return {
    keep: (key: string | undefined): void => {
      value = key;
      listeners.notify();
    },
    use: () => useSyncExternalStore(listeners.subscribe, () => value),
  };
}

/** The key that was created last since the page was loaded, so that samples work when they are copied. */
export const { keep: rememberCreatedKey, use: useCreatedKey } = keptKey();

/** The key that a sign-up created, until the person has stored it. */
export const { keep: showFirstKey, use: useFirstKey } = keptKey();
