import { keepPreviousData } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Deployment } from "../../../../client/index.ts";
import { Copyable } from "../../../components/copy.tsx";
import { Facts } from "../../../components/facts.tsx";
import { LoadError, Skeleton } from "../../../components/notice.tsx";
import { Figure } from "../../../components/number.tsx";
import { DayTime } from "../../../components/time.tsx";
import { formatMs, formatPercent } from "../../../lib/format.ts";
import { RangeSelect } from "../../components/range-select.tsx";
import { useActivations } from "../../queries/activations.ts";
import { ranges, timesOf, usualRange } from "../../queries/range.ts";
import { useRead } from "../../queries/session.tsx";
import { errorShare, named, type Series } from "../home/tiles.tsx";
import { Bars, Statuses, TopRoutes } from "../home/top.tsx";
import { LatencyChart, OutcomeChart } from "../home/traffic.tsx";
import { ObservedPolicies } from "./observed.tsx";
import { Policies } from "./policies.tsx";

const route = getRouteApi("/frame/deployments/$name");

/** The requests of a deployment, their outcome, and how long they took. */
export function DeploymentOverview({ deployment }: { deployment: Deployment }) {
  const { name } = deployment;
  const navigate = useNavigate();
  const { range: given = usualRange } = route.useSearch();
  const rangeName = ranges[given] ? given : usualRange;
  const range = ranges[rangeName]!;
  const marks = useActivations(timesOf(range).from, { deployment: name });
  const traffic = useRead(
    ["analytics", "deployment", name, rangeName],
    async (api, { signal }) => {
      const { from } = timesOf(range);
      const seriesBy = (by?: "status" | "route" | "client") =>
        api.analytics.ofDeployment(name, {
          from,
          step: by ? range.coarseStep : range.step,
          ...(by ? { by, limit: 8 } : {}),
          signal,
        });
      const [all, statuses, routes, clients] = await Promise.all([
        seriesBy(),
        seriesBy("status"),
        seriesBy("route"),
        seriesBy("client"),
      ]);
      return {
        all: all.series[0],
        statuses: statuses.series,
        routes: routes.series,
        clients: clients.series,
      };
    },
    {
      placeholderData: keepPreviousData,
      refetchInterval: range.refetchMs,
    },
  );
  if (traffic.error) return <LoadError error={traffic.error} />;
  const { data } = traffic;
  return (
    <div className="stack">
      <h2 className="visually-hidden">Traffic</h2>
      <div className="row row-between row-wrap">
        <Figures series={data?.all} />
        <RangeSelect
          value={rangeName}
          onChange={(next) => navigate({ to: ".", search: { tab: "overview", range: next } })}
        />
      </div>
      <ObservedPolicies deployment={name} />
      <div className="columns columns-even">
        <div className="card">
          <h3 className="card-title">Requests by outcome</h3>
          <OutcomeChart series={data?.all} range={range} marks={marks.data ?? []} height={200} />
        </div>
        <div className="card">
          <h3 className="card-title">Response time</h3>
          <LatencyChart series={data?.all} marks={marks.data ?? []} height={200} withP95 />
        </div>
        <Statuses series={data?.statuses} />
        <TopRoutes series={data?.routes} />
        {data && named(data.clients).length > 0 && (
          <Bars
            title="Top programs"
            series={data.clients}
            empty=""
            render={(client) => <span className="truncate">{client}</span>}
          />
        )}
        {/* After the cards that come with the figures, so that none of them moves. */}
        {data && <Policies deployment={deployment} />}
      </div>
    </div>
  );
}

function Figures({ series }: { series: Series | undefined }) {
  const ms = (value: number | null) => (value === null ? "–" : formatMs(value));
  const facts: [string, (totals: Series["totals"]) => ReactNode][] = [
    ["Requests", ({ requests }) => <Figure value={requests} />],
    ["Rejected", ({ rejected }) => <Figure value={rejected} />],
    ...(series && series.totals.observed > 0
      ? [["Observed", ({ observed }) => <Figure value={observed} />] satisfies (typeof facts)[number]]
      : []),
    ["Error rate", (totals) => formatPercent(errorShare(totals))],
    ["p50", ({ p50Ms }) => ms(p50Ms)],
    ["p95", ({ p95Ms }) => ms(p95Ms)],
    ["p99", ({ p99Ms }) => ms(p99Ms)],
  ];
  return (
    <dl className="inline-figures">
      {facts.map(([label, figureOf]) => (
        <div key={label}>
          <dt className="figure-label">{label}</dt>
          <dd className="strong number">{series ? figureOf(series.totals) : <Skeleton width={40} />}</dd>
        </div>
      ))}
    </dl>
  );
}

export function DeploymentFacts({ deployment }: { deployment: Deployment }) {
  const { name, url, projectName, branchName, loggingId, createdOn, updatedOn } = deployment;
  return (
    <Facts
      className="card"
      of={{
        Name: <Copyable text={name} />,
        Address: <Copyable text={url} />,
        Project: projectName,
        Branch: <code>{branchName}</code>,
        "Logging id": <Copyable text={loggingId} />,
        Created: <DayTime time={createdOn} />,
        Changed: <DayTime time={updatedOn} />,
      }}
    />
  );
}
