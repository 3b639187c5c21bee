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

const timesOf = (series: Series) => series.points.map(({ time }) => new Date(time).getTime());
const noTraffic = "No requests in this time range.";

export function OutcomeChart({ series, range, marks, height = 240 }: Props & { height?: number }) {
  if (!series) return <ChartSkeleton height={height} />;
  const { points } = series;
  return (
    <Chart
      title="Requests by outcome"
      height={height}
      isStacked
      unit={`requests ${range.each}`}
      empty={noTraffic}
      marks={marks}
      isLastIncomplete
      times={timesOf(series)}
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
  );
}

function ErrorShareChart({ series, marks }: Omit<Props, "range">) {
  if (!series) return <ChartSkeleton height={160} />;
  return (
    <Chart
      title="Error rate"
      height={160}
      unit="5xx in % of requests"
      empty={series.totals.requests > 0 ? "No errors in this time range." : noTraffic}
      marks={marks}
      isLastIncomplete
      times={timesOf(series)}
      format={formatPercent}
      formatAxis={formatPercent}
      series={[
        {
          label: "Errors",
          color: "chart-3",
          kind: "area",
          values: series.points.map((point) => (point.requests > 0 ? errorShare(point) : null)),
        },
      ]}
    />
  );
}

interface LatencyProps extends Omit<Props, "range"> {
  height?: number;
  withP95?: boolean;
}

export function LatencyChart({ series, marks, height = 160, withP95 }: LatencyProps) {
  if (!series) return <ChartSkeleton height={height} />;
  return (
    <Chart
      title="Response time"
      height={height}
      unit="ms to the head of the response"
      empty={noTraffic}
      marks={marks}
      isLastIncomplete
      times={timesOf(series)}
      format={formatMs}
      formatAxis={formatMs}
      series={[
        { label: "p50", color: "chart-1", values: series.points.map(({ p50Ms }) => p50Ms) },
        ...(withP95
          ? [{ label: "p95", color: "chart-2" as const, values: series.points.map(({ p95Ms }) => p95Ms) }]
          : []),
        { label: "p99", color: "chart-4", values: series.points.map(({ p99Ms }) => p99Ms) },
      ]}
    />
  );
}
