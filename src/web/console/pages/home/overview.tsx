import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { LoadError } from "../../../components/notice.tsx";
import { SkeletonLines } from "../../../components/skeleton.tsx";
import { ChangeList } from "../../components/change-list.tsx";
import { FilterSelect } from "../../components/filter-field.tsx";
import { RangeSelect } from "../../components/range-select.tsx";
import { useActivations } from "../../queries/activations.ts";
import { type Range, ranges, timesOf, usualRange } from "../../queries/range.ts";
import { useSession } from "../../queries/session.tsx";
import { Attention } from "./attention.tsx";
import type { Series } from "./figures.ts";
import { MoneyTiles } from "./money.tsx";
import { Tiles, VerificationTiles } from "./tiles.tsx";
import { TopConsumers, TopRoutes } from "./top.tsx";
import { TrafficCharts } from "./traffic.tsx";
import type { Overview as AccountOverview } from "./use-overview.ts";
import { useVerifications, Verifications } from "./verifications.tsx";

const most = 8;

function LastChanges() {
  const { api } = useSession();
  const changes = useQuery({
    queryKey: ["audit-log", "last"],
    queryFn: ({ signal }) => api.auditLog.list({ limit: most, signal }),
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
      {changes.error ? (
        <LoadError error={changes.error} />
      ) : changes.data ? (
        <ChangeList entries={changes.data} />
      ) : (
        <SkeletonLines />
      )}
    </div>
  );
}

const route = getRouteApi("/frame/");
/** The maximum number of series, and so of consumers that can be counted. */
const countedConsumers = 100;

/** Money and problems, then figures and charts of the range, the busiest consumers and routes, and the latest changes. */
export function Overview({ overview }: { overview: AccountOverview }) {
  const hasGateway = overview.firstSteps.hasDeployment;
  const navigate = useNavigate();
  const { range: named = usualRange, deployment } = route.useSearch();
  const name = ranges[named] ? named : usualRange;
  const range = ranges[name]!;
  const verifications = useVerifications(name, range);
  const search = { range: name, ...(deployment ? { deployment } : {}) };
  const verified = verifications.data;
  const isVerified = verified !== undefined && verified.all.present.totals.verifications > 0;
  return (
    <>
      <MoneyTiles money={overview.money} />
      <Attention overview={overview} />
      <section className="section">
        <div className="section-head">
          <h2>Traffic</h2>
          <div className="row">
            {hasGateway && (
              <DeploymentSelect
                deployments={overview.deployments}
                value={deployment}
                onChange={(next) => navigate({ to: "/", search: { range: name, ...(next && { deployment: next }) } })}
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
          {verifications.error && <LoadError error={verifications.error} onRetry={() => verifications.refetch()} />}
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
  if (error) return <LoadError error={error} onRetry={() => all.refetch()} />;
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
