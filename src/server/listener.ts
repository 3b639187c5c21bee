import { requestIdOf } from "../core/http/request-id.ts";
import { problemResponse, toResponse, withoutSniffing } from "../core/http/response.ts";
import { Problem } from "../core/problems/problem.ts";
import type { Clock } from "../lib/clock.ts";
import type { HttpRequest } from "../platform/http1/http-request.ts";
import type { HttpResponse } from "../platform/http1/http-response.ts";
import { HttpServer } from "../platform/http1/http-server.ts";
import type { HandlerResult } from "../platform/http1/server-connection.ts";
import { splitTarget } from "../platform/http1/target.ts";
import type { Log } from "../platform/telemetry/log.ts";
import { type ConsolePages, isConsolePath } from "./console-pages.ts";
import type { OwnHosts } from "./own-hosts.ts";
import type { SystemRoute } from "./system-routes.ts";

/** How long to wait at shutdown for requests in progress. */
const graceMilliseconds = 15_000;

type Handle = (request: HttpRequest) => HttpResponse | Promise<HttpResponse>;

export interface ListenOptions {
  host: string;
  port: number;
  clock: Clock;
  log: Log;
  /** Plain routes by exact path; everything else goes to the pipeline. */
  system: Record<string, SystemRoute>;
  console: ConsolePages;
  handle: Handle;
  /** Serves the hosts of deployments; returns undefined for any other host. */
  gateway: { handle(request: HttpRequest): HandlerResult | undefined };
  /** The hosts of the management API. */
  hosts: OwnHosts;
}

export interface Listener {
  port: number;
  /** Stops accepting connections and waits for requests in progress. */
  stop(): Promise<void>;
}

export function listen({ host, port, clock, log, system, console, handle, gateway, hosts }: ListenOptions): Listener {
  const problem = (reason: Problem) => {
    const requestId = crypto.randomUUID();
    return toResponse(problemResponse(reason, { path: "/", requestId, now: clock.now() }), requestId);
  };
  const misdirected = (request: HttpRequest) => {
    const requestId = requestIdOf(request);
    const { path } = splitTarget(request.target);
    return toResponse(
      problemResponse(new Problem("misdirected_request"), { path, requestId, now: clock.now() }),
      requestId,
    );
  };
  // The last host known to be the management API's: most requests use one, and skip the look-up.
  let ownHost: string | null | undefined;
  const server = new HttpServer({
    address: { hostname: host, port },
    now: () => clock.now(),
    handle(request) {
      const requestedHost = request.headers.get("host");
      if (requestedHost !== ownHost) {
        const deployed = gateway.handle(request);
        if (deployed) return deployed;
        if (hosts.has(requestedHost)) ownHost = requestedHost;
        else if (!hosts.isOpen(splitTarget(request.target).path)) return misdirected(request);
      }
      // By far the most frequent paths.
      if (request.target.startsWith("/v1/")) return handle(request);
      if (request.method !== "GET" && request.method !== "HEAD") return handle(request);
      const { path } = splitTarget(request.target);
      if (isConsolePath(path)) return withoutSniffing(console.handle(request, path));
      const route = system[path];
      if (!route) return handle(request);
      const response = route();
      return response instanceof Promise ? response.then(withoutSniffing) : withoutSniffing(response);
    },
    reject: ({ message, status }) =>
      problem(
        new Problem(status === 431 ? "head_too_large" : "malformed_request", {
          detail: `Invalid HTTP request: ${message}.`,
        }),
      ),
    onError(error) {
      log.error("request handler failed", { error });
      return problem(new Problem("internal_error"));
    },
  });
  return { port: server.port, stop: () => server.stop(graceMilliseconds) };
}
