import type { Found } from "../lib/http/path-router.ts";
import { HttpHeaders } from "../platform/http1/message/headers.ts";
import { HttpResponse } from "../platform/http1/message/http-response.ts";
import { Exchange, type IncomingRequest } from "./exchange.ts";
import { reject } from "./rejection.ts";
import type { RunningRoute } from "./running-route.ts";
import type { RunningVersion } from "./running-version.ts";

/** HEAD is GET without its body, where nothing else is declared. TRACE and CONNECT are not supported. */
export function routeFor({ targets }: Found<RunningRoute>, method: string): RunningRoute | undefined {
  if (method === "TRACE" || method === "CONNECT") return undefined;
  return targets[method] ?? (method === "HEAD" ? targets.GET : undefined);
}

/** A problem, or the response to a preflight. */
export function responseWithoutRoute(
  incoming: IncomingRequest,
  version: RunningVersion,
  found: Found<RunningRoute> | "invalid" | undefined,
): HttpResponse {
  if (found === undefined) return reject(incoming, "no_such_route");
  if (found === "invalid") return reject(incoming, "malformed_path");
  const allow = allowedMethods(found).join(", ");
  if (incoming.request.method !== "OPTIONS") return reject(incoming, "method_not_allowed", { headers: { allow } });
  // A preflight is for the policies of the route that the browser is about to call.
  const requested = incoming.request.headers.get("access-control-request-method");
  const route = requested === null ? undefined : routeFor(found, requested);
  const response = route && preflightResponse(route.policies, new Exchange(incoming, version, route, found.params));
  return response ?? new HttpResponse(204, new HttpHeaders({ allow }));
}

/** Of the first policy that responds to preflights. */
export function preflightResponse(policies: RunningRoute["policies"], exchange: Exchange): HttpResponse | undefined {
  for (const [at, policy] of policies.entries()) {
    const response = policy.preflight?.(exchange);
    if (!response) continue;
    exchange.stoppedAt = at;
    exchange.isPreflight = true;
    return response;
  }
  return undefined;
}

function allowedMethods({ targets }: Found<RunningRoute>): string[] {
  const methods = new Set(Object.keys(targets).filter((method) => method !== "TRACE"));
  if (methods.has("GET")) methods.add("HEAD");
  methods.add("OPTIONS");
  return [...methods];
}
