import { useRead } from "./api.ts";
import { waitingMs } from "./polling.ts";

export const creditKey = ["credit"];

/** The customer's credit. After a payment it is read until the server has seen it. */
export function useCredit(isWaiting: boolean) {
  return useRead("getPortalCredit", creditKey, {
    refetchInterval: ({ state }) => {
      // The bank's second step is taken in another tab.
      const isOpen = state.data?.purchases.some(({ needsAction }) => isWaiting || needsAction);
      return isOpen ? waitingMs(state.dataUpdateCount) : false;
    },
  });
}
