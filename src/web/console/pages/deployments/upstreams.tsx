import { Server } from "lucide-react";
import type { DeployedUpstreams as Upstreams } from "../../../../client/index.ts";
import { Badge, type Tone } from "../../../components/badge.tsx";
import { EmptyState, NotLoaded } from "../../../components/notice.tsx";
import { type Column, Table } from "../../../components/table.tsx";
import { RelativeTime } from "../../../components/time.tsx";
import { statusOf } from "../../../lib/errors.ts";
import { plural } from "../../../lib/format.ts";
import { useRead } from "../../queries/session.tsx";

type Upstream = Upstreams["data"][number];
type Target = Upstream["targets"][number];

const states: Record<Target["state"], { tone: Tone; label: string }> = {
  up: { tone: "green", label: "Up" },
  unhealthy: { tone: "red", label: "Unhealthy" },
  ejected: { tone: "amber", label: "Ejected" },
  unchecked: { tone: "grey", label: "Unchecked" },
};

const balances: Record<Upstream["balance"], string> = {
  "round-robin": "round robin",
  "least-requests": "least requests",
  hash: "hash",
};

/** The targets of each upstream, and whether they receive requests. */
export function DeploymentUpstreams({ name }: { name: string }) {
  const upstreams = useRead(
    ["deployment", name, "upstreams"],
    (api, { signal }) => api.deployments.upstreams(name, { signal }),
    { refetchInterval: 5_000 },
  );
  if (statusOf(upstreams.error) === 404 || upstreams.data?.data.length === 0)
    return (
      <EmptyState icon={Server} title="No upstreams" guide="upstreams">
        {upstreams.error
          ? "Deploy the project: its upstreams are listed here as soon as a version is live."
          : "All routes of this version have handlers."}
      </EmptyState>
    );
  if (upstreams.error || !upstreams.data) return <NotLoaded of={upstreams} />;
  const { version: live, data } = upstreams.data;
  const hasCanary = data.some(({ version }) => version !== live);
  return (
    <div className="stack">
      {data.map((upstream) => (
        <section
          className="stack stack-tight"
          key={`${upstream.version} ${upstream.targets.map(({ url }) => url).join(" ")}`}
        >
          <h3 className="row row-wrap">
            {upstream.targets.length === 1 ? "One target" : `${upstream.targets.length} targets`}
            {hasCanary && (
              <Badge tone={upstream.version === live ? "green" : "amber"}>
                {upstream.version === live ? "Live" : "Canary"}: version {upstream.version}
              </Badge>
            )}
          </h3>
          <p className="small muted">{factsOf(upstream).join(" · ")}</p>
          <Table
            caption={`Targets of ${upstream.targets[0]!.url}${hasCanary ? `, version ${upstream.version}` : ""}`}
            columns={columns}
            rows={upstream.targets}
            keyOf={({ url }) => url}
          />
        </section>
      ))}
    </div>
  );
}

function factsOf(upstream: Upstream): string[] {
  const { balance, hashBy, targets, routes, maxConnections } = upstream;
  return [
    plural(routes, "route"),
    ...(targets.length > 1 ? [hashBy ? `${balances[balance]} by ${hashBy}` : balances[balance]] : []),
    ...(upstream.hasHealthChecks ? ["health checks"] : []),
    ...(upstream.hasEjection ? ["ejection"] : []),
    ...(upstream.hasRetries ? ["retries"] : []),
    ...(upstream.usesOwnTls ? ["own TLS"] : []),
    ...(maxConnections === undefined ? [] : [`at most ${plural(maxConnections, "connection")} each`]),
  ];
}

const columns: Column<Target>[] = [
  { label: "Target", render: ({ url }) => <span className="mono wrap-anywhere">{url}</span> },
  {
    label: "State",
    isLead: true,
    render: ({ state }) => <Badge tone={states[state].tone}>{states[state].label}</Badge>,
  },
  { label: "Detail", render: (target) => <span className="small">{reasonOf(target)}</span> },
  { label: "In flight", isNumber: true, isMinor: true, render: ({ inFlight }) => inFlight },
  { label: "Weight", isNumber: true, isMinor: true, render: ({ weight }) => weight },
];

function reasonOf({ state, lastCheck, consecutiveErrors, ejectedUntil }: Target) {
  if (state === "ejected" && ejectedUntil)
    return (
      <>
        {plural(consecutiveErrors, "error")} in a row; tried again <RelativeTime time={ejectedUntil} />
      </>
    );
  if (!lastCheck) return <span className="muted">No health checks</span>;
  return (
    <>
      Last check <RelativeTime time={lastCheck.time} />: {lastCheck.status ?? lastCheck.error ?? "no response"}
    </>
  );
}
