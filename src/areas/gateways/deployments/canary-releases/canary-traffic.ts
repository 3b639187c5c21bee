import type { VersionCounts } from "./version-counts.ts";

/** Counts the requests of both versions of a canary release on this node. */
export interface CanaryTraffic {
  readonly live: VersionCounts;
  readonly canary: VersionCounts;
  /** Call it when the release has ended on this node. What was counted is still written. */
  end(): void;
}

/** Shares the counts of canary releases between nodes and aborts releases that fail. */
export interface CanaryWatch {
  watch(release: { deploymentSeq: number; canaryId: string }): CanaryTraffic;
}

/** Opens the values of `x-tollgate-version`. */
export interface TestValues {
  /** The version that the value names. Undefined if it is not valid now for the deployment. */
  open(value: string, deploymentSeq: number, now: number): number | undefined;
}
