import { addressGroup } from "../../../lib/network/address-group.ts";
import { type BufferMemory, type Holder, type Holders, Reservation } from "../memory/buffer-memory.ts";
import type { Body } from "./body.ts";
import type { HttpHeaders } from "./headers.ts";
import type { HttpResponse } from "./http-response.ts";

interface AbortListener {
  onAbort(): unknown;
}

/**
 * `wasSent` is false if the connection closed before the last byte of the response was written. What is buffered for the
 * request counts until a returned promise has settled.
 */
type DoneListener = (wasSent: boolean) => Promise<void> | undefined;

/** The connection that a request came over. */
export interface Responder {
  earlyHints?(request: HttpRequest, link: string): void;
  respond(request: HttpRequest, response: HttpResponse): void;
}

/** A trusted proxy that forwarded a request. */
export interface Forwarder {
  address: string;
  /** The protocol between the client and the proxy, if the proxy named it. */
  protocol: "http" | "https" | undefined;
}

/** Returned by a handler that calls `request.respond` later: a promise would cost a gateway 1 µs. */
export const deferred = Symbol("deferred");

/** A request as received by a server. Its body may still be arriving. */
export class HttpRequest {
  /** The client disconnected before the response was sent. */
  isAborted = false;
  /** Set if `ip` and the protocol come from a trusted proxy. */
  forwarder: Forwarder | undefined;
  /** The name that the client gave in the TLS handshake (SNI), in lower case. */
  serverName: string | undefined;
  /** Bounds what is buffered for the request. */
  memory: BufferMemory | undefined;
  /** What is buffered counts for these two and for the client's network. */
  account: Holder | undefined;
  customer: Holder | undefined;
  #reservation: Reservation | undefined;
  #abortListener: AbortListener | undefined;
  #hasResponded = false;
  #doneListener: DoneListener | undefined;
  #wasSent: boolean | undefined;

  constructor(
    readonly method: string,
    /** Path and query, with dot segments resolved and without a fragment. */
    readonly target: string,
    readonly headers: HttpHeaders,
    /** Undefined if the request has none. */
    readonly body: Body | undefined,
    /** The client's address; empty on a Unix socket. */
    readonly ip: string,
    /** Required for deferred responses. */
    private readonly responder?: Responder,
  ) {}

  /**
   * Sends the response of a handler that returned `deferred`. Later calls are ignored, because they would respond to
   * the next request.
   */
  respond(response: HttpResponse): void {
    if (this.#hasResponded) {
      response.discard();
      return;
    }
    this.#hasResponded = true;
    this.responder?.respond(this, response);
  }

  /** Sends 103 Early Hints with a value of `Link`, if the response has not begun and the client knows HTTP/1.1. */
  sendEarlyHints(link: string): void {
    this.responder?.earlyHints?.(this, link);
  }

  /** Calls the listener once when the client disconnects, or immediately if it already has. */
  set abortListener(listener: AbortListener | undefined) {
    this.#abortListener = listener;
    if (this.isAborted) listener?.onAbort();
  }

  abort(): void {
    this.isAborted = true;
    this.#abortListener?.onAbort();
  }

  /**
   * Calls the listener once after the last byte of the response was written or the connection closed, or immediately if
   * that has happened.
   */
  set doneListener(listener: DoneListener) {
    if (this.#wasSent === undefined) this.#doneListener = listener;
    else void listener(this.#wasSent);
  }

  /** Called when the connection has finished the request. Later calls are ignored. */
  done(wasSent: boolean): void {
    if (this.#wasSent !== undefined) return;
    this.#wasSent = wasSent;
    const finished = this.#doneListener?.(wasSent);
    if (finished && this.#reservation) void finished.finally(() => this.#reservation!.release());
    else this.#reservation?.release();
  }

  /** Counts bytes that are buffered for the request, until it is done. Returns false if there is no memory for them. */
  reserve(bytes: number): boolean {
    if (!this.memory || bytes === 0) return true;
    if (this.#wasSent !== undefined) return false;
    this.#reservation ??= new Reservation(this.memory, () => this.holders);
    return this.#reservation.reserve(bytes);
  }

  /** Releases at most what is reserved. */
  release(bytes: number): void {
    this.#reservation?.release(bytes);
  }

  get holders(): Holders {
    const { account, customer } = this;
    const network = addressGroup(this.ip);
    return { clients: customer === undefined ? [network] : [network, customer], account };
  }
}
