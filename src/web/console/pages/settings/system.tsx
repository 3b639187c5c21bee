import { useQuery } from "@tanstack/react-query";
import { Badge } from "../../../components/badge.tsx";
import { LoadError } from "../../../components/notice.tsx";
import { SkeletonLines } from "../../../components/skeleton.tsx";
import { signedIn, useSession } from "../../queries/session.tsx";

const engines = { sqlite: "SQLite, in the data directory", postgres: "PostgreSQL" };

export function SystemSettings() {
  const { account, identity } = useSession();
  const server = useQuery({
    queryKey: ["readiness"],
    queryFn: ({ signal }) => signedIn.readiness({ signal }),
    refetchInterval: 5000,
  });
  if (server.error) return <LoadError error={server.error} onRetry={() => server.refetch()} />;
  if (!server.data) return <SkeletonLines />;
  const { status, reason, version, storage, feed } = server.data;
  return (
    <div className="stack">
      <dl className="facts card">
        <dt>Server</dt>
        <dd>
          {status === "ready" ? <Badge tone="green">Ready</Badge> : <Badge tone="red">Not ready: {reason}</Badge>}
        </dd>
        <dt>Version</dt>
        <dd>{version}</dd>
        <dt>Storage</dt>
        <dd>{storage && engines[storage]}</dd>
        <dt>Change feed</dt>
        <dd>{feed === "fresh" ? <Badge tone="green">Fresh</Badge> : <Badge tone="amber">{feed}</Badge>}</dd>
        <dt>Address</dt>
        <dd>
          <code>{window.location.origin}</code>
        </dd>
        <dt>Account</dt>
        <dd>{account}</dd>
        <dt>Role</dt>
        <dd>{identity.role}</dd>
      </dl>
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
