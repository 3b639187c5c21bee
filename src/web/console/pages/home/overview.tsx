import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { LoadError } from "../../../components/notice.tsx";
import { FilterSelect } from "../../components/filter-field.tsx";
import { RangeSelect } from "../../components/range-select.tsx";
import { useActivations } from "../../queries/activations.ts";
import { type Range, ranges, timesOf, usualRange } from "../../queries/range.ts";
import { useSession } from "../../queries/session.tsx";
import { Attention } from "./attention.tsx";
import { LastChanges } from "./last-changes.tsx";
import { Tiles, VerificationTiles } from "./tiles.tsx";
import { TopConsumers, TopRoutes } from "./top.tsx";
import { TrafficCharts } from "./traffic.tsx";
import { useVerifications, Verifications } from "./verifications.tsx";

const route = getRouteApi("/frame/");
/** The maximum number of series, and so of consumers that can be counted. */
const countedConsumers = 100;
/** With more deployments, only these can be selected. */
const listedDeployments = 100;

/** Problems, then figures and charts of the range, the busiest consumers and routes, and the latest changes. */
export function Overview({ hasGateway }: { hasGateway: boolean }) {
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
      <Attention />
      <section className="section">
        <div className="section-head">
          <h2>Traffic</h2>
          <div className="row">
            {hasGateway && (
              <DeploymentSelect
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

function DeploymentSelect({
  value,
  onChange,
}: {
  value: string | undefined;
  onChange: (name: string | undefined) => void;
}) {
  const { api } = useSession();
  const deployments = useQuery({
    queryKey: ["deployments", "names"],
    queryFn: ({ signal }) => api.deployments.listAll({ limit: listedDeployments, signal }).page(),
  });
  const options = (deployments.data?.data ?? []).map(({ name, projectName, branchName }) => ({
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
      const options = { by: "consumer", limit: countedConsumers, step: range.coarseStep, signal } as const;
      const [present, earlier] = await Promise.all([
        read({ ...options, from }),
        read({ ...options, from: before, to: from }),
      ]);
      return { present: present.series, before: earlier.series };
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
