import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { SystemStatus } from "../../../../client/index.ts";
import { Badge } from "../../../components/badge.tsx";
import { Facts } from "../../../components/facts.tsx";
import { Notice, NotLoaded } from "../../../components/notice.tsx";
import { type Column, Table } from "../../../components/table.tsx";
import { RelativeTime } from "../../../components/time.tsx";
import { formatBytes, formatMs, formatNumber, formatPercent } from "../../../lib/format.ts";
import { command } from "../../../lib/shell.ts";
import { signedIn, useSession } from "../../queries/session.tsx";
import { AsCommand } from "../../shell/requests.tsx";

const engines = { sqlite: "SQLite, in the data directory", postgres: "PostgreSQL" };

/** Whether the server is ready; for the operator also its status. */
export function SystemSettings() {
  const { account, identity } = useSession();
  const isOperator = identity.role === "operator";
  const server = useQuery({
    queryKey: ["readiness"],
    queryFn: ({ signal }) => signedIn.readiness({ signal }),
    refetchInterval: 5000,
  });
  if (server.error || !server.data) return <NotLoaded of={server} />;
  const { status, reason, version, storage, feed } = server.data;
  return (
    <div className="stack stack-loose">
      <Facts
        className="card"
        of={{
          Server:
            status === "ready" ? <Badge tone="green">Ready</Badge> : <Badge tone="red">Not ready: {reason}</Badge>,
          Version: version,
          Storage: storage ? engines[storage] : null,
          "Change feed": feed === "fresh" ? <Badge tone="green">Fresh</Badge> : <Badge tone="amber">{feed}</Badge>,
          Address: <code>{window.location.origin}</code>,
          Account: account,
          Role: identity.role,
        }}
      />
      {isOperator ? (
        <Status />
      ) : (
        <Notice>
          Size, nodes, caches and the last backup are shown to the operator: sign in with the token that the server has
          as <code>TOLLGATE_OPERATOR_TOKEN</code>.
        </Notice>
      )}
      <ul className="stack stack-tight links">
        <li>
          <a href="/docs">API reference</a> <span className="muted">with calls to try</span>
        </li>
        <li>
          <a href="/openapi.json">openapi.json</a> <span className="muted">for generators and gateways</span>
        </li>
        <li>
          <a href="/metrics">metrics</a> <span className="muted">for Prometheus</span>
        </li>
      </ul>
    </div>
  );
}

function Status() {
  const status = useQuery({
    queryKey: ["system"],
    queryFn: ({ signal }) => signedIn.systemStatus({ signal }),
    refetchInterval: 5000,
  });
  if (status.error || !status.data) return <NotLoaded of={status} />;
  const { storage, feed, memoryBytes, startedOn, nodes, caches, replica, lastBackup } = status.data;
  return (
    <>
      <section className="stack stack-tight">
        <div className="section-head">
          <h2>This server</h2>
          <AsCommand call={(api) => api.systemStatus()} />
        </div>
        <Facts
          className="card"
          of={{
            Started: <RelativeTime time={startedOn} />,
            Memory: formatBytes(memoryBytes),
            Database: formatBytes(storage.bytes),
            "Feed lag": formatMs(feed.lagMs),
            "Database replaced": feed.lastHistoryChange && (
              <>
                Writes from {feed.lastHistoryChange.followedUntil} to {feed.lastHistoryChange.on} may be lost.
              </>
            ),
            "Read replica":
              replica && (replica.isUsed ? `${formatMs(replica.lagMs ?? 0)} behind` : `Not used: ${replica.error}`),
            "Last backup": <Backup engine={storage.engine} lastBackup={lastBackup} />,
          }}
        />
      </section>
      <section className="stack stack-tight">
        <h2>Nodes</h2>
        <Table caption="Nodes" columns={nodeColumns} rows={nodes} />
      </section>
      <section className="stack stack-tight">
        <h2>Caches</h2>
        <Table caption="Caches" columns={cacheColumns} rows={caches} keyOf={({ name }) => name} />
      </section>
    </>
  );
}

const withoutBackup: Record<SystemStatus["storage"]["engine"], ReactNode> = {
  sqlite: (
    <span className="row row-wrap">
      <Badge tone="amber">None yet</Badge>
      <code>{command("backup", "tollgate.tar.gz")}</code>
    </span>
  ),
  postgres: <span className="muted">PostgreSQL is backed up separately</span>,
};

type BackupProps = Pick<SystemStatus, "lastBackup"> & { engine: SystemStatus["storage"]["engine"] };

function Backup({ engine, lastBackup }: BackupProps) {
  if (!lastBackup) return withoutBackup[engine];
  return (
    <span>
      <RelativeTime time={lastBackup.time} />, {formatBytes(lastBackup.bytes)}
    </span>
  );
}

const nodeColumns: Column<SystemStatus["nodes"][number]>[] = [
  { label: "Node", render: ({ id }) => <span className="mono strong">{id}</span> },
  { label: "Host", render: ({ host }) => <span className="mono">{host}</span> },
  { label: "Connected", render: ({ connectedOn }) => <RelativeTime time={connectedOn} none="Embedded" /> },
  {
    label: "State",
    render: ({ isThis }) => (isThis ? <Badge tone="accent">Shows this page</Badge> : <Badge>Connected</Badge>),
  },
];

const cacheColumns: Column<SystemStatus["caches"][number]>[] = [
  { label: "Cache", render: ({ name }) => <span className="strong">{name}</span> },
  { label: "Entries", isNumber: true, render: ({ entries }) => formatNumber(entries) },
  { label: "Hits", isNumber: true, render: ({ hits }) => formatNumber(hits) },
  { label: "Misses", isNumber: true, render: ({ misses }) => formatNumber(misses) },
  {
    label: "Hit share",
    isNumber: true,
    render: ({ hits, misses }) => (hits + misses === 0 ? "–" : formatPercent(hits / (hits + misses))),
  },
];
