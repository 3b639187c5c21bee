import type { z } from "zod";
import type { Artifact } from "../../../../core/artifact/artifact.ts";
import { formatDateTime } from "../../../../lib/time/time.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import { findLiveCanary } from "../store.ts";
import { servedVersion } from "./route-table.ts";
import type { TargetStatus, UpstreamStatus, UpstreamStatuses } from "./upstream-status.ts";
import type { deployedUpstreams } from "./upstreams-schema.ts";
import { withNamesOfSecrets } from "./version-contents.ts";

type DeployedUpstreams = z.output<typeof deployedUpstreams>;
type DeployedUpstream = DeployedUpstreams["data"][number];

/**
 * Returns the upstreams of the live version and, during a canary release, of the canary, each with the status of its
 * targets on this node.
 */
export async function upstreamsOf(
  reads: Reads,
  accountSeq: number,
  name: string,
  statuses: UpstreamStatuses,
): Promise<DeployedUpstreams> {
  const live = await servedVersion(reads, accountSeq, name, undefined);
  const { version } = live;
  const canary = await findLiveCanary(reads, { deployment_seq: version.deployment_seq, version_seq: version.seq });
  const served = canary ? [live, await servedVersion(reads, accountSeq, name, canary.version_number)] : [live];
  const data = await Promise.all(
    served.map(async ({ version: { number }, artifact }) =>
      upstreamsOfVersion(number, artifact, await statuses.upstreams(name, number)),
    ),
  );
  return { version: version.number, data: data.flat() };
}

function upstreamsOfVersion(
  version: number,
  artifact: Artifact,
  running: readonly (UpstreamStatus | undefined)[] | undefined,
): DeployedUpstream[] {
  const { upstreams = [], routes } = withNamesOfSecrets(artifact);
  const balanced = upstreams.map((upstream, index): DeployedUpstream => {
    const { balance, hashBy, maxConnections, health, ejection, retries, tls } = upstream;
    return {
      version,
      targets: upstream.targets.map((target, at) => ({ ...target, ...present(running?.[index]?.targets[at]) })),
      balance,
      ...(hashBy !== undefined && { hashBy }),
      hasHealthChecks: health !== undefined,
      hasEjection: ejection !== undefined,
      hasRetries: retries !== undefined,
      usesOwnTls: tls !== undefined,
      ...(maxConnections !== undefined && { maxConnections }),
      routes: routes.filter(({ target }) => "balanced" in target && target.balanced === index).length,
    };
  });
  return [...balanced, ...plainUpstreams(version, routes)];
}

/** Upstreams without options have no status, only a URL. */
function plainUpstreams(version: number, routes: Artifact["routes"]): DeployedUpstream[] {
  const counts = new Map<string, number>();
  for (const { target } of routes)
    if ("upstream" in target && target.balanced === undefined)
      counts.set(target.upstream, (counts.get(target.upstream) ?? 0) + 1);
  return [...counts].map(([url, count]) => ({
    version,
    targets: [{ url, weight: 1, ...present(undefined) }],
    balance: "round-robin",
    hasHealthChecks: false,
    hasEjection: false,
    hasRetries: false,
    usesOwnTls: false,
    routes: count,
  }));
}

function present(status: TargetStatus | undefined) {
  if (!status) return { state: "unchecked" as const, consecutiveErrors: 0, inFlight: 0 };
  const { state, ejectedUntil, consecutiveErrors, inFlight, lastCheck } = status;
  return {
    state,
    ...(ejectedUntil !== undefined && { ejectedUntil: formatDateTime(ejectedUntil) }),
    consecutiveErrors,
    inFlight,
    ...(lastCheck && {
      lastCheck: {
        time: formatDateTime(lastCheck.time),
        passed: lastCheck.passed,
        ...(lastCheck.status !== undefined && { status: lastCheck.status }),
        ...(lastCheck.error !== undefined && { error: lastCheck.error }),
      },
    }),
  };
}
