import type { StartableVersion } from "../areas/deployments/versions/starter.ts";
import type { ArtifactRoute } from "../core/artifact/artifact.ts";
import type { RouteRequests } from "../core/metrics/gateway-metrics.ts";
import type { RequestOrigin } from "../platform/telemetry/log.ts";
import type { Policy } from "./policy.ts";
import type { Sandbox } from "./sandbox/protocol.ts";
import type { BalancedUpstream } from "./upstreams/balanced-upstream.ts";
import type { OwnOrigin } from "./upstreams/own-origin.ts";

/** What a policy is called in the project, for records of requests. */
export interface PolicyStep {
  readonly policy: string;
  readonly type: string;
}

export interface RunningRoute {
  readonly route: ArtifactRoute;
  readonly policies: readonly Policy[];
  /** Of each policy, in the same order. */
  readonly steps: readonly PolicyStep[];
  /** Headers that are removed from requests to other routes. */
  readonly forwardHeaders: ReadonlySet<string> | undefined;
  /** Whether a policy has to be called after the last byte of a response. */
  readonly awaitsDone: boolean;
  /** Where it goes, unless a handler responds: one upstream, or one with options. */
  readonly origin: OwnOrigin | undefined;
  readonly balanced: BalancedUpstream | undefined;
  /** Where the times of policies are measured, for the next request: one for each request would be garbage. */
  readonly freeMarks: Float64Array[];
  /** Of the previous request, for the log: often the next one is like it. */
  lastPath: string | undefined;
  lastOrigin: RequestOrigin | undefined;
  /** Its counters in the metrics, created with the first request. */
  requests: RouteRequests | undefined;
}

/** What an exchange needs of the version that serves it. */
export interface ServingVersion {
  readonly deployment: Omit<StartableVersion, "artifact">;
  /** What routes with a handler run in. */
  readonly code: Sandbox;
  /** One exchange less is under way. */
  leave(): void;
}
