import type { ArtifactRoute } from "../../src/core/artifact/artifact.ts";
import type { Policy, PolicyPlace, RequestContext } from "../../src/gateway/exchange/policy.ts";
import type { HttpResponse } from "../../src/platform/http1/message/http-response.ts";
import { requestOf, responseOf, webResponseOf } from "./web.ts";

export const route: ArtifactRoute = {
  path: "/things",
  method: "GET",
  target: { upstream: "http://127.0.0.1:1" },
  policies: [],
  timeoutSeconds: 30,
};

export function placeOf(accountSeq = 1, name = "policy"): PolicyPlace {
  return {
    account: { seq: accountSeq, name: "default" },
    deployment: "shop-main-1a2b3c4",
    name,
    isLimited: false,
    protocol: "http",
    warn: () => {},
  };
}

type ContextParts = Partial<Omit<RequestContext, "request" | "search" | "headers">>;

/** A request context, as the gateway creates it. */
export function contextOf(sent: Request, parts: ContextParts = {}): RequestContext {
  const request = requestOf(sent);
  const { pathname, search } = new URL(sent.url);
  return {
    request,
    route,
    params: {},
    search: search.slice(1),
    method: request.method,
    detachedResponse: undefined,
    modelCall: undefined,
    modelUse: undefined,
    mcpMessage: undefined,
    path: pathname,
    query: search.slice(1),
    get address() {
      return this.query === "" ? this.path : `${this.path}?${this.query}`;
    },
    now: Date.parse("2026-01-15T10:00:00.000Z"),
    requestId: "request-1",
    ip: "192.0.2.1",
    clientHost: undefined,
    mountPath: undefined,
    headers: request.headers,
    user: undefined,
    consumerId: undefined,
    keyBucket: undefined,
    keyId: undefined,
    client: undefined,
    permissions: undefined,
    terms: undefined,
    body: undefined,
    responseHeaders: undefined,
    rejection: undefined,
    rejectionDetail: undefined,
    decisionDetail: undefined,
    rejectedHolder: undefined,
    state: undefined,
    decisionGroup: 0,
    pendingDecision: undefined,
    ...parts,
  };
}

/** Sends a request through policies to a target and back, in the order described at `Policy`. */
export async function pass(
  policies: Policy[],
  context: RequestContext,
  target: (context: RequestContext) => Response | Promise<Response> = () => new Response("from the target"),
): Promise<Response> {
  let entered = 0;
  let response: HttpResponse | undefined;
  for (const policy of policies) {
    response = await policy.enter?.(context);
    if (response) break;
    entered += 1;
  }
  response ??= responseOf(await target(context));
  for (const policy of policies.slice(0, entered).reverse())
    response = (await policy.leave?.(context, response)) ?? response;
  for (const [name, value] of context.responseHeaders ?? []) response.headers.set(name, value);
  const { status } = response;
  for (const policy of policies.slice(0, entered)) await policy.done?.(context, { status, wasSent: true });
  return webResponseOf(response);
}
