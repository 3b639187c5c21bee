import type { AssumedKey } from "../../areas/gateways/deployments/try-requests/try-request.ts";
import type { DecisionDetail } from "../../areas/insight/request-log/request-record.ts";
import type { ArtifactRoute } from "../../core/artifact/artifact.ts";
import type { ProblemCode } from "../../core/problems/catalogue.ts";
import type { SubscriptionTerms } from "../../counting/quotas/quota-definition.ts";
import type { Body } from "../../platform/http1/message/body.ts";
import type { HttpHeaders } from "../../platform/http1/message/headers.ts";
import type { HttpRequest } from "../../platform/http1/message/http-request.ts";
import type { HttpResponse } from "../../platform/http1/message/http-response.ts";
import type { DetachedResponse } from "./detached-response.ts";
import type { McpMessage } from "./mcp-use.ts";
import type { CountedCall, ModelUse } from "./model-use.ts";

/** The caller of a request, set by an authentication policy. Handlers get it as `context.user`. */
export interface User {
  /** The name of the consumer. */
  sub: string;
  /** The consumer's metadata. */
  data: Record<string, unknown>;
}

/** The holder of a key or access token. */
export interface Holder {
  readonly keyId: string;
  readonly consumerId: string;
  readonly user: User;
}

/** A request in the view of policies. */
export interface RequestContext {
  /** The request as received. Its headers may have been changed already; the target reads its body. */
  readonly request: HttpRequest;
  readonly route: ArtifactRoute;
  /** Decoded parameters of the path. */
  readonly params: Readonly<Record<string, string>>;
  /** The query without the `?`. */
  readonly search: string;
  readonly now: number;
  readonly requestId: string;
  /** The client's address. */
  readonly ip: string;
  /** The Host header of the client. */
  readonly clientHost: string | undefined;
  /** Where a custom domain has mounted the deployment, unless at `/`. */
  readonly mountPath: string | undefined;
  /** The headers for the target; policies may change them. */
  readonly headers: HttpHeaders;
  /** The method for the target: a policy in code may have changed it. */
  readonly method: string;
  /** The path for the target, after its base path; policies may change it and the query, which has no `?`. */
  path: string;
  query: string;
  /** Path and query together. */
  readonly address: string;
  user: User | undefined;
  consumerId: string | undefined;
  /** The name of the consumer's key bucket. Undefined if the user is no consumer. */
  keyBucket: string | undefined;
  keyId: string | undefined;
  /** A key that the request uses without its value. */
  readonly asKey?: AssumedKey | undefined;
  /** The key or authorization whose rate limit has counted the request already; true if nothing is counted. */
  readonly countedSubject?: string | true | undefined;
  /** The message of a request to a route with the handler `mcp`, once it is read. */
  mcpMessage: Promise<McpMessage> | undefined;
  /** The name of the OAuth client that acts for the consumer. Undefined for a key. */
  client: string | undefined;
  /** The permissions of the key; undefined before authentication. */
  permissions: readonly string[] | undefined;
  terms: SubscriptionTerms | undefined;
  /** Replaces the request's body for the target; undefined to stream that body. */
  body: Buffer | Body | undefined;
  /** Headers to set on any response. */
  responseHeaders: HttpHeaders | undefined;
  /** Set by the handler of a models route. */
  modelCall: CountedCall | undefined;
  /** What a request to a model has used, once its response has ended. */
  modelUse: ModelUse | undefined;
  /** Set by a policy that must read the response even if the client disconnects. */
  detachedResponse: DetachedResponse | undefined;
  /** The code of the rejection, if the gateway rejected the request. */
  rejection: ProblemCode | undefined;
  /** The reason of the rejection in words, for the log. */
  rejectionDetail: string | undefined;
  /** The rule behind a decision and its numbers, for the request record. */
  decisionDetail: DecisionDetail | undefined;
  /** The holder of a key that exists and was rejected. Only for the request record: such a request has no `user`. */
  rejectedHolder: Holder | undefined;
  /** The state of policies between `enter`, `leave` and `done`. */
  state: PolicyState | undefined;
  /** Identifies the decisions that this request needs from another process. */
  readonly decisionGroup: number;
  /** The last of the decisions that policies requested from another process before they are entered. */
  pendingDecision: PendingDecision | undefined;
}

