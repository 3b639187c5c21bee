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

/** What the gateway needs of deployments. */
export interface LiveDeployments {
  /** Without a promise where memory knows. Undefined: no deployment of that name serves. */
  find(name: string): LiveDeployment | undefined | Promise<LiveDeployment | undefined>;
  artifact(deployment: LiveDeployment): Promise<Artifact>;
}
