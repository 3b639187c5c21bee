import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Chart } from "../../../components/chart.tsx";
import { FilterSelect } from "../../../components/filter-select.tsx";
import { LoadError, NotLoaded } from "../../../components/notice.tsx";
import { ChangeList } from "../../components/change-list.tsx";
import { RangeSelect } from "../../components/range-select.tsx";
import { useActivations } from "../../queries/activations.ts";
import { type Range, ranges, timesOf, usualRange } from "../../queries/range.ts";
import { useRead, useSession } from "../../queries/session.tsx";
import { Attention } from "./attention.tsx";
import { MoneyTiles } from "./money.tsx";
import { type Series, Tiles, type VerificationSeries, VerificationTiles } from "./tiles.tsx";
import { Results, TopConsumers, TopRoutes } from "./top.tsx";
import { TrafficCharts } from "./traffic.tsx";
import type { Overview as AccountOverview } from "./use-overview.ts";

const most = 8;

function LastChanges() {
  const changes = useRead(["audit-log", "last"], (api, { signal }) => api.auditLog.list({ limit: most, signal }), {
    refetchInterval: 15_000,
  });
  return (
    <div className="card">
      <h3 className="card-title">
        <span>Last changes</span>
        <Link className="small" to="/audit-log">
          Audit log
        </Link>
      </h3>
      {changes.error || !changes.data ? <NotLoaded of={changes} /> : <ChangeList entries={changes.data} />}
    </div>
  );
}

const route = getRouteApi("/frame/");
/** The maximum number of series, and so of consumers that can be counted. */
const countedConsumers = 100;

interface OverviewProps {
  overview: AccountOverview;
  /** Shown below what needs attention. */
  children: ReactNode;
}

/** Money and problems, then figures and charts of the range, the busiest consumers and routes, and the latest changes. */
export function Overview({ overview, children }: OverviewProps) {
  const hasGateway = overview.firstSteps.hasDeployment;
  const navigate = useNavigate();
  const { range: named = usualRange, deployment } = route.useSearch();
  const name = ranges[named] ? named : usualRange;
  const range = ranges[name]!;
  const verifications = useVerifications(name, range);
  const search = { range: name, deployment };
  const verified = verifications.data;
  const isVerified = verified !== undefined && verified.all.present.totals.verifications > 0;
  return (
    <>
      <div className="stack">
        <MoneyTiles money={overview.money} />
        <Attention overview={overview} />
        {children}
      </div>
      <section className="section">
        <div className="section-head">
          <h2>Traffic</h2>
          <div className="row">
            {hasGateway && (
              <DeploymentSelect
                deployments={overview.deployments}
                value={deployment}
                onChange={(next) => navigate({ to: "/", search: { range: name, deployment: next } })}
              />
            )}
            <RangeSelect value={name} onChange={(next) => navigate({ to: "/", search: { ...search, range: next } })} />
          </div>
        </div>
        <div className="stack">
          {hasGateway ? (
            <GatewayTraffic
              name={name}
              range={range}
              deployment={deployment}
              verifications={isVerified && !deployment ? verified.all : undefined}
            />
          ) : (
            isVerified && <VerificationTiles series={verified.all} />
          )}
          {verifications.error && <LoadError error={verifications.error} />}
          {verified && (isVerified || !hasGateway) && !deployment && (
            <Verifications
              all={verified.all.present}
              results={verified.results}
              consumers={verified.consumers}
              range={range}
            />
          )}
          <LastChanges />
        </div>
      </section>
    </>
  );
}

interface GatewayTrafficProps {
  name: string;
  range: Range;
  deployment: string | undefined;
  verifications: Parameters<typeof Tiles>[0]["verifications"];
}

function GatewayTraffic({ name, range, deployment, verifications }: GatewayTrafficProps) {
  const { all, consumers, routes } = useTraffic(name, range, deployment);
  const marks = useActivations(timesOf(range).from, deployment ? { deployment } : {});
  const error = all.error ?? consumers.error ?? routes.error;
  if (error) return <LoadError error={error} />;
  return (
    <>
      <Tiles all={all.data} consumers={consumers.data} verifications={verifications} />
      <TrafficCharts series={all.data?.present} range={range} marks={marks.data ?? []} />
      <div className="columns columns-even">
        <TopConsumers series={consumers.data?.present} />
        <TopRoutes series={routes.data?.series} />
      </div>
    </>
  );
}

interface DeploymentSelectProps {
  deployments: AccountOverview["deployments"];
  value: string | undefined;
  onChange: (name: string | undefined) => void;
}

function DeploymentSelect({ deployments, value, onChange }: DeploymentSelectProps) {
  const options = deployments.map(({ name, projectName, branchName }) => ({
    value: name,
    label: `${projectName} (${branchName})`,
  }));
  return <FilterSelect label="Deployment" all="All deployments" value={value} options={options} onChange={onChange} />;
}

function useTraffic(name: string, range: Range, deployment: string | undefined) {
  const { api } = useSession();
  const shared = { placeholderData: keepPreviousData, refetchInterval: range.refetchMs };
  const read = (options: Parameters<typeof api.analytics.get>[0]) =>
    deployment === undefined ? api.analytics.get(options) : api.analytics.ofDeployment(deployment, options);
  const all = useQuery({
    queryKey: ["analytics", "all", name, deployment],
    queryFn: async ({ signal }) => {
      const { from, before } = timesOf(range);
      const [present, earlier] = await Promise.all([
        read({ from, step: range.step, signal }),
        read({ from: before, to: from, step: range.step, signal }),
      ]);
      return { present: present.series[0], before: earlier.series[0] };
    },
    ...shared,
  });
  const consumers = useQuery({
    queryKey: ["analytics", "consumers", name, deployment],
    queryFn: async ({ signal }) => {
      const { from, before } = timesOf(range);
      const { series } = await read({
        by: "consumer",
        limit: countedConsumers,
        step: range.coarseStep,
        from: before,
        signal,
      });
      return {
        present: series.map((each) => withPoints(each, ({ time }) => time >= from)).sort(byRequests),
        before: series.map((each) => withPoints(each, ({ time }) => time < from)),
      };
    },
    ...shared,
  });
  const routes = useQuery({
    queryKey: ["analytics", "routes", name, deployment],
    queryFn: ({ signal }) => read({ by: "route", limit: 8, from: timesOf(range).from, step: range.coarseStep, signal }),
    ...shared,
  });
  return { all, consumers, routes };
}

/** The part of a series of consumers in a range of time. */
function withPoints(series: Series, isIncluded: (point: Series["points"][number]) => boolean): Series {
  const points = series.points.filter(isIncluded);
  const requests = points.reduce((sum, point) => sum + point.requests, 0);
  return { ...series, points, totals: { ...series.totals, requests } };
}

const byRequests = (one: Series, other: Series): number => other.totals.requests - one.totals.requests;

/** Calls of verify-key in the range and before, by result and consumer. */
function useVerifications(name: string, range: Range) {
  return useRead(
    ["analytics", "verifications", name],
    async (api, { signal }) => {
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
    {
      placeholderData: keepPreviousData,
      refetchInterval: range.refetchMs,
    },
  );
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

function Verifications({ all, results, consumers, range }: Props) {
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
