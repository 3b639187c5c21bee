import type { ArtifactRoute } from "../deployments/artifact.ts";
import type { StartableVersion } from "../deployments/starter.ts";
import type { Sandbox } from "../sandbox/protocol.ts";
import type { RouteRequests } from "../telemetry/gateway-metrics.ts";
import type { RequestOrigin } from "../telemetry/log.ts";
import type { Policy } from "./policy.ts";

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
