import { useQuery } from "@tanstack/react-query";
import type { PortalCreditOverview } from "../../../client/transport/portal-schema.gen.ts";
import { call } from "./api.ts";
import { waitingMs } from "./polling.ts";

export const creditKey = ["credit"];

/** The customer's credit. After a payment it is read until the server has seen it. */
export function useCredit(isWaiting: boolean) {
  return useQuery({
    queryKey: creditKey,
    queryFn: ({ signal }): Promise<PortalCreditOverview> => call("getPortalCredit", { signal }),
    refetchInterval: ({ state }) => {
      // The bank's second step is taken in another tab.
      const isOpen = state.data?.purchases.some(({ needsAction }) => isWaiting || needsAction);
      return isOpen ? waitingMs(state.dataUpdateCount) : false;
    },
  });
}
