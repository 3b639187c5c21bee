import { useQuery } from "@tanstack/react-query";
import type { Tollgate } from "../../../../client/index.ts";
import { exampleRequest, isLive } from "../../queries/gateway.ts";
import { useSession } from "../../queries/session.tsx";

/** The set-up progress of an installation: the first resource of each kind, or undefined. */
export interface Progress {
  consumer: string | undefined;
  /** The external id of a plan. */
  plan: string | undefined;
  subscription: boolean;
  /** The URL of a live deployment, and one of its routes. */
  gateway: { url: string; path: string } | undefined;
  request: boolean;
}

export const isDone = ({ consumer, subscription, gateway, request }: Progress): boolean =>
  Boolean(consumer && subscription && gateway && request);

/** Polls every few seconds until all steps are done. */
export function useProgress() {
  const { api } = useSession();
  return useQuery({
    queryKey: ["progress"],
    queryFn: async ({ signal }): Promise<Progress> => {
      const [consumer, metering, deployed] = await Promise.all([
        firstConsumer(api, signal),
        firstPlan(api, signal),
        firstDeployment(api, signal),
      ]);
      return { consumer, ...metering, ...deployed };
    },
    refetchInterval: ({ state: { data } }) => (data && isDone(data) ? false : 3000),
  });
}

const few = 10;

async function firstConsumer(api: Tollgate, signal: AbortSignal): Promise<string | undefined> {
  const buckets = await api.buckets.list({ limit: few, signal }).page();
  const pages = buckets.data.map(({ name }) => api.consumers(name).list({ limit: 1, signal }).page());
  return (await Promise.all(pages)).flatMap(({ data }) => data)[0]?.name;
}

async function firstPlan(api: Tollgate, signal: AbortSignal): Promise<Pick<Progress, "plan" | "subscription">> {
  const buckets = await api.metering.list({ limit: few, signal }).page();
  const found = await Promise.all(
    buckets.data.map(async ({ id }) => {
      const [plans, subscriptions] = await Promise.all([
        api.plans(id).list({ limit: 1, signal }).page(),
        api.subscriptions(id).list({ limit: 1, signal }).page(),
      ]);
      return { plan: plans.data[0]?.planExternalId, subscription: subscriptions.total > 0 };
    }),
  );
  return {
    plan: found.find(({ plan }) => plan)?.plan,
    subscription: found.some(({ subscription }) => subscription),
  };
}

async function firstDeployment(api: Tollgate, signal: AbortSignal): Promise<Pick<Progress, "gateway" | "request">> {
  const { data } = await api.deployments.listAll({ limit: few, signal }).page();
  const live = data.filter(isLive);
  if (live.length === 0) return { gateway: undefined, request: false };
  const logs = live.map(({ name }) => api.deployments.logs(name, { kind: "access", limit: 1, signal }));
  const request = (await Promise.all(logs)).some((lines) => lines.length > 0);
  return { gateway: await exampleRequest(api, live[0]!, signal), request };
}
