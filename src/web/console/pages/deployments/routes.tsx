import { Route } from "lucide-react";
import { EmptyState, LoadError } from "../../../components/notice.tsx";
import { type Column, Table } from "../../../components/table.tsx";
import { statusOf } from "../../../lib/errors.ts";
import { PanelLink, usePanel } from "../../shell/panel-links.tsx";
import { type DeployedRoute, targetsOf, useRoutes } from "./deployed-routes.ts";
import { ModeBadge } from "./observed.tsx";
import { RoutePanel } from "./route-panel.tsx";

/** The routes of the active version: method, path, policies and target. */
export function DeploymentRoutes({ name }: { name: string }) {
  const routes = useRoutes(name);
  const panel = usePanel("route");
  const open = routes.data?.data.find((route) => keyOf(route) === panel.shown);
  if (statusOf(routes.error) === 404)
    return (
      <EmptyState icon={<Route size={20} aria-hidden />} title="No version serves yet" guide="gateway-project">
        Deploy the project: its routes are listed here as soon as a version is live.
      </EmptyState>
    );
  if (routes.error) return <LoadError error={routes.error} onRetry={() => routes.refetch()} />;
  const columns: Column<DeployedRoute>[] = [
    {
      label: "Route",
      render: (route) => (
        <PanelLink panel="route" id={keyOf(route)} className="mono">
          {keyOf(route)}
        </PanelLink>
      ),
    },
    {
      label: "Policies",
      render: ({ policies }) =>
        policies.length === 0 ? (
          <span className="muted">None: open to all callers</span>
        ) : (
          <span className="row row-wrap">
            {policies.map((policy) => (
              <span className="tag" key={policy.name} title={`${policy.name}, of type ${policy.type}`}>
                <span>{policy.name}</span>
                <ModeBadge policy={policy} />
              </span>
            ))}
          </span>
        ),
    },
    { label: "Target", render: (route) => <Target targets={targetsOf(route)} /> },
    { label: "Timeout", isNumber: true, isMinor: true, render: ({ timeoutSeconds }) => `${timeoutSeconds} s` },
  ];
  return (
    <>
      <Table
        caption={`Routes of ${name}`}
        columns={columns}
        rows={routes.data?.data}
        keyOf={keyOf}
        onOpen={(route) => panel.open(keyOf(route))}
        openRow={open && panel.shown}
        skeletonRows={4}
      />
      {open && <RoutePanel deployment={name} version={routes.data!.version} route={open} onClose={panel.close} />}
    </>
  );
}

/** The first target, and how many more there are: all of them would push the policies aside. */
function Target({ targets }: { targets: string[] }) {
  const [first, ...others] = targets;
  return (
    <span title={targets.join("\n")}>
      <span className="mono">{first}</span>
      {others.length > 0 && <span className="small muted"> + {others.length} more</span>}
    </span>
  );
}

const keyOf = ({ method, path }: DeployedRoute): string => `${method} ${path}`;
