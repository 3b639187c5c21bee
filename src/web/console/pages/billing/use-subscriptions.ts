import { useRead } from "../../queries/session.tsx";

/** The subscriptions of a customer. */
export function useSubscriptionsOf(bucket: string, customer: string) {
  return useRead(["subscriptions", bucket, "of-customer", customer], (api, { signal }) =>
    api.subscriptions(bucket).list({ customerKey: customer, limit: 100, signal }).page(),
  );
}
