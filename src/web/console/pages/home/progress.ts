import { useQuery } from "@tanstack/react-query";
import { useSession } from "../../queries/session.tsx";

export interface Progress {
  consumer: boolean;
  plan: boolean;
  deployment: boolean;
  request: boolean;
}

/** How far an installation has come. Looked at again every few seconds until all is done. */
export function useProgress() {
  const { api } = useSession();
  return useQuery({
    queryKey: ["progress"],
    queryFn: async ({ signal }): Promise<Progress> => {
      const first = { limit: 1, signal };
      const [buckets, metering, deployments] = await Promise.all([
        api.buckets.list({ limit: 10, signal }).page(),
        api.metering.list({ limit: 10, signal }).page(),
        api.deployments.listAll({ limit: 10, signal }).page(),
      ]);
      const any = async (counts: Promise<{ total: number }>[]) =>
        (await Promise.all(counts)).some(({ total }) => total > 0);
      const [consumer, plan] = await Promise.all([
        any(buckets.data.map(({ name }) => api.consumers(name).list(first).page())),
        any(metering.data.map(({ id }) => api.subscriptions(id).list(first).page())),
      ]);
      const live = deployments.data.filter(({ state }) => state === "STARTED");
      const logs = live.map(({ name }) => api.deployments.logs(name, { kind: "access", limit: 1, signal }));
      const request = (await Promise.all(logs)).some((lines) => lines.length > 0);
      return { consumer, plan, deployment: live.length > 0, request };
    },
    refetchInterval: ({ state: { data } }) => (data && Object.values(data).every(Boolean) ? false : 5000),
  });
}
