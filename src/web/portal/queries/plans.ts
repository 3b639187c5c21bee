import type { PortalPlans } from "../../../client/transport/portal-schema.gen.ts";
import { call, useRead } from "./api.ts";
import { waitingMs } from "./polling.ts";

/** The plans and the subscription. After a payment they are read until the server has seen it. */
export function usePlans(isWaiting: boolean, isEnabled = true) {
  return useRead("listPortalPlans", ["plans"], {
    enabled: isEnabled,
    refetchInterval: ({ state }) => (isWaiting && state.data?.purchase ? waitingMs(state.dataUpdateCount) : false),
  });
}

export const currentPlans = (plans: PortalPlans | undefined) => plans?.data.filter(({ isCurrent }) => isCurrent) ?? [];

/** Whether usage beyond the maximum is billed or paid from credits, and not rejected. */
export const isPricedBeyond = (plans: PortalPlans | undefined, meter: string): boolean =>
  currentPlans(plans).some(({ rates }) => (rates?.[meter]?.overage ?? "block") !== "block");

/** Opens the page where the customer enters a payment method and pays what is open, and comes back from. */
export async function openCheckout(returnTo: "plans" | "credit"): Promise<void> {
  const { url } = await call("createPortalCheckout", { body: { returnTo } });
  window.location.assign(url);
}
