import type { ArtifactRoute } from "../core/artifact/artifact.ts";
import type { ProblemCode } from "../core/problems/catalogue.ts";
import type { HttpHeaders } from "../platform/http1/headers.ts";
import type { HttpRequest } from "../platform/http1/http-request.ts";
import type { HttpResponse } from "../platform/http1/http-response.ts";

/** Who a request comes from, once a policy has found out: what handlers see as `context.user`. */
export interface User {
  /** The name of the consumer. */
  sub: string;
  /** The consumer's metadata. */
  data: Record<string, unknown>;
}

/** One request on its way through a route. */
export interface Passage {
  /** As it arrived. Its headers may have been changed already; its body belongs to the target. */
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
  /** What the target is asked: a policy in code may have changed it. */
  readonly method: string;
  /** Path and query, as they follow the target's base path. */
  readonly address: string;
  user: User | undefined;
  consumerId: string | undefined;
  keyId: string | undefined;
  /** What the target gets instead of the request's body; undefined: that body, as it comes. */
  body: Buffer | undefined;
  /** Set on the answer, whoever gives it. */
  answerHeaders: HttpHeaders | undefined;
  /** Why the gateway itself refused the request, once it has. */
  refusal: ProblemCode | undefined;
  /** The same in words, for the log. */
  refusalDetail: string | undefined;
  /** What policies hold from `enter` to `leave`: a stack, as policies leave in reverse order. */
  held: Held | undefined;
}

/** What one policy holds of one request, and what the policies before it hold. */
export interface Held {
  by: Policy;
  below: Held | undefined;
}

/**
 * A guard of a route. `enter` lets the request go on (undefined) or answers it; `leave` sees the answer on its way back, of
 * the target or of a later policy, but only where `enter` had let the request go on: then exactly once, also where the
 * target failed or the caller went away, or a quota would go on holding what the request took. `leave` runs in reverse
 * order; it may change the answer's headers. `preflight` is asked before any policy is entered, when a browser asks with
 * OPTIONS what it may do; the first answer counts. A policy that has it is entered before the others, wherever the route
 * names it: browsers hide refusals that lack its headers.
 * Where nothing has to be waited for, both answer without a promise: a promise costs more than most policies.
 */
export interface Policy {
  preflight?(passage: Passage): HttpResponse | undefined;
  enter?(passage: Passage): HttpResponse | undefined | Promise<HttpResponse | undefined>;
  leave?(passage: Passage, answer: HttpResponse): HttpResponse | Promise<HttpResponse>;
}

/** What a policy is made in: one deployment of one account. */
export interface PolicyPlace {
  account: { seq: number; name: string };
  /** Stays the same over the deployment's versions. */
  deployment: string;
  /** The policy's own name in the project. */
  name: string;
}
