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
      const [present, earlier, results, consumers] = await Promise.all([
        api.analytics.verifications({ from, step: range.step, signal }),
        api.analytics.verifications({ from: before, to: from, step: range.step, signal }),
        api.analytics.verifications({ ...coarse, by: "result" }),
        api.analytics.verifications({ ...coarse, by: "consumer" }),
      ]);
      return {
        all: { present: present.series[0]!, before: earlier.series[0]! },
        results: results.series,
        consumers: consumers.series,
      };
    },
    placeholderData: keepPreviousData,
    refetchInterval: range.refetchMs,
  });
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
