import type { Artifact } from "../../../../core/artifact/artifact.ts";
import type { SecretUse } from "../../../../core/artifact/build-report.ts";

/** A version that is ready to serve. */
export interface StartableVersion {
  deploymentName: string;
  accountSeq: number;
  accountName: string;
  deploymentSeq: number;
  versionSeq: number;
  versionNumber: number;
  artifactHash: string;
  artifact: Artifact;
  /** Whether it will serve production, if that can change with it. */
  willBeProduction?: boolean;
}

/** Starts versions; implemented by the gateway. */
export interface Starter {
  /**
   * Prepares a version and checks its health, without sending it traffic. Throws a StartFailure if it is not healthy.
   */
  prepare(version: StartableVersion): Promise<void>;
}

/** Why a version does not start. The message is for the user who deployed. */
export interface StartFault {
  message: string;
  /** Set if the error concerns a secret. */
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
