import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { LoadError } from "../../../components/notice.tsx";
import { useActivations } from "../../queries/activations.ts";
import { type Range, ranges, timesOf, usualRange } from "../../queries/range.ts";
import { RangeSelect } from "../../queries/range-select.tsx";
import { useSession } from "../../queries/session.tsx";
import { Attention } from "./attention.tsx";
import { LastChanges } from "./last-changes.tsx";
import { Tiles } from "./tiles.tsx";
import { TopConsumers, TopRoutes } from "./top.tsx";
import { TrafficCharts } from "./traffic.tsx";

const route = getRouteApi("/frame/");
/** The maximum number of series, and so of consumers that can be counted. */
const countedConsumers = 100;

/** Figures and charts of the range, problems, the busiest consumers and routes, and the latest changes. */
export function Overview() {
  const navigate = useNavigate();
  const { range: named = usualRange } = route.useSearch();
  const name = ranges[named] ? named : usualRange;
  const range = ranges[name]!;
  const { all, consumers, routes } = useTraffic(name, range);
  const marks = useActivations(timesOf(range).from);
  const error = all.error ?? consumers.error ?? routes.error;
  return (
    <section className="section">
      <div className="section-head">
        <h2>Traffic</h2>
        <RangeSelect value={name} onChange={(next) => navigate({ to: "/", search: { range: next } })} />
      </div>
      {error ? (
        <LoadError error={error} onRetry={() => all.refetch()} />
      ) : (
        <div className="stack">
          <Tiles all={all.data} consumers={consumers.data} />
          <TrafficCharts series={all.data?.present} range={range} marks={marks.data ?? []} />
        </div>
      )}
      <div className="columns columns-even">
        <Attention />
        <LastChanges />
        <TopConsumers series={consumers.data?.present} />
        <TopRoutes series={routes.data?.series} />
      </div>
    </section>
  );
}

function useTraffic(name: string, range: Range) {
  const { api } = useSession();
  const shared = { placeholderData: keepPreviousData, refetchInterval: range.refetchMs };
  const all = useQuery({
    queryKey: ["analytics", "all", name],
    queryFn: async ({ signal }) => {
      const { from, before } = timesOf(range);
      const [present, earlier] = await Promise.all([
        api.analytics.get({ from, step: range.step, signal }),
        api.analytics.get({ from: before, to: from, step: range.step, signal }),
      ]);
      return { present: present.series[0], before: earlier.series[0] };
    },
    ...shared,
  });
  const consumers = useQuery({
    queryKey: ["analytics", "consumers", name],
    queryFn: async ({ signal }) => {
      const { from, before } = timesOf(range);
      const options = { by: "consumer", limit: countedConsumers, step: range.coarseStep, signal } as const;
      const [present, earlier] = await Promise.all([
        api.analytics.get({ ...options, from }),
        api.analytics.get({ ...options, from: before, to: from }),
      ]);
      return { present: present.series, before: earlier.series };
    },
    ...shared,
  });
  const routes = useQuery({
    queryKey: ["analytics", "routes", name],
    queryFn: ({ signal }) =>
      api.analytics.get({ by: "route", limit: 8, from: timesOf(range).from, step: range.coarseStep, signal }),
    ...shared,
  });
  return { all, consumers, routes };
}
