import type { Artifact } from "../../../core/artifact/artifact.ts";
import type { SecretUse } from "../../../core/artifact/build-report.ts";

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

/** What keeps a version from starting: its message is for the person who deployed. */
export interface StartFault {
  message: string;
  /** Where it is about a secret. */
  use?: SecretUse | undefined;
}

/** The message is that of the first fault. */
export class StartFailure extends Error {
  readonly faults: readonly StartFault[];

  constructor(faults: string | readonly StartFault[], options?: ErrorOptions) {
    const all = typeof faults === "string" ? [{ message: faults }] : faults;
    super(all[0]?.message, options);
    this.faults = all;
  }
}
