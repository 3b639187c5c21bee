import { useRead } from "../../queries/session.tsx";

/** The credit packs of a bucket, in the order of the portal. */
export function usePacks(bucket: string) {
  return useRead(["credit-packs", bucket], async (api, { signal }) => {
    const packs = await api.creditPacks(bucket).list({ signal }).all();
    return packs.sort((a, b) => a.position - b.position);
  });
}
