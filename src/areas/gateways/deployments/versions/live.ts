import type { Artifact } from "../../../../core/artifact/artifact.ts";
import type { LiveCanaryRow } from "../store.ts";

export type StickyBy = "credential" | "ip";

/** A second version that serves a share of the requests. */
export interface LiveCanary {
  /** The release: another id means new counts. */
  id: string;
  versionSeq: number;
  versionNumber: number;
  artifactHash: string;
  /** The share of requests that it serves, from 0 to 1. */
  share: number;
  /**
   * The property by which requests are assigned to the same version. Undefined if each request is assigned separately.
   */
  stickyBy?: StickyBy | undefined;
}

export function liveCanaryOf(liveCanary: LiveCanaryRow): LiveCanary {
  return {
    id: liveCanary.id,
    versionSeq: liveCanary.version_seq,
    versionNumber: liveCanary.version_number,
    artifactHash: liveCanary.artifact_hash,
    share: liveCanary.weight / (liveCanary.weight + liveCanary.live_weight),
    ...(liveCanary.sticky_by !== null && { stickyBy: liveCanary.sticky_by as StickyBy }),
  };
}

/** A deployment that serves, and the version it points to. */
export interface LiveDeployment {
  name: string;
  deploymentSeq: number;
  accountSeq: number;
  accountName: string;
  versionSeq: number;
  versionNumber: number;
  artifactHash: string;
  canary?: LiveCanary | undefined;
}

/** The gateway's access to deployments. */
export interface LiveDeployments {
  /** Synchronous if it is cached. Returns undefined if no deployment of that name serves. */
  find(name: string): LiveDeployment | undefined | Promise<LiveDeployment | undefined>;
  artifact(version: { deploymentSeq: number; versionSeq: number; artifactHash: string }): Promise<Artifact>;
}
