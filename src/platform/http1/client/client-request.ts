import type { Body } from "../message/body.ts";
import type { HttpHeaders } from "../message/headers.ts";
import type { HttpResponse } from "../message/http-response.ts";

/** The address of a server and how to connect to it. */
export interface Origin {
  /** Requests with the same key may share a connection. */
  readonly key: string;
  /** The Host header. */
  readonly host: string;
  readonly connect: /** `preamble` is sent before the first request of each connection. */
    | { readonly unix: string; readonly preamble?: Uint8Array }
    /** Without `tls` the connection is plain TCP. */
    | {
        readonly hostname: string;
        /** All addresses of the name, tried in order until one accepts the connection. */
        readonly addresses?: readonly string[];
        readonly port: number;
        readonly tls: ServerVerification | undefined;
      };
  /**
   * The limit of connections with this key, in addition to the limits of the client. At the limit requests wait for a
   * connection.
   */
  readonly maxConnections?: number | undefined;
}

/**
 * How to verify the server's certificate: against the host name unless `serverName` is set. `cert` and `key` are the client's
 * own certificate.
 */
export type ServerVerification = Pick<Bun.TLSOptions, "serverName" | "ca" | "cert" | "key">;

export interface ClientRequest {
  origin: Origin;
  method: string;
  /** The Host header, instead of that of the origin. */
  host?: string | undefined;
  /** Path and query. */
  target: string;
  headers: HttpHeaders;
  body: Uint8Array | string | Body | undefined;
  /** The protocol to upgrade to, if the server agrees. */
  upgrade?: string | undefined;
  /** Never retry, even if the method is idempotent. */
  noRetry?: boolean;
  /** How long the server may leave a streamed body unread before the request fails with a SendTimeout. */
  sendTimeoutSeconds?: number;
  /** Called once the last byte is written. */
  onSent?: (() => void) | undefined;
}

/** The server stopped reading the request. */
export class SendTimeout extends Error {
  constructor() {
    super("the server did not read the request in time");
  }
}

/** Exactly one of the two methods is called, once; before it, `onEarlyHints` any number of times. */
export interface ResponseHandler {
  /** The server has sent 103 Early Hints. */
  onEarlyHints?(headers: HttpHeaders): void;
  onResponse(response: HttpResponse): void;
  /** The request failed before a response began. */
  onError(error: Error): void;
}

/** A failed connection attempt, after which another one was made. */
export interface FailedAttempt {
  /** The time of the failure on a monotonic clock. */
  ended: number;
  reason: string;
  /** The address that did not accept the connection. */
  address?: string;
}

/** A request in flight. */
export class PendingRequest {
  /** Set by the connection that carries the request. */
  onCancel: (() => void) | undefined;
  isRetried = false;
  /** Part of the request may have been written. Before that, the request can go to another server. */
  isSent = false;
  /** Undefined if the first attempt is the only one. */
  failedAttempts: FailedAttempt[] | undefined;
  #isDone = false;

  constructor(
    readonly request: ClientRequest,
    private readonly handler: ResponseHandler,
  ) {}

  attemptFailed(reason: string, address?: string): void {
    this.failedAttempts ??= [];
    this.failedAttempts.push({ ended: performance.now(), reason, ...(address === undefined ? {} : { address }) });
  }

  earlyHints(headers: HttpHeaders): void {
    if (!this.#isDone) this.handler.onEarlyHints?.(headers);
  }

  complete(response: HttpResponse): void {
    if (this.#isDone) {
      response.discard();
      return;
    }
    this.#isDone = true;
    this.handler.onResponse(response);
  }

  fail(error: Error): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.handler.onError(error);
  }

  /** Closes the connection that carries the request and fails it with `reason`. */
  cancel(reason: Error): void {
    this.onCancel?.();
    this.fail(reason);
  }
}
