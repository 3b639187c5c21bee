import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { now } from "../../../lib/clock.ts";
import { type Range, timesOf } from "../../queries/range.ts";
import { useSession } from "../../queries/session.tsx";

/** The maximum of the API. All others are one more series. */
const maxSeries = 100;
const maxConsumers = 10;
const yearMs = 365 * 86_400_000;

/** Requests to models in the range and before, by model, provider and consumer. */
export function useModels(name: string, range: Range) {
  const { api } = useSession();
  return useQuery({
    queryKey: ["analytics", "models", name],
    queryFn: async ({ signal }) => {
      const { from, before } = timesOf(range);
      const coarse = { from, step: range.coarseStep, limit: maxSeries, signal };
      const [present, earlier, models, providers, consumers] = await Promise.all([
        api.analytics.models({ from, step: range.step, signal }),
        api.analytics.models({ from: before, to: from, step: range.step, signal }),
        api.analytics.models({ ...coarse, by: "model" }),
        api.analytics.models({ ...coarse, by: "provider" }),
        api.analytics.models({ ...coarse, by: "consumer", limit: maxConsumers }),
      ]);
      return {
        present: present.series[0]!,
        before: earlier.series[0]!,
        models: models.series,
        providers: providers.series,
        consumers: consumers.series,
      };
    },
    placeholderData: keepPreviousData,
    refetchInterval: range.refetchMs,
  });
}

/** Whether a model was requested within a year. Asked only if the range has no requests. */
export function useEarlierModels(isAsked: boolean) {
  const { api } = useSession();
  return useQuery({
    queryKey: ["analytics", "models", "year"],
    queryFn: async ({ signal }) => {
      const from = new Date(now() - yearMs).toISOString();
      const { series } = await api.analytics.models({ from, step: "1d", signal });
      return series[0]!.totals.requests > 0;
    },
    enabled: isAsked,
  });
}
