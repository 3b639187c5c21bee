import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { GitCompare, History } from "lucide-react";
import { useState } from "react";
import { Badge } from "../../../components/badge.tsx";
import { Button } from "../../../components/button.tsx";
import { EmptyState, LoadError } from "../../../components/notice.tsx";
import { SkeletonLines } from "../../../components/skeleton.tsx";
import { RelativeTime } from "../../../components/time.tsx";
import { formatBytes, plural } from "../../../lib/format.ts";
import { useRead, useSession } from "../../queries/session.tsx";
import { VersionDiff } from "./version-diff.tsx";

const route = getRouteApi("/frame/deployments/$name");

export function useVersions(name: string) {
  return useRead(["deployment", name, "versions"], async (api, { signal }) =>
    (await api.deployments.versions(name, { signal }).all()).reverse(),
  );
}

/** The built versions, newest first. Each can be activated again, and any two can be compared. */
export function DeploymentVersions({ name, onRollBack }: { name: string; onRollBack: (version: number) => void }) {
  const { deniedEdit } = useSession();
  const search = route.useSearch();
  const versions = useVersions(name);
  if (versions.error) return <LoadError error={versions.error} onRetry={() => versions.refetch()} />;
  if (!versions.data) return <SkeletonLines />;
  if (versions.data.length === 0)
    return (
      <EmptyState icon={<History size={20} aria-hidden />} title="No versions yet" guide="gateway-project">
        Every successful build creates a version. You can roll back to earlier ones.
      </EmptyState>
    );
  const numbers = versions.data.map(({ number }) => number);
  const active = versions.data.find(({ isActive }) => isActive)?.number;
  const [from, to] = [Number(search.from), Number(search.to)];
  return (
    <div className="stack">
      {numbers.length > 1 && <Compare key={`${search.from} ${search.to}`} numbers={numbers} from={from} to={to} />}
      {from > 0 && to > 0 && <VersionDiff name={name} from={from} to={to} />}
      <ol className="timeline card">
        {versions.data.map(({ number, createdOn, routes, artifact, isActive, author, note }) => (
          <li key={number}>
            <span className="dot" data-active={isActive || undefined} />
            <div>
              <div className="row">
                <span className="strong">Version {number}</span>
                {isActive && <Badge tone="green">Live</Badge>}
              </div>
              {note && <p className="version-note">{note}</p>}
              <div className="small muted row row-wrap">
                {author && <span>by {author.name ?? author.type}</span>}
                <RelativeTime time={createdOn} />
                <span>{plural(routes, "route")}</span>
                <span>{formatBytes(artifact.bytes)}</span>
                <code title={artifact.sha256}>{artifact.sha256.slice(0, 12)}</code>
              </div>
            </div>
            {!isActive && (
              <Button isSmall denied={deniedEdit} onClick={() => onRollBack(number)}>
                {switchLabel(number, active)} {number}
              </Button>
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}

/** The label for switching to a version: after a roll-back, some versions are newer than the active one. */
export function switchLabel(version: number, active: number | undefined): string {
  return active !== undefined && version > active ? "Go forward to" : "Roll back to";
}

/** Selects the two versions; by default the newest and the previous one. */
function Compare({ numbers, from, to }: { numbers: number[]; from: number; to: number }) {
  const navigate = useNavigate();
  const [old, setOld] = useState(from || numbers[1]!);
  const [next, setNext] = useState(to || numbers[0]!);
  const choice = (label: string, value: number, onChange: (value: number) => void) => (
    <select
      className="input input-narrow"
      aria-label={label}
      value={value}
      onChange={(event) => onChange(Number(event.target.value))}
    >
      {numbers.map((number) => (
        <option key={number} value={number}>
          Version {number}
        </option>
      ))}
    </select>
  );
  return (
    <div className="compare">
      {choice("Compare version", old, setOld)}
      <span className="muted">with</span>
      {choice("With version", next, setNext)}
      <Button
        icon={GitCompare}
        disabled={old === next}
        onClick={() => navigate({ to: ".", search: { tab: "versions", from: String(old), to: String(next) } })}
      >
        Compare
      </Button>
    </div>
  );
}
