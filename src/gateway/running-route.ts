import type { StartableVersion } from "../areas/deployments/starter.ts";
import type { ArtifactRoute } from "../core/artifact/artifact.ts";
import type { RouteRequests } from "../core/metrics/gateway-metrics.ts";
import type { RequestOrigin } from "../platform/telemetry/log.ts";
import type { Policy } from "./policy.ts";
import type { Sandbox } from "./sandbox/protocol.ts";

export interface RunningRoute {
  readonly route: ArtifactRoute;
  readonly policies: readonly Policy[];
  /** Of the request before, for the log: often the next one is like it. */
  lastPath: string | undefined;
  lastOrigin: RequestOrigin | undefined;
  /** As the metrics count them, from the first one on. */
  requests: RouteRequests | undefined;
}

/** What an exchange has to know of the version that serves it. */
export interface ServingVersion {
  readonly deployment: Omit<StartableVersion, "artifact">;
  /** What routes with a handler run in. */
  readonly code: Sandbox;
  /** One exchange less is under way. */
  leave(): void;
}
