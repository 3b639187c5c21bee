/** `unchecked`: there are neither health checks nor ejection. */
type TargetCondition = "up" | "unhealthy" | "ejected" | "unchecked";

/** The status of a target on one node. */
export interface TargetStatus {
  state: TargetCondition;
  /** For an ejected target: when a request may try it again. */
  ejectedUntil: number | undefined;
  consecutiveErrors: number;
  inFlight: number;
  lastCheck: { time: number; passed: boolean; status: number | undefined; error: string | undefined } | undefined;
}

export interface UpstreamStatus {
  targets: TargetStatus[];
}

/** Provides the status of upstreams; implemented by the gateway. */
export interface UpstreamStatuses {
  /**
   * Returns upstreams with options, by their index in the artifact of the version: the live one or its canary.
   * Undefined if it does not run on this node.
   */
  upstreams(
    deploymentName: string,
    versionNumber: number,
  ): readonly (UpstreamStatus | undefined)[] | undefined | Promise<readonly (UpstreamStatus | undefined)[] | undefined>;
}
