import type { AssumedKey } from "../../areas/gateways/deployments/try-requests/try-request.ts";
import type { DecisionDetail } from "../../areas/insight/request-log/request-record.ts";
import type { ArtifactRoute } from "../../core/artifact/artifact.ts";
import type { ProblemCode } from "../../core/problems/catalogue.ts";
import type { SubscriptionTerms } from "../../counting/quotas/quota-definition.ts";
import type { FailedAttempt } from "../../platform/http1/client/client-request.ts";
import type { Body } from "../../platform/http1/message/body.ts";
import type { HttpHeaders } from "../../platform/http1/message/headers.ts";
import type { HttpRequest } from "../../platform/http1/message/http-request.ts";
import type { TraceContext } from "../../platform/telemetry/trace-context.ts";
import type { RequestTrace } from "../../platform/telemetry/tracer.ts";
import type { CodeContext } from "../sandbox/protocol.ts";
import type { DetachedResponse } from "./detached-response.ts";
import type { McpMessage, McpUse, ParentMessage } from "./mcp-use.ts";
import type { ModelErrorShape } from "./model-errors.ts";
import type { CountedCall, ModelUse } from "./model-use.ts";
import type { DoneDetail, Holder, Observation, PendingDecision, PolicyState, RequestContext, User } from "./policy.ts";
import type { RunningRoute, ServingVersion } from "./running-route.ts";

/** A request as received, before routing. */
export interface IncomingRequest {
  readonly request: HttpRequest;
  readonly requestId: string;
  readonly ip: string;
  /** The host, which identifies the deployment. */
  readonly host: string;
  /** The time of day, and the same moment on the monotonic clock. */
  readonly now: number;
  readonly started: number;
  /** The path as sent, with dot segments resolved, and without the prefix of a mount that strips it. */
  readonly path: string;
  readonly search: string;
  /** Continued from the client's `traceparent`, or begun here if spans are exported. */
  readonly trace: TraceContext | undefined;
  /** Set only if its spans are exported. */
  readonly sampled: RequestTrace | undefined;
  /** The key that a try request uses. Other requests have none. */
  asKey?: AssumedKey;
  /** The message of an agent that called a tool. */
  parent?: ParentMessage;
  /** The key or authorization whose rate limit has counted the request already; true if nothing is counted. */
  countedSubject?: string | true | undefined;
  /** The path of the mount, unless it is `/`. */
  mountPath?: string;
  /** The prefix that a mount has stripped. */
  prefix?: string;
  /** The format of errors of a request without a route, below the prefix of a models route. */
  errorShape?: ModelErrorShape | undefined;
  /** The problem of a request without a route. */
  rejection?: ProblemCode | undefined;
  rejectionDetail?: string | undefined;
  decisionDetail?: DecisionDetail | undefined;
  /** The number of the version that `x-tollgate-version` selects. */
  testedVersion?: number | undefined;
}

/** One request and its response, on a route of a running version. */
export class Exchange implements RequestContext {
  static #decisionGroups = 0;
  user: User | undefined;
  consumerId: string | undefined;
  keyBucket: string | undefined;
  keyId: string | undefined;
  client: string | undefined;
  permissions: readonly string[] | undefined;
  terms: SubscriptionTerms | undefined;
  body: Buffer | Body | undefined;
  responseHeaders: HttpHeaders | undefined;
  modelCall: CountedCall | undefined;
  modelUse: ModelUse | undefined;
  detachedResponse: DetachedResponse | undefined;
  mcpMessage: Promise<McpMessage> | undefined;
  /** Set by the handler `mcp`. */
  mcp: McpUse | undefined;
  /** The headers with which the caller of a route with the handler `mcp` authenticates: policies remove them. */
  credentials: [name: string, value: string][] | undefined;
  /** The Host header of the client. */
  clientHost: string | undefined;
  rejection: ProblemCode | undefined;
  rejectionDetail: string | undefined;
  decisionDetail: DecisionDetail | undefined;
  rejectedHolder: Holder | undefined;
  state: PolicyState | undefined;
  pendingDecision: PendingDecision | undefined;
  /** The index after the last policy whose decision was prefetched. */
  prefetchedUntil = 0;
  #decisionGroup = 0;
  /** The results of the policies' `done`, by their index on the route. */
  doneDetails: DoneDetail[] | undefined;
  /** What policies in `observe` have found, by their index on the route. */
  observations: (Observation | undefined)[] | undefined;
  /** The error, only for the log. */
  failure: unknown;
  /** Whether a policy in the project's code responded with 4xx. */
  isRejectedByCode = false;
  /** The number of policies that were entered and not left. */
  entered = 0;
  /** When each policy returned, if requests are recorded. */
  marks: Float64Array | undefined;
  /** The index of the policy that responded; the number of policies if the target did; -1 before. */
  stoppedAt = -1;
  isPreflight = false;
  targetEnded = 0;
  attempts = 0;
  /** The last tried target of an upstream with several targets. */
  targetUrl: string | undefined;
  /** The failed attempts before the last one. */
  failedAttempts: readonly FailedAttempt[] | undefined;
  /** The id of the span that the target continues. */
  targetSpanId: string | undefined;

