import { notFound } from "../../../core/problems/problem.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import { findDeployment } from "../deployments.ts";
import * as versionStore from "./version-store.ts";
import { readArtifact } from "./versions.ts";

/** The routes of a version, by default the one that serves. What policies are set to is not among it: it may hold secrets. */
export async function routeTable(reads: Reads, accountSeq: number, name: string, number: number | undefined) {
  const deployment = await findDeployment(reads, accountSeq, name);
  const version = await (number === undefined
    ? deployment.active_version_seq === null
      ? undefined
      : versionStore.findVersionBySeq(reads, deployment.active_version_seq)
    : versionStore.findVersion(reads, deployment.seq, number));
  if (!version) throw notFound("version");
  const artifact = await readArtifact(reads, deployment.seq, version.artifact_hash);
  if (!artifact) throw notFound("version");
  const { routes, policies } = artifact;
  return {
    version: version.number,
    data: routes.map(({ method, path, operationId, target, timeoutSeconds, policies: names }) => ({
      method,
      path,
      ...(operationId === undefined ? {} : { operationId }),
      policies: names.map((policy) => ({ name: policy, type: policies[policy]?.type ?? policy })),
      target,
      timeoutSeconds,
    })),
  };
}
