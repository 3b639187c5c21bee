import { useQuery } from "@tanstack/react-query";
import { useSession } from "../../queries/session.tsx";

/** All plans of a bucket, for choosing among them. */
export function usePlans(bucket: string | undefined) {
  const { api } = useSession();
  return useQuery({
    queryKey: ["plans", bucket, "all"],
    queryFn: ({ signal }) => api.plans(bucket!).list({ signal }).all(),
    enabled: bucket !== undefined,
  });
}
