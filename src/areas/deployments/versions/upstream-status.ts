/** `unchecked`: neither health checks nor ejection could tell. */
export type TargetCondition = "up" | "unhealthy" | "ejected" | "unchecked";

/** What a node knows of a target. */
export interface TargetStatus {
  state: TargetCondition;
  /** Of an ejected one: when a request may try it again. */
  ejectedUntil: number | undefined;
  consecutiveErrors: number;
  inFlight: number;
  lastCheck: { time: number; passed: boolean; status: number | undefined; error: string | undefined } | undefined;
}

export interface UpstreamStatus {
  targets: TargetStatus[];
}

/** What knows the upstreams of deployments: the gateway. */
export interface UpstreamStatuses {
  /** Upstreams with options, by their index in the artifact of the version. Undefined if it does not run on this node. */
  upstreams(deploymentName: string): readonly (UpstreamStatus | undefined)[] | undefined;
}
