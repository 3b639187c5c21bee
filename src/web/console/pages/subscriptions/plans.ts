import { useRead } from "../../queries/session.tsx";

/** All plans of a bucket, for choosing among them. */
export function usePlans(bucket: string | undefined) {
  return useRead(["plans", bucket, "all"], (api, { signal }) => api.plans(bucket!).list({ signal }).all(), {
    enabled: bucket !== undefined,
  });
}
