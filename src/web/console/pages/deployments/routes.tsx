import { Route } from "lucide-react";
import { Badge } from "../../../components/badge.tsx";
import { Button } from "../../../components/button.tsx";
import { Code } from "../../../components/copy.tsx";
import { Facts } from "../../../components/facts.tsx";
import { EmptyState, LoadError, SkeletonLines } from "../../../components/notice.tsx";
import { SidePanel } from "../../../components/side-panel.tsx";
import { type Column, List } from "../../../components/table.tsx";
import { statusOf } from "../../../lib/errors.ts";
import { ranges, timesOf } from "../../queries/range.ts";
import { useRead, useSession } from "../../queries/session.tsx";
import { PanelLink, usePanel } from "../../shell/panel-links.tsx";
import { OutcomeChart } from "../home/traffic.tsx";
import { type DeployedRoute, targetsOf, useRoutes } from "./deployed-routes.ts";
import { isObserving, ModeBadge, ObservedPolicy } from "./observed.tsx";
import { useEditPolicy, useSimpleProject } from "./policies.tsx";
import { TryRoute } from "./try/try-route.tsx";
import { useContents } from "./versions.tsx";

/** The routes of the active version: method, path, policies and target. */
export function DeploymentRoutes({ name }: { name: string }) {
  const routes = useRoutes(name);
  const panel = usePanel("route");
  const open = routes.data?.data.find((route) => keyOf(route) === panel.shown);
  if (statusOf(routes.error) === 404)
    return (
      <EmptyState icon={Route} title="No version serves yet" guide="gateway-project">
        Deploy the project: its routes are listed here as soon as a version is live.
      </EmptyState>
    );
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
      <List caption={`Routes of ${name}`} of={routes} columns={columns} keyOf={keyOf} panel={panel} skeletonRows={4} />
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

interface Props {
  deployment: string;
  version: number;
  route: DeployedRoute;
  onClose: () => void;
}

const range = ranges.day!;

/** A route with its target, the options of its policies, and its requests of the last day. */
function RoutePanel({ deployment, version, route, onClose }: Props) {
  const { canEdit } = useSession();
  const contents = useContents(deployment, version);
  const project = useSimpleProject(deployment, version);
  const edit = useEditPolicy();
  const traffic = useRead(
    ["analytics", "route", deployment, route.path],
    (api, { signal }) =>
      api.analytics.ofDeployment(deployment, {
        route: route.path,
        from: timesOf(range).from,
        step: range.step,
        signal,
      }),
    { refetchInterval: range.refetchMs },
  );
  const { method, path, operationId, policies, timeoutSeconds } = route;
  return (
    <SidePanel title={`${method} ${path}`} isWide onClose={onClose}>
      <Facts
        of={{
          [targetsOf(route).length > 1 ? "Targets" : "Target"]: (
            <span className="mono">
              {targetsOf(route).map((target) => (
                <div key={target}>{target}</div>
              ))}
            </span>
          ),
          Operation: operationId && <span className="mono">{operationId}</span>,
          Timeout: <>{timeoutSeconds} s</>,
        }}
      />
      <section className="stack stack-tight">
        <h3>Try it</h3>
        {!canEdit ? (
          <p className="small muted">Editors and admins can send a request from here.</p>
        ) : contents.data ? (
          <TryRoute
            key={`${method} ${path} ${version}`}
            deployment={deployment}
            version={version}
            route={route}
            contents={contents.data.contents}
          />
        ) : (
          !contents.error && <SkeletonLines count={4} />
        )}
      </section>
      <section className="stack stack-tight">
        <h3>Last 24 hours of {path}</h3>
        {traffic.error ? (
          <LoadError error={traffic.error} />
        ) : (
          <OutcomeChart series={traffic.data?.series[0]} range={range} marks={[]} height={160} />
        )}
      </section>
      <section className="stack stack-tight">
        <h3>Policies, in their order</h3>
        {policies.length === 0 && <p className="muted">None: open to all callers.</p>}
        <ol className="stack stack-tight">
          {policies.map((policy) => {
            const { name, type } = policy;
            const options = contents.data?.contents.policies[name]?.options;
            return (
              <li key={name} className="stack stack-tight">
                <span className="row">
                  <span className="strong">{name}</span>
                  <Badge>{type}</Badge>
                  <ModeBadge policy={policy} />
                  {project.data?.settings.policies?.[name] && (
                    <Button isSmall aria-label={`Change ${name}`} onClick={() => edit(name)}>
                      Change…
                    </Button>
                  )}
                </span>
                {isObserving(policy) && <ObservedPolicy deployment={deployment} name={name} />}
                {options !== undefined && options !== null && <Code text={JSON.stringify(options, null, 2)} />}
              </li>
            );
          })}
        </ol>
        {!canEdit && <p className="small muted">Only editors and admins can see the options of policies.</p>}
        {contents.error && <LoadError error={contents.error} />}
      </section>
    </SidePanel>
  );
}
