import { useQuery } from "@tanstack/react-query";
import { History } from "lucide-react";
import { Badge } from "../../../components/badge.tsx";
import { Button } from "../../../components/button.tsx";
import { EmptyState, LoadError } from "../../../components/notice.tsx";
import { SkeletonLines } from "../../../components/skeleton.tsx";
import { RelativeTime } from "../../../components/time.tsx";
import { formatBytes, plural } from "../../../lib/format.ts";
import { useSession } from "../../queries/session.tsx";

export function useVersions(name: string) {
  const { api } = useSession();
  return useQuery({
    queryKey: ["deployment", name, "versions"],
    queryFn: async ({ signal }) => (await api.deployments.versions(name, { signal }).all()).reverse(),
  });
}

/** What builds made, the newest first. Each can serve again. */
export function DeploymentVersions({ name, onRollBack }: { name: string; onRollBack: (version: number) => void }) {
  const { canEdit } = useSession();
  const versions = useVersions(name);
  if (versions.error) return <LoadError error={versions.error} onRetry={() => versions.refetch()} />;
  if (!versions.data) return <SkeletonLines />;
  if (versions.data.length === 0)
    return (
      <EmptyState icon={<History size={20} aria-hidden />} title="No versions yet">
        Every build that succeeds makes a version. Earlier ones stay at hand to go back to.
      </EmptyState>
    );
  return (
    <ol className="timeline card">
      {versions.data.map(({ number, createdOn, routes, artifact, isActive }) => (
        <li key={number}>
          <span className="dot" data-active={isActive || undefined} />
          <div>
            <div className="row">
              <span className="strong">Version {number}</span>
              {isActive && <Badge tone="green">Live</Badge>}
            </div>
            <div className="small muted row row-wrap">
              <RelativeTime time={createdOn} />
              <span>{plural(routes, "route")}</span>
              <span>{formatBytes(artifact.bytes)}</span>
              <code title={artifact.sha256}>{artifact.sha256.slice(0, 12)}</code>
            </div>
          </div>
          {!isActive && canEdit && (
            <Button isSmall onClick={() => onRollBack(number)}>
              Roll back to {number}
            </Button>
          )}
        </li>
      ))}
    </ol>
  );
}
