import { useQuery } from "@tanstack/react-query";
import { useSession } from "../../queries/session.tsx";

/** The subscriptions of a customer. */
export function useSubscriptionsOf(bucket: string, customer: string) {
  const { api } = useSession();
  return useQuery({
    queryKey: ["subscriptions", bucket, "of-customer", customer],
    queryFn: ({ signal }) => api.subscriptions(bucket).list({ customerKey: customer, limit: 100, signal }).page(),
  });
}
