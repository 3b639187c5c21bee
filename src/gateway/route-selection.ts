import { anyMethod } from "../core/artifact/artifact.ts";
import type { FoundRoute } from "../lib/http/path-router.ts";
import { HttpHeaders } from "../platform/http1/message/headers.ts";
import { HttpResponse } from "../platform/http1/message/http-response.ts";
import { Exchange, type IncomingRequest } from "./exchange/exchange.ts";
import { reject } from "./exchange/rejection.ts";
import type { RunningRoute } from "./exchange/running-route.ts";
import type { RunningVersion } from "./versions/running-version.ts";

/** HEAD is served by GET unless it is declared. TRACE and CONNECT are not supported. */
export function routeFor({ targets }: FoundRoute<RunningRoute>, method: string): RunningRoute | undefined {
  if (method === "TRACE" || method === "CONNECT") return undefined;
  return targets[method] ?? (method === "HEAD" ? targets.GET : undefined) ?? targets[anyMethod];
}

/**
 * The response to a preflight of a path that does not declare OPTIONS: that of the route which the browser is about to
 * call. Undefined for other requests, and if that route has no policy that responds to preflights.
 */
export function undeclaredPreflight(
  incoming: IncomingRequest,
  version: RunningVersion,
  found: FoundRoute<RunningRoute>,
): HttpResponse | undefined {
  const { method, headers } = incoming.request;
  if (method !== "OPTIONS" || found.targets.OPTIONS) return undefined;
  const requested = headers.get("access-control-request-method");
  const route = requested === null ? undefined : routeFor(found, requested);
  return route && preflightResponse(route.policies, new Exchange(incoming, version, route, found.params));
}

/** A problem, or the response to OPTIONS. */
export function responseWithoutRoute(
  incoming: IncomingRequest,
  found: FoundRoute<RunningRoute> | "invalid" | undefined,
): HttpResponse {
  if (found === undefined) return reject(incoming, "no_such_route");
  if (found === "invalid") return reject(incoming, "malformed_path");
  const allow = allowedMethods(found).join(", ");
  if (incoming.request.method !== "OPTIONS") return reject(incoming, "method_not_allowed", { headers: { allow } });
  return new HttpResponse(204, new HttpHeaders({ allow }));
}

/** The response of the first policy that handles preflights. */
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

/** The methods of a path that serves any method. */
const commonMethods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

function allowedMethods({ targets }: FoundRoute<RunningRoute>): string[] {
  const methods = new Set(targets[anyMethod] ? commonMethods : Object.keys(targets));
  if (methods.has("GET")) methods.add("HEAD");
  methods.add("OPTIONS");
  return [...methods];
}
