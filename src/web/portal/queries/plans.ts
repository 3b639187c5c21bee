import type { PortalPlans } from "../../../client/transport/portal-schema.gen.ts";
import { useRead } from "./api.ts";
import { waitingMs } from "./polling.ts";

/** The plans and the subscription. After a payment they are read until the server has seen it. */
export function usePlans(isWaiting: boolean, isEnabled = true) {
  return useRead("listPortalPlans", {
    enabled: isEnabled,
    refetchInterval: ({ state }) => (isWaiting && state.data?.purchase ? waitingMs(state.dataUpdateCount) : false),
  });
}

/** The customer's credit. After a payment it is read until the server has seen it. */
export function useCredit(isWaiting: boolean) {
  return useRead("getPortalCredit", {
    refetchInterval: ({ state }) => {
      // The bank's second step is taken in another tab.
      const isOpen = state.data?.purchases.some(({ needsAction }) => isWaiting || needsAction);
      return isOpen ? waitingMs(state.dataUpdateCount) : false;
    },
  });
}

export const currentPlans = (plans: PortalPlans | undefined) => plans?.data.filter(({ isCurrent }) => isCurrent) ?? [];

/** Whether usage beyond the maximum is billed or paid from credits, and not rejected. */
export const isPricedBeyond = (plans: PortalPlans | undefined, meter: string): boolean =>
  currentPlans(plans).some(({ rates }) => (rates?.[meter]?.overage ?? "block") !== "block");
