import { requestIdOf } from "../../core/http/request-id.ts";
import { problemResponse, toResponse } from "../../core/http/response.ts";
import { Problem } from "../../core/problems/problem.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { PendingRequest, ResponseHandler } from "../../platform/http1/client/client-request.ts";
import { HttpClient } from "../../platform/http1/client/http-client.ts";
import { dropHopByHop } from "../../platform/http1/message/hop-by-hop.ts";
import { deferred, type HttpRequest } from "../../platform/http1/message/http-request.ts";
import type { HttpResponse } from "../../platform/http1/message/http-response.ts";
import { splitTarget } from "../../platform/http1/message/target.ts";
import { proxyHeader } from "../../platform/http1/server/proxy-protocol.ts";

/** A request whose body the primary reads slowly may take as long as its client allows. */
const sendTimeoutSeconds = 3600;

const healthLimits = { maxConnections: 4, maxPerOrigin: 4 };

function isHealthCheck({ method, target }: HttpRequest): boolean {
  return method === "GET" && target === "/storagez";
}

/**
 * Forwards requests to the primary. Each connection to it carries requests of one client, and begins with a PROXY
 * protocol header: the client's address and the name of its TLS handshake cannot be forged with headers.
 */
export class RequestForwarder {
  readonly #client: HttpClient;
  /** Health checks are forwarded also if all other connections are busy. */
  readonly #healthClient = new HttpClient(healthLimits);
  readonly #maxPerAddress: number;

  constructor(
    private readonly clock: Clock,
    /** Further requests wait for a connection. */
    maxConnections: number,
  ) {
    this.#client = new HttpClient({ maxConnections, maxPerOrigin: maxConnections });
    this.#maxPerAddress = Math.ceil(maxConnections / 2);
  }

  /** Forwards a request to a socket of the primary. */
  forward(path: string, request: HttpRequest): typeof deferred {
    const { method, target, headers, body, serverName } = request;
    // The address of the connection: the primary itself decides whether it trusts the proxy's headers.
    const address = request.forwarder?.address ?? request.ip;
    // A request without a host, of HTTP/1.0, is for the management API, like one for a loopback name.
    const host = headers.get("host") ?? "localhost";
    const preamble = proxyHeader(address, serverName);
    const origin = {
      key: `${path} ${address} ${serverName ?? ""}`,
      host,
      connect: { unix: path, preamble },
      // A trusted proxy forwards requests of many clients, so it may use all connections.
      ...(!request.forwarder && { maxConnections: this.#maxPerAddress }),
    };
    dropHopByHop(headers, (name) => name === "expect");
    // The primary may have executed a request and ended before its response: the client decides whether to repeat it.
    const noRetry = method !== "GET" && method !== "HEAD";
    const forwarded = new ForwardedRequest(request, (error) => this.#errorResponse(request, error));
    const client = isHealthCheck(request) ? this.#healthClient : this.#client;
    forwarded.pending = client.dispatch(
      { origin, method, target, headers, body, sendTimeoutSeconds, noRetry },
      forwarded,
    );
    request.abortListener = forwarded;
    return deferred;
  }

  close(): void {
    this.#client.close();
    this.#healthClient.close();
  }

  /** The response if the primary has ended and the next one has not started yet. */
  #errorResponse(request: HttpRequest, cause: Error): HttpResponse {
    const requestId = requestIdOf(request);
    const { path } = splitTarget(request.target);
    const problem = new Problem("storage_unavailable", { retryAfterSeconds: 1, cause });
    return toResponse(problemResponse(problem, { path, requestId, now: this.clock.now() }), requestId);
  }
}

class ForwardedRequest implements ResponseHandler {
  pending: PendingRequest | undefined;

  constructor(
    private readonly request: HttpRequest,
    private readonly errorResponse: (error: Error) => HttpResponse,
  ) {}

  onResponse(response: HttpResponse): void {
    const { body } = this.request;
    // The primary does not read the rest of the body.
    if (body && !body.hasEnded && response.headers.get("connection") === "close") body.cancel();
    dropHopByHop(response.headers);
    this.request.respond(response);
  }

  onError(error: Error): void {
    this.request.respond(this.errorResponse(error));
  }

  onAbort(): void {
    this.pending?.cancel(new Error("the client disconnected"));
  }
}
