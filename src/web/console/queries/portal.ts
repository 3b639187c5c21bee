import { useQuery } from "@tanstack/react-query";
import type { Portal } from "../../../client/index.ts";
import { useSession } from "./session.tsx";

/** The portals of the account, of which there are few. */
export function usePortals() {
  const { api } = useSession();
  return useQuery({
    queryKey: ["portals"],
    queryFn: ({ signal }) => api.portals({ signal }).all(),
    staleTime: 60_000,
  });
}

/** The portal of a key bucket; null if it has none. */
export function usePortal(bucket: string | undefined) {
  const { api } = useSession();
  const portals = usePortals();
  const isSet = portals.data?.some(({ bucketName }) => bucketName === bucket);
  return useQuery({
    queryKey: ["portal", bucket],
    enabled: bucket !== undefined && isSet !== undefined,
    queryFn: async ({ signal }): Promise<Portal | null> => (isSet ? api.portal(bucket!).get({ signal }) : null),
  });
}
