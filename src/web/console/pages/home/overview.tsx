import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Analytics } from "../../../../client/index.ts";
import { Chart, Sparkline } from "../../../components/chart.tsx";
import { LoadError } from "../../../components/notice.tsx";
import { Figure } from "../../../components/number.tsx";
import { SkeletonLines } from "../../../components/skeleton.tsx";
import { now } from "../../../lib/clock.ts";
import { formatMs, formatPercent } from "../../../lib/format.ts";
import { usualBucket } from "../../queries/buckets.tsx";
import { useSession } from "../../queries/session.tsx";
import { Attention } from "./attention.tsx";

const route = getRouteApi("/frame/");
const ranges: Record<string, { label: string; hours: number }> = {
  day: { label: "24 hours", hours: 24 },
  week: { label: "7 days", hours: 168 },
  month: { label: "30 days", hours: 720 },
};

type Series = Analytics["series"][number];

/** Figures with the change against the range before, requests by outcome, what needs attention, and who calls most. */
export function Overview() {
  const { api } = useSession();
  const navigate = useNavigate();
  const { range: named = "day" } = route.useSearch();
  const range = ranges[named] ? named : "day";
  const { hours } = ranges[range]!;
  const shared = { placeholderData: keepPreviousData, refetchInterval: 30_000 };
  const all = useQuery({
    queryKey: ["analytics", "all", range],
    queryFn: async ({ signal }) => {
      const span = hours * 3_600_000;
      const at = (ago: number) => new Date(now() - ago).toISOString();
      const [present, before] = await Promise.all([
        api.analytics.get({ from: at(span), signal }),
        api.analytics.get({ from: at(2 * span), to: at(span), signal }),
      ]);
      return { present: present.series[0], before: before.series[0] };
    },
    ...shared,
  });
  const consumers = useQuery({
    queryKey: ["analytics", "consumers", range],
    queryFn: ({ signal }) =>
      api.analytics.get({
        by: "consumer",
        limit: 8,
        from: new Date(now() - hours * 3_600_000).toISOString(),
        signal,
      }),
    ...shared,
  });
  if (all.error) return <LoadError error={all.error} onRetry={() => all.refetch()} />;
  if (!all.data) return <SkeletonLines count={6} />;
  const { present, before } = all.data;
  const points = present?.points ?? [];
  const callers = consumers.data?.series.filter(({ key, isOther }) => key !== null && !isOther) ?? [];
  return (
    <section className="section">
      <div className="section-head">
        <h2>Requests</h2>
        <select
          className="input input-narrow"
          aria-label="Range"
          value={range}
          onChange={(event) => navigate({ to: "/", search: { range: event.target.value }, replace: true })}
        >
          {Object.entries(ranges).map(([value, { label }]) => (
            <option key={value} value={value}>
              Last {label}
            </option>
          ))}
        </select>
      </div>
      <div className="figures">
        <Tile
          label="Requests"
          change={changeOf(present, before, ({ totals }) => totals.requests)}
          values={points.map(({ requests }) => requests)}
        >
          <Figure value={present?.totals.requests ?? 0} />
        </Tile>
        <Tile
          label="Error share"
          change={changeOf(present, before, errorShare)}
          values={points.map(({ errors }) => errors)}
          color="chart-3"
        >
          {formatPercent(present ? errorShare(present) : 0)}
        </Tile>
        <Tile
          label="p99"
          change={changeOf(present, before, ({ totals }) => totals.p99Ms ?? 0)}
          values={points.map(({ p99Ms }) => p99Ms ?? 0)}
          color="chart-4"
        >
          {present?.totals.p99Ms == null ? "–" : formatMs(present.totals.p99Ms)}
        </Tile>
        <Tile label="Active consumers" change="" values={[]}>
          {callers.length}
          {consumers.data?.series.some(({ isOther }) => isOther) && "+"}
        </Tile>
      </div>
      <div className="columns">
        <div className="card">
          <h3 className="card-title">By outcome</h3>
          <Chart
            title="Requests by outcome"
            height={260}
            isStacked
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
        <div className="card">
          <h3 className="card-title">Top consumers</h3>
          <TopConsumers series={callers} />
        </div>
      </div>
      <div className="columns columns-even">
        <Attention />
      </div>
    </section>
  );
}

const errorShare = ({ totals }: Series) => (totals.requests > 0 ? totals.errors / totals.requests : 0);

function changeOf(present: Series | undefined, before: Series | undefined, value: (series: Series) => number): string {
  const [next, last] = [present ? value(present) : 0, before ? value(before) : 0];
  if (last === 0) return next === 0 ? "" : "none in the range before";
  const change = next / last - 1;
  return `${change >= 0 ? "+" : "−"}${formatPercent(Math.abs(change))} against the range before`;
}

interface TileProps {
  label: string;
  change: string;
  values: number[];
  color?: string;
  children: ReactNode;
}

function Tile({ label, change, values, color, children }: TileProps) {
  return (
    <div className="card">
      <div className="figure-label">{label}</div>
      <div className="figure-value">{children}</div>
      <div className="figure-change">{change}</div>
      <Sparkline values={values} {...(color ? { color } : {})} />
    </div>
  );
}

function TopConsumers({ series }: { series: Series[] }) {
  const most = Math.max(...series.map(({ totals }) => totals.requests), 1);
  if (series.length === 0) return <p className="muted">No consumer has sent a request in this range.</p>;
  return (
    <ul className="bars">
      {series.map(({ key, totals }) => (
        <li className="meter" key={key}>
          <span className="row row-between small">
            <Link to="/consumers/$bucket/$name" params={{ bucket: usualBucket, name: key! }} className="truncate">
              {key}
            </Link>
            <Figure value={totals.requests} />
          </span>
          <span className="meter-bar" aria-hidden>
            <i style={{ width: `${(totals.requests / most) * 100}%` }} />
          </span>
        </li>
      ))}
    </ul>
  );
}
