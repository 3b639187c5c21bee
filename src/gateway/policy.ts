import type { DecisionDetail } from "../areas/requests/record.ts";
import type { ArtifactRoute } from "../core/artifact/artifact.ts";
import type { ProblemCode } from "../core/problems/catalogue.ts";
import type { Body } from "../platform/http1/message/body.ts";
import type { HttpHeaders } from "../platform/http1/message/headers.ts";
import type { HttpRequest } from "../platform/http1/message/http-request.ts";
import type { HttpResponse } from "../platform/http1/message/http-response.ts";

/** Who a request comes from, once a policy has found out: what handlers see as `context.user`. */
export interface User {
  /** The name of the consumer. */
  sub: string;
  /** The consumer's metadata. */
  data: Record<string, unknown>;
}

/** A request as policies see it. */
export interface RequestContext {
  /** As received. Its headers may be changed already; its body belongs to the target. */
  readonly request: HttpRequest;
  readonly route: ArtifactRoute;
  /** Decoded parameters of the path. */
  readonly params: Readonly<Record<string, string>>;
  /** What follows the `?`, without it. */
  readonly search: string;
  readonly now: number;
  readonly requestId: string;
  /** Where the connection comes from. */
  readonly ip: string;
  /** What the target will get; policies may change them. */
  readonly headers: HttpHeaders;
  /** Of the request to the target: a policy in code may have changed it. */
  readonly method: string;
  /** Of the request to the target, after its base path; policies may change them. The query is without `?`. */
  path: string;
  query: string;
  /** Both together. */
  readonly address: string;
  user: User | undefined;
  consumerId: string | undefined;
  keyId: string | undefined;
  /** Of the key; undefined as long as no policy has found one. */
  permissions: readonly string[] | undefined;
  /** What the target gets instead of the request's body; undefined: that body, as it comes. */
  body: Buffer | Body | undefined;
  /** Set on the response, wherever it comes from. */
  responseHeaders: HttpHeaders | undefined;
  /** Why the gateway itself rejected the request, once it has. */
  rejection: ProblemCode | undefined;
  /** The same in words, for the log. */
  rejectionDetail: string | undefined;
  /** The rule behind a decision and its numbers, for the record of the request. */
  decisionDetail: DecisionDetail | undefined;
  /** What policies keep from `enter` to `leave` and `done`. */
  state: PolicyState | undefined;
}

/** What one policy keeps of a request, linked to what the policies before it keep. */
export interface PolicyState {
  policy: Policy;
  previous: PolicyState | undefined;
}

/** What the policy kept of the request, if anything. */
export function stateOf<State extends PolicyState>({ state }: RequestContext, policy: Policy): State | undefined {
  let found = state;
  while (found !== undefined && found.policy !== policy) found = found.previous;
  return found as State | undefined;
}

/** What `done` adds to the record of a request. */
type DoneDetail = DecisionDetail | undefined;

/** How an exchange ended. */
export interface ExchangeOutcome {
  /** Of the response; 499 if the client disconnected before it. */
  status: number;
  /** False if the client disconnected, or the response broke off, before its last byte. */
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
 */
export interface Policy {
  preflight?(context: RequestContext): HttpResponse | undefined;
  enter?(context: RequestContext): HttpResponse | undefined | Promise<HttpResponse | undefined>;
  leave?(context: RequestContext, response: HttpResponse): HttpResponse | Promise<HttpResponse>;
  done?(context: RequestContext, outcome: ExchangeOutcome): DoneDetail | Promise<DoneDetail>;
}

/** Where a policy is created: one deployment of one account. */
export interface PolicyPlace {
  account: { seq: number; name: string };
  /** Stays the same over the deployment's versions. */
  deployment: string;
  /** The policy's own name in the project. */
  name: string;
}
