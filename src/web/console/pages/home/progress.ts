import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Tollgate } from "../../../../client/index.ts";
import type { ExampleRequest } from "../../../../lib/text/curl.ts";
import { now } from "../../../lib/clock.ts";
import { exampleRequest, isLive } from "../../queries/gateway.ts";
import { useSession } from "../../queries/session.tsx";

/** The set-up progress of an installation: the first resource of each kind, or undefined. */
export interface Progress {
  consumer: string | undefined;
  /** The external id of a plan. */
  plan: string | undefined;
  subscription: boolean;
  hasGateway: boolean;
  /** A request to a live deployment, if one of its routes needs a key. */
  example: ExampleRequest | undefined;
  /** Whether a request succeeded, or a key was verified, in the last two days. */
  hasTraffic: boolean;
}

/** Polls every few seconds until there is traffic. */
export function useProgress() {
  const { api, canEdit } = useSession();
  return useQuery({
    queryKey: ["progress"],
    queryFn: async ({ signal }): Promise<Progress> => {
      const [consumer, metering, gateway, hasTraffic] = await Promise.all([
        firstConsumer(api, signal),
        firstPlan(api, signal),
        firstDeployment(api, canEdit, signal),
        hadTraffic(api, {}, signal),
      ]);
      return { consumer, ...metering, ...gateway, hasTraffic };
    },
    refetchInterval: ({ state: { data } }) => (data?.hasTraffic ? false : 3000),
  });
}

/**
 * Whether there was traffic at any time for which counts are kept. Queried once, because an account without traffic for
 * a month is not new.
 */
export function useEarlierTraffic() {
  const { api } = useSession();
  return useQuery({
    queryKey: ["earlier-traffic"],
    queryFn: ({ signal }) =>
      hadTraffic(api, { from: new Date(now() - 700 * 86_400_000).toISOString(), step: "1d" }, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

const dismissedKey = "tollgate-onboarding-dismissed";

/** Whether the first steps are hidden, in this browser. */
export function useDismissed(): [boolean, (isDismissed: boolean) => void] {
  const { account } = useSession();
  const key = `${dismissedKey} ${account}`;
  const [isDismissed, setDismissed] = useState(() => localStorage.getItem(key) !== null);
  return [
    isDismissed,
    (next) => {
      if (next) localStorage.setItem(key, "1");
      else localStorage.removeItem(key);
      setDismissed(next);
    },
  ];
}

/**
 * Counts successful requests and verifications of valid keys, in the last day by default. Unknown paths and rejected
 * keys do not count.
 */
async function hadTraffic(api: Tollgate, range: { from?: string; step?: "1d" }, signal: AbortSignal): Promise<boolean> {
  const [succeeded, redirected, verified] = await Promise.all([
    api.analytics.get({ ...range, status: "2xx", signal }),
    api.analytics.get({ ...range, status: "3xx", signal }),
    api.analytics.verifications({ ...range, result: "valid", signal }),
  ]);
  return (
    [succeeded, redirected].some(({ series }) => (series[0]?.totals.requests ?? 0) > 0) ||
    (verified.series[0]?.totals.verifications ?? 0) > 0
  );
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

/** Only editors may read the contents of a version, from which an example is built. */
async function firstDeployment(
  api: Tollgate,
  canEdit: boolean,
  signal: AbortSignal,
): Promise<Pick<Progress, "hasGateway" | "example">> {
  const { data } = await api.deployments.listAll({ limit: few, signal }).page();
  const live = data.find(isLive);
  const example = live && canEdit ? await exampleRequest(api, live, { signal }) : undefined;
  return { hasGateway: live !== undefined, example };
}