  readonly route: ArtifactRoute;
  readonly request: HttpRequest;
  readonly search: string;
  readonly now: number;
  readonly requestId: string;
  readonly ip: string;
  readonly headers: HttpHeaders;
  readonly isWebSocket: boolean;
  /** The method of the request to the target, which a policy in code may change. */
  method: string;
  path: string;
  query: string;

  constructor(
    readonly incoming: IncomingRequest,
    readonly version: ServingVersion,
    readonly running: RunningRoute,
    readonly params: Readonly<Record<string, string>>,
  ) {
    const { request } = incoming;
    this.route = running.route;
    this.request = request;
    this.search = incoming.search;
    this.query = incoming.search;
    this.path = incoming.path;
    this.now = incoming.now;
    this.requestId = incoming.requestId;
    this.ip = incoming.ip;
    this.method = request.method;
    this.isWebSocket = this.method === "GET" && request.headers.get("upgrade")?.toLowerCase() === "websocket";
    this.headers = request.headers;
  }

  /** The number of policies that let the request continue, after one of them or the target has responded. */
  get continued(): number {
    return this.isPreflight ? 0 : Math.max(0, this.stoppedAt);
  }

  get decisionGroup(): number {
    if (this.#decisionGroup === 0) this.#decisionGroup = ++Exchange.#decisionGroups;
    return this.#decisionGroup;
  }

  /** Whether a policy has requested a decision from another process. */
  get hasDecisionGroup(): boolean {
    return this.#decisionGroup !== 0;
  }

  get mountPath(): string | undefined {
    return this.incoming.mountPath;
  }

  get countedSubject(): string | true | undefined {
    return this.incoming.countedSubject;
  }

  get asKey(): AssumedKey | undefined {
    return this.incoming.asKey;
  }

  /** Path and query of the request to the target, after its base path. */
  get address(): string {
    return this.query === "" ? this.path : `${this.path}?${this.query}`;
  }

  /** The URL as the client sees it. */
  url(protocol: string): string {
    return `${protocol}://${this.incoming.host}${this.address}`;
  }

  codeContext(options?: unknown): CodeContext {
    const { path, method, operationId } = this.route;
    return {
      requestId: this.requestId,
      user: this.user && {
        ...this.user,
        keyId: this.keyId,
        client: this.client,
        permissions: this.permissions,
        ...this.terms,
      },
      params: this.params,
      ...(this.incoming.trace ? { traceparent: this.headers.get("traceparent") ?? undefined } : {}),
      route: operationId === undefined ? { path, method } : { path, method, operationId },
      ...(options === undefined ? {} : { options }),
    };
  }
}

/** Splits a path or URL into path and query; a fragment is removed. */
export function splitUrl(url: string): { path: string; search: string } {
  const from = url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("//") + 2);
  if (from === -1) return { path: "/", search: "" };
  const hash = url.indexOf("#", from);
  const end = hash === -1 ? url.length : hash;
  const mark = url.indexOf("?", from);
  if (mark === -1 || mark >= end) return { path: url.slice(from, end), search: "" };
  return { path: url.slice(from, mark), search: url.slice(mark + 1, end) };
}
