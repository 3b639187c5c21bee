import { Confirm } from "../../../components/confirm.tsx";
import { Notice } from "../../../components/notice.tsx";
import { SkeletonLines } from "../../../components/skeleton.tsx";
import { toast } from "../../../components/toast.tsx";
import { useSession } from "../../queries/session.tsx";
import { type DeployedRoute, targetOf, useRoutes } from "./routes.tsx";
import { useVersions } from "./versions.tsx";

interface Props {
  name: string;
  /** Undefined: the one before the present. */
  version: number | undefined;
  onClose: () => void;
  onDone: () => void;
}

/** Says what will change in routes and policies before it changes. */
export function RollBack({ name, version: named, onClose, onDone }: Props) {
  const { api } = useSession();
  const versions = useVersions(name);
  const active = versions.data?.find(({ isActive }) => isActive)?.number;
  const version = named ?? versions.data?.find(({ number }) => active !== undefined && number < active)?.number;
  const present = useRoutes(name);
  const earlier = useRoutes(name, version);
  const isReady = version !== undefined && present.data && earlier.data;
  const changes = isReady ? differences(present.data.data, earlier.data.data) : [];
  return (
    <Confirm
      title={version === undefined ? "Roll back" : `Roll back to version ${version}?`}
      action={version === undefined ? "Roll back" : `Roll back to ${version}`}
      isSafe
      run={() => api.deployments.rollBack(name, version === undefined ? {} : { version })}
      onClose={onClose}
      onDone={() => {
        onDone();
        toast(`Version ${version} is live`);
        onClose();
      }}
    >
      {versions.data && version === undefined ? (
        <Notice kind="warning">There is no earlier version to go back to.</Notice>
      ) : (
        <p>
          Version {active} stops serving and version {version} takes its place without losing a request. Nothing is
          built, and you can go forward again in the same way.
        </p>
      )}
      {version !== undefined && !isReady && <SkeletonLines count={2} />}
      {isReady && (
        <ul className="stack stack-tight small">
          {changes.length === 0 && <li className="muted">Routes and policies are the same.</li>}
          {changes.map(({ route, text }) => (
            <li key={route + text}>
              <code>{route}</code> <span className="muted">{text}</span>
            </li>
          ))}
        </ul>
      )}
    </Confirm>
  );
}

function differences(from: DeployedRoute[], to: DeployedRoute[]): { route: string; text: string }[] {
  const keyOf = ({ method, path }: DeployedRoute) => `${method} ${path}`;
  const old = new Map(from.map((route) => [keyOf(route), route]));
  const changes: { route: string; text: string }[] = [];
  for (const route of to) {
    const before = old.get(keyOf(route));
    old.delete(keyOf(route));
    if (!before) {
      changes.push({ route: keyOf(route), text: "comes back" });
      continue;
    }
    const chain = ({ policies }: DeployedRoute) => policies.map(({ name }) => name).join(" → ") || "none";
    if (chain(before) !== chain(route))
      changes.push({ route: keyOf(route), text: `policies: ${chain(before)} become ${chain(route)}` });
    if (targetOf(before) !== targetOf(route))
      changes.push({ route: keyOf(route), text: `target: ${targetOf(before)} becomes ${targetOf(route)}` });
  }
  return [...changes, ...[...old.keys()].map((route) => ({ route, text: "goes away" }))];
}
