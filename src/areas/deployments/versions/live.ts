import type { Artifact } from "../../../core/artifact/artifact.ts";

/** A deployment that serves, and the version it points to. */
export interface LiveDeployment {
  name: string;
  deploymentSeq: number;
  accountSeq: number;
  accountName: string;
  versionSeq: number;
  artifactHash: string;
}

/** The gateway's access to deployments. */
export interface LiveDeployments {
  /** Synchronous if it is cached. Returns undefined if no deployment of that name serves. */
  find(name: string): LiveDeployment | undefined | Promise<LiveDeployment | undefined>;
  artifact(deployment: LiveDeployment): Promise<Artifact>;
}
