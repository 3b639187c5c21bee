import { problemResponse, toResponse } from "../../core/http/response.ts";
import type { Metrics } from "../../core/metrics/metrics.ts";
import { Problem } from "../../core/problems/problem.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { ProtocolError } from "../../platform/http1/message/protocol-error.ts";
import { HttpServer, type HttpServerOptions } from "../../platform/http1/server/http-server.ts";
import type { Log } from "../../platform/telemetry/log.ts";

/** The maximum wait for requests in progress at shutdown. */
const graceMilliseconds = 15_000;

type Connections = Pick<
  HttpServerOptions,
  "limiter" | "timeouts" | "memory" | "trustedProxies" | "proxyProtocol" | "tls"
>;

export interface ListenOptions extends Connections {
  address: HttpServerOptions["address"];
  clock: Clock;
  log: Log;
  metrics: Metrics;
  handle: HttpServerOptions["handle"];
  handleOverflow?: NonNullable<HttpServerOptions["handleOverflow"]>;
}

export interface Listener {
  port: number;
  /** The number of requests whose response has not begun. */
  undecidedRequests(): number;
  /** Closes connections with their next response, and continues to accept and serve. */
  drain(): void;
  /** Stops accepting connections and waits for requests in progress. Idle connections remain for a while. */
  stop(idleMilliseconds?: number, requestMilliseconds?: number): Promise<void>;
}

export function listen({ clock, log, metrics, ...options }: ListenOptions): Listener {
  const problem = (reason: Problem, requestId: string = crypto.randomUUID()) =>
    toResponse(problemResponse(reason, { path: "/", requestId, now: clock.now() }), requestId);
  const server = new HttpServer({
    ...options,
    now: () => clock.now(),
    reject(error, ip) {
      const { status } = error;
      const requestId = crypto.randomUUID();
      metrics.invalidRequest(status);
      // Connections beyond the limits are only counted; a log line for each would amplify an attack.
      if (status !== 503) log.info("invalid request", { requestId, status, ip, reason: error.message });
      return problem(problemOf(error), requestId);
    },
    onError(error) {
      log.error("request handler failed", { error });
      return problem(new Problem("internal_error"));
    },
  });
  return {
    port: server.port,
    undecidedRequests: () => server.undecidedRequests,
    drain: () => server.drain(),
    stop: (idleMilliseconds, requestMilliseconds = graceMilliseconds) =>
      server.stop(requestMilliseconds, idleMilliseconds),
  };
}

function problemOf({ status, message }: ProtocolError): Problem {
  switch (status) {
    case 503:
      return new Problem("too_many_connections", { retryAfterSeconds: 1 });
    case 408:
      return new Problem("request_timeout");
    default:
      return new Problem(status === 431 ? "head_too_large" : "malformed_request", {
        detail: `Invalid HTTP request: ${message}.`,
      });
  }
}
