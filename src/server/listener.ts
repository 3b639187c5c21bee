import { requestIdOf } from "../core/http/request-id.ts";
import { problemAnswer, toResponse, withoutSniffing } from "../core/http/response.ts";
import { Problem } from "../core/problems/problem.ts";
import type { Clock } from "../lib/clock.ts";
import type { HttpRequest } from "../platform/http1/http-request.ts";
import type { HttpResponse } from "../platform/http1/http-response.ts";
import { HttpServer } from "../platform/http1/http-server.ts";
import type { Answering } from "../platform/http1/server-connection.ts";
import { splitTarget } from "../platform/http1/target.ts";
import type { Log } from "../platform/telemetry/log.ts";
import { type ConsolePages, isConsolePath } from "./console-pages.ts";
import type { OwnHosts } from "./own-hosts.ts";
import type { SystemRoute } from "./system-routes.ts";

/** A client that sent half a request and fell silent is not waited for longer than this. */
const patienceMilliseconds = 15_000;

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
  /** What answers under the host names of deployments; undefined for the hosts of the interface itself. */
  gateway: { handle(request: HttpRequest): Answering | undefined };
  /** The hosts of the interface itself. */
  hosts: OwnHosts;
}

export interface Listener {
  port: number;
  /** Takes no new connections and waits for the requests under way. */
  stop(): Promise<void>;
}

export function listen({ host, port, clock, log, system, console, handle, gateway, hosts }: ListenOptions): Listener {
  const problem = (reason: Problem) => {
    const requestId = crypto.randomUUID();
    return toResponse(problemAnswer(reason, { path: "/", requestId, now: clock.now() }), requestId);
  };
  const misdirected = (request: HttpRequest) => {
    const requestId = requestIdOf(request);
    const { path } = splitTarget(request.target);
    return toResponse(
      problemAnswer(new Problem("misdirected_request"), { path, requestId, now: clock.now() }),
      requestId,
    );
  };
  // The host that was last found not to be a deployment's: most requests to the interface come to one.
  let ownHost: string | null | undefined;
  const server = new HttpServer({
    address: { hostname: host, port },
    now: () => clock.now(),
    handle(request) {
      const asked = request.headers.get("host");
      if (asked !== ownHost) {
        const deployed = gateway.handle(request);
        if (deployed) return deployed;
        if (hosts.has(asked)) ownHost = asked;
        else if (!hosts.isOpen(splitTarget(request.target).path)) return misdirected(request);
      }
      // Interface paths are asked for a thousand times as often as the others.
      if (request.target.startsWith("/v1/")) return handle(request);
      if (request.method !== "GET" && request.method !== "HEAD") return handle(request);
      const { path } = splitTarget(request.target);
      if (isConsolePath(path)) return withoutSniffing(console.handle(request, path));
      const route = system[path];
      if (!route) return handle(request);
      const response = route();
      return response instanceof Promise ? response.then(withoutSniffing) : withoutSniffing(response);
    },
    refuse: ({ message, status }) =>
      problem(
        new Problem(status === 431 ? "head_too_large" : "malformed_request", {
          detail: `The request breaks the rules of HTTP: ${message}.`,
        }),
      ),
    failed(error) {
      log.error("a request could not be answered", { error });
      return problem(new Problem("internal_error"));
    },
  });
  return { port: server.port, stop: () => server.stop(patienceMilliseconds) };
}
