import { Badge } from "../../../components/badge.tsx";
import { Button } from "../../../components/button.tsx";
import { Code } from "../../../components/copy.tsx";
import { Facts } from "../../../components/facts.tsx";
import { LoadError } from "../../../components/notice.tsx";
import { SidePanel } from "../../../components/side-panel.tsx";
import { SkeletonLines } from "../../../components/skeleton.tsx";
import { ranges, timesOf } from "../../queries/range.ts";
import { useRead, useSession } from "../../queries/session.tsx";
import { OutcomeChart } from "../home/traffic.tsx";
import { type DeployedRoute, targetsOf } from "./deployed-routes.ts";
import { isObserving, ModeBadge, ObservedPolicy } from "./observed.tsx";
import { useEditPolicy, useSimpleProject } from "./policies.tsx";
import { TryRoute } from "./try/try-route.tsx";
import { useContents } from "./version-diff.tsx";

interface Props {
  deployment: string;
  version: number;
  route: DeployedRoute;
  onClose: () => void;
}

const range = ranges.day!;

/** A route with its target, the options of its policies, and its requests of the last day. */
export function RoutePanel({ deployment, version, route, onClose }: Props) {
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
