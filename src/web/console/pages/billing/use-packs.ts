import { useQuery } from "@tanstack/react-query";
import { useSession } from "../../queries/session.tsx";

/** The credit packs of a bucket, in the order of the portal. */
export function usePacks(bucket: string) {
  const { api } = useSession();
  return useQuery({
    queryKey: ["credit-packs", bucket],
    queryFn: async ({ signal }) => {
      const packs = await api.creditPacks(bucket).list({ signal }).all();
      return packs.sort((a, b) => a.position - b.position);
    },
  });
}