/** A decision that `prefetch` of a policy requested. */
export interface PendingDecision {
  policy: Policy;
  /** Null if an earlier decision of the same group has ended the request. */
  result: Promise<unknown>;
  /** Called with the result if the policy is not entered. */
  undo(result: unknown): void;
  previous: PendingDecision | undefined;
}

/** Adds a decision for `takePendingDecision`. */
export function addPendingDecision(context: RequestContext, decision: Omit<PendingDecision, "previous">): true {
  // The promise may reject before it is awaited.
  decision.result.catch(() => {});
  context.pendingDecision = { ...decision, previous: context.pendingDecision };
  return true;
}

/** Returns and removes the prefetched decision of the policy. Undefined if there is none. */
export function takePendingDecision<Result>(context: RequestContext, policy: Policy): Promise<Result> | undefined {
  let after: PendingDecision | undefined;
  for (let found = context.pendingDecision; found; found = found.previous) {
    if (found.policy === policy) {
      if (after) after.previous = found.previous;
      else context.pendingDecision = found.previous;
      return found.result as Promise<Result>;
    }
    after = found;
  }
  return undefined;
}

/** The state of one policy for a request, linked to the states of the policies before it. */
export interface PolicyState {
  policy: Policy;
  previous: PolicyState | undefined;
}

/** The policy's state for the request, if there is one. */
export function stateOf<State extends PolicyState>({ state }: RequestContext, policy: Policy): State | undefined {
  let found = state;
  while (found !== undefined && found.policy !== policy) found = found.previous;
  return found as State | undefined;
}

/** A response that the policy has replaced or aborted; in `observe`, that it would have. */
export interface RejectedResponse {
  rejection: ProblemCode;
  detail: DecisionDetail;
}

/** What a policy in `observe` would have done with a request. */
export interface Observation {
  /** The code of the rejection. Undefined if the policy could not decide. */
  code: string | undefined;
  detail: DecisionDetail;
}

/** The result of `done` for the request record. */
export type DoneDetail = DecisionDetail | RejectedResponse | undefined;

/** The outcome of an exchange. */
export interface ExchangeOutcome {
  /** The status of the response; 499 if the client disconnected before it. */
  status: number;
  /** False if the response was incomplete, or the client disconnected before its last byte. */
  wasSent: boolean;
}

/**
 * `enter` returns undefined to continue, or a response. `leave` gets the response of the target or of a later policy, exactly
 * once for each request that `enter` let continue, also when the target failed or the client went away: a quota must return
 * what the request took. `leave` runs in reverse order and may change the response's headers. `preflight` runs before any
 * `enter`, for a CORS preflight; the first response wins. A policy that has it enters before the others, wherever the route
 * names it: browsers hide rejections that lack its headers. `done` is called exactly once for each request that `enter` let
 * continue, after the last byte of the response or an abort; what it returns becomes the detail of the policy's decision in the
 * record of the request, which is written then, or once the promise has settled. It must not throw.
 * `enter` and `leave` return without a promise where nothing is awaited: a promise costs more than most policies.
 * `prefetch` is called while an earlier policy waits for another process: it requests the decision of this policy in the
 * same message, on condition that the request continues. It returns false if this process can decide by itself.
 */
export interface Policy {
  preflight?(context: RequestContext): HttpResponse | undefined;
  prefetch?(context: RequestContext): boolean;
  enter?(context: RequestContext): HttpResponse | undefined | Promise<HttpResponse | undefined>;
  leave?(context: RequestContext, response: HttpResponse): HttpResponse | Promise<HttpResponse>;
  done?(context: RequestContext, outcome: ExchangeOutcome): DoneDetail | Promise<DoneDetail>;
}

/** The deployment and account of a policy. */
export interface PolicyPlace {
  account: { seq: number; name: string };
  /** The same for all versions of the deployment. */
  deployment: string;
  /** The policy's name in the project. */
  name: string;
  /**
   * Whether the chain lets a request continue that the policy rejects. Then nothing that the policy does before may
   * reach client or target: no header, no change of a body, no end of a stream.
   */
  observes?: boolean;
  /** Whether a caller with limited access chose the options: they must not identify a consumer without a credential. */
  isLimited: boolean;
  /** The protocol of the deployments' addresses. */
  protocol: "http" | "https";
  /** Adds a warning about a request to the deployment's log. */
  warn(message: string, requestId: string): void;
}
