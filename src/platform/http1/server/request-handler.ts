import type { BufferMemory } from "../memory/buffer-memory.ts";
import type { deferred, HttpRequest } from "../message/http-request.ts";
import type { HttpResponse } from "../message/http-response.ts";
import type { ProtocolError } from "../message/protocol-error.ts";
import type { TrustedProxies } from "./trusted-proxies.ts";

/** The response, a promise of it, or `deferred` if the handler calls `request.respond` itself. */
export type HandlerResult = HttpResponse | Promise<HttpResponse> | typeof deferred;

export interface RequestHandler {
  handle(request: HttpRequest): HandlerResult;
  /** Returns the response to a request that is not valid HTTP, is too slow, or exceeds the limit of connections. */
  reject(error: ProtocolError, ip: string): HttpResponse;
  /** Returns the response if `handle` throws or rejects. */
  onError(error: unknown): HttpResponse;
}

/** How long a request body may take, counting only the time in which the server waits for the client. */
export interface RequestTimeouts {
  bodySeconds: number;
  /** The minimum average rate after a minute. */
  minBodyBytesPerSecond: number;
}

/** The state that a server shares with its connections. */
export interface ConnectionContext {
  /** A coarse clock: seconds since the server started. */
  readonly second: number;
  /** The value of the Date header. */
  readonly date: string;
  readonly isStopping: boolean;
  /** The server will stop, but idle connections remain open for a while. */
  readonly isLingering: boolean;
  readonly timeouts: RequestTimeouts;
  readonly trustedProxies: TrustedProxies;
  /** Of all that is buffered for clients. */
  readonly memory: BufferMemory;
}
