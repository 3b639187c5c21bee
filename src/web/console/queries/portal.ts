import type { Portal } from "../../../client/index.ts";
import { useRead } from "./session.tsx";

/** The portals of the account, of which there are few. */
export function usePortals() {
  return useRead(["portals"], (api, { signal }) => api.portals({ signal }).all(), {
    staleTime: 60_000,
  });
}

/** The portal of a key bucket; null if it has none. The list is read again, as one may just have been created. */
export function usePortal(bucket: string | undefined) {
  return useRead(
    ["portal", bucket],
    async (api, { signal }): Promise<Portal | null> => {
      const portals = await api.portals({ signal }).all();
      return portals.some(({ bucketName }) => bucketName === bucket) ? api.portal(bucket!).get({ signal }) : null;
    },
    { enabled: bucket !== undefined },
  );
}
