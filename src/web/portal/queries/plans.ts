import { useQuery } from "@tanstack/react-query";
import type { PortalPlans } from "../../../client/transport/portal-schema.gen.ts";
import { call } from "./api.ts";
import { waitingMs } from "./polling.ts";

/** The plans and the subscription. After a payment they are read until the server has seen it. */
export function usePlans(isWaiting: boolean) {
  return useQuery({
    queryKey: ["plans"],
    queryFn: ({ signal }): Promise<PortalPlans> => call("listPortalPlans", { signal }),
    refetchInterval: ({ state }) => (isWaiting && state.data?.purchase ? waitingMs(state.dataUpdateCount) : false),
  });
}

/** Opens the page where the customer enters a payment method and pays what is open, and comes back from. */
export async function openCheckout(returnTo: "plans" | "credit"): Promise<void> {
  const { url } = await call("createPortalCheckout", { body: { returnTo } });
  window.location.assign(url);
}
