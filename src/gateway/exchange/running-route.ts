import type { VersionCounts } from "../../areas/gateways/deployments/canary-releases/version-counts.ts";
import type { StartableVersion } from "../../areas/gateways/deployments/versions/starter.ts";
import type { ArtifactRoute } from "../../core/artifact/artifact.ts";
import type { ArtifactTool, McpTarget } from "../../core/artifact/mcp-schema.ts";
import type { RouteRequests } from "../../core/metrics/gateway-metrics.ts";
import type { RequestOrigin } from "../../platform/telemetry/log.ts";
import type { ModelsRoute } from "../models/targets/running-models.ts";
import type { Sandbox } from "../sandbox/protocol.ts";
import type { BalancedUpstream } from "../upstreams/balanced-upstream.ts";
import type { OwnOrigin } from "../upstreams/own-origin.ts";
import type { Policy } from "./policy.ts";

/** The type and name of a policy, for request records. */
export interface PolicyStep {
  readonly policy: string;
  readonly type: string;
  /** See PolicyPlace. */
  readonly observes: boolean;
}

/** A policy in `observe` of a route, as it is counted. */
export interface ObservingStep {
  /** Its index. */
  readonly at: number;
  readonly policy: string;
  readonly route: { readonly path: string };
}

export interface RunningRoute {
  readonly route: ArtifactRoute;
  readonly policies: readonly Policy[];
  /** The name of each policy, in the same order. */
  readonly steps: readonly PolicyStep[];
  /** The policies in `observe`. Undefined if there are none. */
  readonly observing: readonly ObservingStep[] | undefined;
  /** Headers that are forwarded only on this route. */
  readonly forwardHeaders: ReadonlySet<string> | undefined;
  /** Whether a policy has `done`, which runs after the last byte of a response. */
  readonly awaitsDone: boolean;
  /** The target, unless there is a handler: one upstream, or one with options. */
  readonly origin: OwnOrigin | undefined;
  readonly balanced: BalancedUpstream | undefined;
  /** The operation of the handler `models`, if that is the target. */
  readonly models: ModelsRoute | undefined;
  /** The tools of the handler `mcp`, if that is the target. */
  readonly mcp: McpRoute | undefined;
  /** Reusable buffers for the times of policies: one for each request would be garbage. */
  readonly freeMarks: Float64Array[];
  /** The path of the previous request, for the log: the next one often has the same. */
  lastPath: string | undefined;
  lastOrigin: RequestOrigin | undefined;
  /** Its counters in the metrics, created by the first request. */
  requests: RouteRequests | undefined;
}

/** A route that a path leads to. */
export interface FoundOperation {
  running: RunningRoute;
  params: Readonly<Record<string, string>>;
}

/** The target of a route with the handler `mcp`. */
export interface McpRoute {
  options: McpTarget["mcp"];
  /** Tools by name. */
  tools: ReadonlyMap<string, ArtifactTool>;
  /** The headers with which callers authenticate. */
  credentialHeaders: readonly string[];
  /** Finds the route of a path in the same version. Undefined if there is none, or none that is certain. */
  find(path: string, method: string): FoundOperation | undefined;
  /** The route of a tool. */
  routeOf(tool: Pick<ArtifactTool, "binding">): RunningRoute;
}

/** The parts of a version that an exchange needs. */
export interface ServingVersion {
  readonly deployment: Omit<StartableVersion, "artifact">;
  /** The sandbox of routes with a handler. */
  readonly code: Sandbox;
  /** Counts its requests during a canary release. */
  counts: VersionCounts | undefined;
  /** Call it when an exchange begins. */
  enter(now: number): void;
  /** Call it when an exchange has ended. */
  leave(): void;
}
