import type { ComponentProps } from "react";
import { Chart, ChartSkeleton } from "../../../components/chart.tsx";
import type { ChartMark } from "../../../components/chart-types.ts";
import { formatMs, formatPercent } from "../../../lib/format.ts";
import type { Range } from "../../queries/range.ts";
import { errorShare, type Series } from "./tiles.tsx";

interface Props {
  /** Undefined while loading. */
  series: Series | undefined;
  range: Range;
  marks: ChartMark[];
}

/** Requests by outcome, the share of errors, and response times. */
export function TrafficCharts({ series, range, marks }: Props) {
  return (
    <>
      <div className="card">
        <h3 className="card-title">Requests by outcome</h3>
        <OutcomeChart series={series} range={range} marks={marks} />
      </div>
      <div className="columns columns-even">
        <div className="card">
          <h3 className="card-title">Error rate</h3>
          <ErrorShareChart series={series} marks={marks} />
        </div>
        <div className="card">
          <h3 className="card-title">Response time</h3>
          <LatencyChart series={series} marks={marks} />
        </div>
      </div>
    </>
  );
}

const noTraffic = "No requests in this time range.";

type TrafficChartProps = Omit<ComponentProps<typeof Chart>, "series" | "times" | "isLastIncomplete"> & {
  of: Series | undefined;
  height: number;
  linesOf: (points: Series["points"]) => ComponentProps<typeof Chart>["series"];
};

function TrafficChart({ of: series, linesOf, ...chart }: TrafficChartProps) {
  if (!series) return <ChartSkeleton height={chart.height} />;
  const { points } = series;
  const times = points.map(({ time }) => new Date(time).getTime());
  return <Chart empty={noTraffic} {...chart} isLastIncomplete times={times} series={linesOf(points)} />;
}

export function OutcomeChart({ series, range, marks, height = 240 }: Props & { height?: number }) {
  return (
    <TrafficChart
      title="Requests by outcome"
      of={series}
      height={height}
      marks={marks}
      isStacked
      unit={`requests ${range.each}`}
      linesOf={(points) => [
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
  );
}

function ErrorShareChart({ series, marks }: Omit<Props, "range">) {
  const values = (points: Series["points"]) => points.map((each) => (each.requests > 0 ? errorShare(each) : null));
  return (
    <TrafficChart
      title="Error rate"
      of={series}
      height={160}
      marks={marks}
      unit="5xx in % of requests"
      empty={series && series.totals.requests > 0 ? "No errors in this time range." : noTraffic}
      format={formatPercent}
      formatAxis={formatPercent}
      linesOf={(points) => [{ label: "Errors", color: "chart-3", kind: "area", values: values(points) }]}
    />
  );
}

interface LatencyProps extends Omit<Props, "range"> {
  height?: number;
  withP95?: boolean;
}

export function LatencyChart({ series, marks, height = 160, withP95 }: LatencyProps) {
  return (
    <TrafficChart
      title="Response time"
      of={series}
      height={height}
      marks={marks}
      unit="ms to the head of the response"
      format={formatMs}
      formatAxis={formatMs}
      linesOf={(points) => [
        { label: "p50", color: "chart-1", values: points.map(({ p50Ms }) => p50Ms) },
        ...(withP95 ? [{ label: "p95", color: "chart-2" as const, values: points.map(({ p95Ms }) => p95Ms) }] : []),
        { label: "p99", color: "chart-4", values: points.map(({ p99Ms }) => p99Ms) },
      ]}
    />
  );
}
