import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Chart } from "../../../components/chart.tsx";
import { type Range, timesOf } from "../../queries/range.ts";
import { useSession } from "../../queries/session.tsx";
import type { Series } from "./figures.ts";
import { Results, TopConsumers } from "./top.tsx";
import type { VerificationSeries } from "./verification-figures.ts";

/** Calls of verify-key in the range and before, by result and consumer. */
export function useVerifications(name: string, range: Range) {
  const { api } = useSession();
  return useQuery({
    queryKey: ["analytics", "verifications", name],
    queryFn: async ({ signal }) => {
      const { from, before } = timesOf(range);
      const coarse = { from, step: range.coarseStep, limit: 9, signal };
      const { series: results } = await api.analytics.verifications({
        ...coarse,
        step: range.step,
        by: "result",
      });
      const present = sumOf(results);
      // Without verifications, their parts would be empty.
      if (present.totals.verifications === 0) return { all: { present, before: present }, results, consumers: [] };
      const [earlier, consumers] = await Promise.all([
        api.analytics.verifications({ from: before, to: from, step: range.step, signal }),
        api.analytics.verifications({ ...coarse, by: "consumer" }),
      ]);
      return { all: { present, before: earlier.series[0]! }, results, consumers: consumers.series };
    },
    placeholderData: keepPreviousData,
    refetchInterval: range.refetchMs,
  });
}

/** All results are listed: there are fewer than the limit. */
function sumOf(series: VerificationSeries[]): VerificationSeries {
  const add = (one: Counts, other: Counts) => ({
    verifications: one.verifications + other.verifications,
    rejected: one.rejected + other.rejected,
  });
  const none = { verifications: 0, rejected: 0 };
  const points = (series[0]?.points ?? []).map(({ time }, index) => ({
    time,
    ...series.map((each) => each.points[index]!).reduce<Counts>(add, none),
  }));
  return {
    key: null,
    totals: series.map(({ totals }) => totals).reduce<Counts>(add, none),
    points,
  } as VerificationSeries;
}

interface Counts {
  verifications: number;
  rejected: number;
}

interface Props {
  all: VerificationSeries;
  results: VerificationSeries[];
  consumers: VerificationSeries[];
  range: Range;
}

export function Verifications({ all, results, consumers, range }: Props) {
  return (
    <>
      <div className="card">
        <h3 className="card-title">Verifications by result</h3>
        <Chart
          title="Verifications by result"
          height={200}
          isStacked
          isLastIncomplete
          unit={`verifications ${range.each}`}
          empty="No verifications in this time range."
          times={all.points.map(({ time }) => new Date(time).getTime())}
          series={[
            { label: "Rejected", color: "chart-2", kind: "area", values: all.points.map(({ rejected }) => rejected) },
            {
              label: "Valid",
              color: "chart-1",
              kind: "area",
              values: all.points.map(({ verifications, rejected }) => verifications - rejected),
            },
          ]}
        />
      </div>
      <div className="columns columns-even">
        <Results series={results.map(asRequests)} />
        <TopConsumers
          title="Most verified consumers"
          series={consumers.map(asRequests)}
          empty="No key of a consumer was verified in this time range."
        />
      </div>
    </>
  );
}

/** Lists of bars show series of requests. */
function asRequests({ totals, points: _, ...series }: VerificationSeries): Pick<Series, "key" | "isOther"> & {
  totals: { requests: number };
} {
  return { ...series, totals: { requests: totals.verifications } };
}
