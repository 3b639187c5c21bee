import type { Artifact } from "../../core/artifact/artifact.ts";

/** A version that can be given traffic. */
export interface StartableVersion {
  deploymentName: string;
  accountSeq: number;
  accountName: string;
  deploymentSeq: number;
  versionSeq: number;
  artifactHash: string;
  artifact: Artifact;
  /** Whether it will serve production, where that can change with it. */
  willBeProduction?: boolean;
}

/** What runs versions: the gateway. */
export interface Starter {
  /** Gets a version ready and checks its health, without giving it traffic. Throws a StartFailure if it is not well. */
  prepare(version: StartableVersion): Promise<void>;
}

/** The message is for the person who deployed. */
export class StartFailure extends Error {}
