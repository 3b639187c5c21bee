import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Chart, ChartSkeleton } from "../../../components/chart.tsx";
import { now } from "../../../lib/clock.ts";
import { useRequestRetention } from "../../queries/retention.ts";
import { useSession } from "../../queries/session.tsx";
import { filterOf, hasEnded, type RequestSearch } from "./filter.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const height = 96;

/** All requests of the list's range by outcome, also those that were not recorded. Hidden where a filter cannot be counted. */
export function RequestHistogram({ search, deployment }: { search: RequestSearch; deployment: string | undefined }) {
  const { api } = useSession();
  const { days } = useRequestRetention();
  const { method, q, requestId, status, route, consumer, consumerId, ...filter } = filterOf({
    ...search,
    ...(deployment ? { deployment } : {}),
  });
  const isCounted = !method && !q && !requestId && !(consumerId && route);
  // Nothing is counted before the retention of the coarsest step.
  const isKept = days === undefined || new Date(timesOf(search, days).from).getTime() > now() - 700 * dayMs;
  const name = JSON.stringify({ ...search, request: undefined, deployment: filter.deployment });
  const series = useQuery({
    queryKey: ["analytics", "requests", name, days],
    queryFn: async ({ signal }) => {
      const { from, to } = timesOf(search, days!);
      const step = stepOf(new Date(from).getTime(), to);
      const options = { from, to, step, status, route, consumer, consumerId, signal } as const;
      const counted = await (filter.deployment
        ? api.analytics.ofDeployment(filter.deployment, options)
        : api.analytics.get(options));
      return {
        points: counted.series[0]?.points ?? [],
        unit: { "1m": "a minute", "1h": "an hour", "1d": "a day" }[step],
      };
    },
    enabled: isCounted && days !== undefined && isKept,
    placeholderData: keepPreviousData,
    refetchInterval: hasEnded(search) ? false : 15_000,
  });
  if (!isCounted || !isKept || series.error) return null;
  if (!series.data) return <ChartSkeleton height={height} />;
  const { points, unit } = series.data;
  return (
    <div className="histogram">
      <Chart
        title="Requests over time"
        height={height}
        isStacked
        isLastIncomplete={!hasEnded(search)}
        unit={`requests ${unit}`}
        empty="No requests in this time range."
        times={points.map(({ time }) => new Date(time).getTime())}
        series={[
          { label: "Errors", color: "chart-3", kind: "area", values: points.map(({ errors }) => errors) },
          { label: "Rejected", color: "chart-2", kind: "area", values: points.map(({ rejected }) => rejected) },
          {
            label: "Passed",
            color: "chart-1",
            kind: "area",
            values: points.map(({ requests, rejected, errors }) => Math.max(requests - rejected - errors, 0)),
          },
        ]}
      />
    </div>
  );
}

/** The range of the search; without a start, as long as requests are kept. */
function timesOf(search: RequestSearch, days: number): { from: string; to: string | undefined } {
  const { from, to } = filterOf(search);
  const end = to ? new Date(to).getTime() : now();
  return { from: from ?? new Date(end - days * dayMs).toISOString(), to };
}

/** The finest step that fits the range and is kept for that long. */
function stepOf(from: number, to: string | undefined): "1m" | "1h" | "1d" {
  const length = (to ? new Date(to).getTime() : now()) - from;
  const age = now() - from;
  if (length <= 3 * hourMs && age < 2 * dayMs) return "1m";
  return length <= 14 * dayMs && age < 89 * dayMs ? "1h" : "1d";
}
