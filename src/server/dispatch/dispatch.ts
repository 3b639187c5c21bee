import type { Config } from "../../config/config.ts";
import { requestIdOf } from "../../core/http/request-id.ts";
import { problemResponse, toResponse, withoutSniffing } from "../../core/http/response.ts";
import type { ProblemCode } from "../../core/problems/catalogue.ts";
import { Problem } from "../../core/problems/problem.ts";
import { hostnameOf, isLoopbackHost } from "../../lib/network/hosts.ts";
import type { Clock } from "../../lib/time/clock.ts";
import { deferred, type HttpRequest } from "../../platform/http1/message/http-request.ts";
import type { HttpResponse } from "../../platform/http1/message/http-response.ts";
import { splitTarget } from "../../platform/http1/message/target.ts";
import type { HandlerResult } from "../../platform/http1/server/request-handler.ts";
import type { Pages } from "../pages/app-pages.ts";
import type { OwnHosts } from "./own-hosts.ts";
import { probePaths } from "./probes.ts";
import type { SystemRoute } from "./system-routes.ts";

export interface DispatchOptions {
  clock: Clock;
  /** Plain routes by exact path; everything else goes to the pipeline. */
  system: Record<string, SystemRoute>;
  /** The pages under /console and /docs, and the previews of portals. */
  apps: Pages[];
  /** The pipeline. */
  handle(request: HttpRequest): HttpResponse | Promise<HttpResponse>;
  /** Serves assistants at `/mcp`. */
  assistant(request: HttpRequest): Promise<HttpResponse>;
  /** Serves the hosts of deployments; returns undefined for any other host. */
  gateway: Site;
  /** Serves the hosts of portals; returns undefined for any other host. */
  portals: Site;
  /** The hosts of the management API. */
  hosts: OwnHosts;
  /** Adds HSTS to responses of the management API. */
  isHttps: boolean;
}

interface Site {
  handle(request: HttpRequest): HandlerResult | undefined;
  isHost(host: string): boolean;
}

type Dispatch = (request: HttpRequest) => HandlerResult;

/** The management API for assistants. */
const assistantPath = "/mcp";

/** Served also on connections beyond the limits: a load balancer must not remove every node under load. */
const processPaths = new Set(["/healthz", "/readyz"]);

/** Deployments and portals by their hosts, and the management API. */
export function serveAll(options: DispatchOptions): Dispatch {
  const { gateway, portals } = options;
  return withMatchingNames(
    options,
    dispatchManagement(options, (request) => portals.handle(request) ?? gateway.handle(request)),
  );
}

/** Only the management API: deployments and portals have their own listener. */
export function serveManagement(options: DispatchOptions): Dispatch {
  return withMatchingNames(
    options,
    dispatchManagement(options, () => undefined),
  );
}

/** Only deployments and portals, and probes at any other host. */
export function serveDeployments(options: DispatchOptions): Dispatch {
  const { clock, system, gateway, portals } = options;
  return withMatchingNames(options, (request) => {
    const deployed = portals.handle(request) ?? gateway.handle(request);
    if (deployed) return deployed;
    const { path } = splitTarget(request.target);
    const isProbe = probePaths.has(path) && (request.method === "GET" || request.method === "HEAD");
    return isProbe ? call(system[path]!, request) : rejected(request, "deployment_not_found", clock);
  });
}

/**
 * Rejects requests whose TLS handshake named another of our hosts than their `Host` header (RFC 9110, 7.4): a firewall
 * that decided by the handshake did not see the requested host. Trusted proxies use their own names.
 */
export function withMatchingNames(
  {
    clock,
    gateway,
    portals,
    hosts,
  }: Pick<DispatchOptions, "clock" | "gateway" | "hosts"> & { portals: Pick<Site, "isHost"> },
  dispatch: Dispatch,
): Dispatch {
  const isOurs = (host: string) => hosts.isCertain(host) || gateway.isHost(host) || portals.isHost(host);
  return (request) => {
    const { serverName, forwarder } = request;
    if (serverName === undefined || forwarder !== undefined) return dispatch(request);
    const host = request.headers.get("host");
    if (host === null || host === serverName || hostnameOf(host) === hostnameOf(serverName)) return dispatch(request);
    return isOurs(serverName) && isOurs(host) ? rejected(request, "misdirected_request", clock) : dispatch(request);
  };
}

function dispatchManagement(
  options: DispatchOptions,
  deployment: (request: HttpRequest) => HandlerResult | undefined,
): Dispatch {
  const { clock, hosts } = options;
  const manage = options.isHttps ? withTransportSecurity(management(options)) : management(options);
  // The last host known to be the management API's: most requests use one, and skip the lookup.
  let ownHost: string | null | undefined;
  return (request) => {
    const requestedHost = request.headers.get("host");
    if (requestedHost !== ownHost) {
      const deployed = deployment(request);
      if (deployed) return deployed;
      // Other hosts may become custom domains, so they are not cached.
      if (hosts.isCertain(requestedHost)) ownHost = requestedHost;
      else if (!hosts.has(requestedHost) && !hosts.isOpen(splitTarget(request.target).path))
        return rejected(request, "misdirected_request", clock);
    }
    return manage(request);
  };
}

function management({ system, apps, handle, assistant }: DispatchOptions): Dispatch {
  return (request) => {
    // The most frequent paths first.
    if (request.target.startsWith("/v1/")) return handle(request);
    const { path } = splitTarget(request.target);
    if (path === assistantPath) return assistant(request);
    if (request.method !== "GET" && request.method !== "HEAD") return handle(request);
    const app = apps.find((each) => each.has(path));
    if (app) return withoutSniffing(app.handle(request, path));
    const route = system[path];
    return route ? call(route, request) : handle(request);
  };
}

/** Whether browsers reach the server by HTTPS: it has TLS, or a proxy before it. */
export function isHttpsOnly({ tls, publicUrl }: Pick<Config, "tls" | "publicUrl">): boolean {
  return tls !== undefined || publicUrl?.startsWith("https:") === true;
}

/**
 * HSTS for a year, without subdomains, which may be deployments. Loopback names are excluded, because browsers would
 * then reject plain HTTP to other local programs.
 */
export function withTransportSecurity(dispatch: Dispatch): Dispatch {
  const add = (response: HttpResponse) => {
    response.headers.set("strict-transport-security", "max-age=31536000");
    return response;
  };
  return (request) => {
    const result = dispatch(request);
    const host = request.headers.get("host");
    if (result === deferred || host === null || isLoopbackHost(hostnameOf(host))) return result;
    return result instanceof Promise ? result.then(add) : add(result);
  };
}

/** Only the probes of the process are served on connections beyond the limits. */
export function serveProbesOnly(system: Record<string, SystemRoute>, clock: Clock): Dispatch {
  return (request) => {
    const { path } = splitTarget(request.target);
    return processPaths.has(path) ? call(system[path]!, request) : rejected(request, "too_many_connections", clock, 1);
  };
}

function call(route: SystemRoute, request: HttpRequest): HandlerResult {
  const response = route(request);
  return response instanceof Promise ? response.then(withoutSniffing) : withoutSniffing(response);
}

function rejected(request: HttpRequest, code: ProblemCode, clock: Clock, retryAfterSeconds?: number): HttpResponse {
  const requestId = requestIdOf(request);
  const { path } = splitTarget(request.target);
  const problem = new Problem(code, retryAfterSeconds === undefined ? {} : { retryAfterSeconds });
  return toResponse(problemResponse(problem, { path, requestId, now: clock.now() }), requestId);
}
