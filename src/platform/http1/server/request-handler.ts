import type { deferred, HttpRequest } from "../message/http-request.ts";
import type { HttpResponse } from "../message/http-response.ts";
import type { ProtocolError } from "../message/protocol-error.ts";
import type { TrustedProxies } from "./trusted-proxies.ts";

/** The response, a promise of it, or `deferred` if the handler calls `request.respond` itself. */
export type HandlerResult = HttpResponse | Promise<HttpResponse> | typeof deferred;

export interface RequestHandler {
  handle(request: HttpRequest): HandlerResult;
  /** The response to a request that is not valid HTTP, too slow, or on a connection too many. */
  reject(error: ProtocolError, ip: string): HttpResponse;
  /** The response if `handle` throws or rejects. */
  onError(error: unknown): HttpResponse;
}

/** How long the body of a request may take while nothing but the client is waited for. */
export interface RequestTimeouts {
  bodySeconds: number;
  /** On average, after a minute. */
  minBodyBytesPerSecond: number;
}

/** What the server shares with its connections. */
export interface ConnectionContext {
  /** A coarse clock: seconds since the server started. */
  readonly second: number;
  /** The value of the Date header. */
  readonly date: string;
  readonly isStopping: boolean;
  readonly timeouts: RequestTimeouts;
  readonly trustedProxies: TrustedProxies;
}
