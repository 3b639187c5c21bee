import type { AcceptedConnection } from "./accepted-connection.ts";
import { Body, type Flow } from "./body.ts";
import { BodyReader, textBody } from "./body-reader.ts";
import { beginsLikeRequest, HeadParser } from "./head.ts";
import type { HttpHeaders } from "./headers.ts";
import { deferred, HttpRequest } from "./http-request.ts";
import { type HttpResponse, statusLine } from "./http-response.ts";
import { outgoing } from "./outgoing.ts";
import { Output } from "./output.ts";
import { ProtocolError } from "./protocol-error.ts";
import { parseProxyHeader } from "./proxy-protocol.ts";
import { connectionHeaders, endsWithConnection, ResponseWriter } from "./response-writer.ts";
import type { TrustedProxies } from "./trusted-proxies.ts";
import { TunnelEnd } from "./tunnel.ts";

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
  /** On average, after `minRateGraceSeconds`. */
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

/** Pipelined requests are buffered up to this; beyond it the socket is paused. */
const maxBufferedBytes = 64 * 1024;
/** An unread body is discarded up to this to keep the connection; a longer one closes it. */
const maxDiscardedBytes = 64 * 1024;

/** How long to wait for the client when it is its turn. */
const idleTimeoutSeconds = 60;
/** How long a head may take, even if bytes keep arriving. */
const headTimeoutSeconds = 30;
/** How long to wait for the client to read the last response and close. */
const lingerSeconds = 5;
/** How long a client that closed its half waits for more of a response that has begun: it may as well be gone. */
const halfClosedSeconds = 10;
const minRateGraceSeconds = 60;

const carriageReturn = 0x0d;
const lineFeed = 0x0a;

/** A client's connection: parses requests one after the other and writes their responses. */
export class ServerConnection implements AcceptedConnection, Flow {
  readonly #output: Output;
  readonly #heads = new HeadParser();
  readonly #writer: ResponseWriter;
  readonly #onWritten = () => this.#responseWritten();
  /** Received and not parsed yet. */
  #buffered: Buffer | undefined;
  /** The request in progress: not received, or its response not sent, completely. */
  #request: HttpRequest | undefined;
  /** Reads that request's body until it is complete. */
  #reader: BodyReader | undefined;
  /** The head of the response is written. */
  #isResponding = false;
  #isResponseSent = false;
  #isHttp10 = false;
  #keepAlive = true;
  #expectsContinue = false;
  #isReading = false;
  #isPaused = false;
  #isClosing = false;
  #isOver = false;
  #tunnel: TunnelEnd | undefined;
  #lastActivity: number;
  #isTrusted: boolean;
  /** The client sends no more. */
  #isHalfClosed = false;
  /** Of the body of the request in progress. */
  #bodyBytes = 0;
  #bodySeconds = 0;
  #lastWrites = 0;
  /** When the incomplete head began to arrive. */
  #headStarted: number | undefined;

  constructor(
    private readonly socket: Bun.Socket<AcceptedConnection>,
    private ip: string,
    private readonly handler: RequestHandler,
    private readonly context: ConnectionContext,
    /** The connection begins with a PROXY protocol header. */
    private expectsProxyHeader = false,
  ) {
    this.#output = new Output(socket);
    this.#writer = new ResponseWriter(this.#output, () => socket.terminate());
    this.#lastActivity = context.second;
    this.#isTrusted = context.trustedProxies.has(ip);
  }

  get idleSeconds(): number | undefined {
    const isIdle = this.#request === undefined && !this.#tunnel && !this.#isClosing && !this.#output.isWaiting;
    return isIdle ? this.context.second - this.#lastActivity : undefined;
  }

  /** Makes room for another connection, at once. */
  evict(): void {
    if (this.context.isStopping && this.#request === undefined && !this.#isClosing)
      this.#onProtocolError(new ProtocolError("there are too many connections", 503));
    this.socket.end();
  }

  get isBusy(): boolean {
    return !this.#tunnel && (this.#request !== undefined || this.#output.isWaiting);
  }

  received(bytes: Buffer): void {
    if (this.#isClosing) return;
    this.#lastActivity = this.context.second;
    if (this.#tunnel) {
      this.#tunnel.received(bytes);
      return;
    }
    this.#buffered = this.#buffered ? Buffer.concat([this.#buffered, bytes]) : bytes;
    if (this.#reader) this.#bodyBytes += bytes.length;
    this.#read();
  }

  /** The client closed its half. It may still want the response to what it sent. */
  ended(): void {
    this.#isHalfClosed = true;
    if (this.#isClosing && this.#output.isWaiting) {
      this.#output.end(true);
      return;
    }
    if (this.#request === undefined || this.#reader || this.#tunnel) {
      this.socket.end();
      return;
    }
    this.#lastActivity = this.context.second;
    // A client that is gone resets the connection when it gets this; one that waits skips it.
    if (!this.#isResponding && !this.#isHttp10) this.#output.text("HTTP/1.1 100 Continue\r\n\r\n");
  }

  drained(): void {
    this.#lastActivity = this.context.second;
    this.#output.drained();
  }

  closed(): void {
    this.#isOver = true;
    // First, so that whoever sees the body fail can see why.
    if (!this.#isResponseSent) this.#request?.abort();
    this.#reader?.closed();
    this.#tunnel?.closed();
    this.#writer.cancel();
  }

  checkTimeouts(): void {
    const { second } = this.context;
    const awaitsBody = this.#awaitsBody();
    if (awaitsBody) this.#checkBodyRate();
    const isHalfOpen = this.#isHalfClosed && this.#isResponding;
    const awaitsClient =
      !this.#tunnel &&
      (this.#request === undefined || awaitsBody || this.#output.isWaiting || this.#isClosing || isHalfOpen);
    const hasWritten = isHalfOpen && this.#output.writes !== this.#lastWrites;
    this.#lastWrites = this.#output.writes;
    if (!awaitsClient || hasWritten) {
      this.#lastActivity = second;
      return;
    }
    const isFlushed = this.#isClosing && !this.#output.isWaiting;
    const timeout = isFlushed ? lingerSeconds : isHalfOpen ? halfClosedSeconds : idleTimeoutSeconds;
    const isIdle = second - this.#lastActivity > timeout;
    const isHeadLate = this.#headStarted !== undefined && second - this.#headStarted > headTimeoutSeconds;
    if (!isIdle && !isHeadLate) return;
    // `terminate` would drop what the kernel still has to deliver to a slow reader.
    if (isFlushed) this.socket.end();
    else this.socket.terminate();
  }

  /** False while a response streams: of a two-way stream either side may be silent. */
  #awaitsBody(): boolean {
    const isStreaming = this.#isResponding && !this.#isResponseSent;
    return this.#reader !== undefined && !this.#isPaused && !this.#expectsContinue && !isStreaming;
  }

  #checkBodyRate(): void {
    const { bodySeconds, minBodyBytesPerSecond } = this.context.timeouts;
    this.#bodySeconds += 1;
    const isSlow =
      this.#bodySeconds > minRateGraceSeconds && this.#bodyBytes < this.#bodySeconds * minBodyBytesPerSecond;
    if (this.#bodySeconds > bodySeconds || isSlow)
      this.#onProtocolError(new ProtocolError("the body is sent too slowly", 408));
  }

  finish(): void {
    if (this.#tunnel) this.#tunnel.end();
    else if (this.#request === undefined) this.#close();
    else this.#keepAlive = false;
  }

  pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.socket.pause();
  }

  /** Also called when the body gets a consumer: `100 Continue` is sent only then. */
  resume(): void {
    if (this.#expectsContinue) {
      this.#expectsContinue = false;
      this.#output.text("HTTP/1.1 100 Continue\r\n\r\n");
    }
    this.#resumeReading();
  }

  /** The rest of the body is still read and discarded: the next request comes after it. */
  cancel(): void {
    this.#resumeReading();
  }

  /** A paused socket does not report that the client disconnected, so it stays paused no longer than necessary. */
  #resumeReading(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.socket.resume();
  }

  #read(): void {
    // A synchronous response re-enters here.
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      while (this.#buffered !== undefined && this.#readMore(this.#buffered));
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.#onProtocolError(error);
    } finally {
      this.#isReading = false;
    }
  }

  /** False if nothing more can be parsed for now. */
  #readMore(buffered: Buffer): boolean {
    if (this.#reader) {
      this.#readBody(this.#reader, buffered);
      return true;
    }
    if (this.#request === undefined) return this.#begin(buffered);
    if (buffered.length > maxBufferedBytes) this.pause();
    return false;
  }

  #readBody(reader: BodyReader, buffered: Buffer): void {
    const next = reader.read(buffered, 0);
    this.#buffered = next < buffered.length ? buffered.subarray(next) : undefined;
    if (!reader.isDone) return;
    this.#reader = undefined;
    this.#resumeReading();
    if (this.#isResponseSent) this.#nextRequest();
  }

  #readProxyHeader(buffered: Buffer): boolean {
    const header = parseProxyHeader(buffered);
    if (!header) {
      this.#headStarted ??= this.context.second;
      return false;
    }
    this.expectsProxyHeader = false;
    this.#buffered = header.size < buffered.length ? buffered.subarray(header.size) : undefined;
    if (header.address !== undefined) {
      this.ip = header.address;
      this.#isTrusted = this.context.trustedProxies.has(header.address);
    }
    return true;
  }

  #begin(buffered: Buffer): boolean {
    if (this.expectsProxyHeader) return this.#readProxyHeader(buffered);
    // Some clients send an extra CRLF after a body (RFC 9112, 2.2).
    const from = buffered[0] === carriageReturn && buffered[1] === lineFeed ? 2 : 0;
    const head = this.#heads.request(buffered, from);
    if (!head) {
      // Probably TLS: do not wait for more.
      if (!beginsLikeRequest(buffered, from)) throw new ProtocolError("this is not HTTP");
      this.#headStarted ??= this.context.second;
      return false;
    }
    this.#headStarted = undefined;
    const { framing } = head;
    const bodyAt = from + head.size;
    const whole = framing === 0 ? undefined : textBody(buffered, bodyAt, framing);
    const reader = framing === 0 || whole !== undefined ? undefined : new BodyReader(framing, this);
    // Most bodies arrive together with their head.
    const next =
      whole !== undefined
        ? bodyAt + whole.length
        : reader && bodyAt < buffered.length
          ? reader.read(buffered, bodyAt)
          : bodyAt;
    this.#buffered = next < buffered.length ? buffered.subarray(next) : undefined;
    this.#reader = reader?.isDone ? undefined : reader;
    if (!this.#reader) this.#resumeReading();
    this.#expectsContinue =
      bodyAt === buffered.length && reader !== undefined && !head.isHttp10 && expectsContinue(head.headers);
    this.#isHttp10 = head.isHttp10;
    this.#keepAlive = !this.context.isStopping && head.keepAlive;
    this.#isResponding = false;
    this.#isResponseSent = false;
    this.#bodyBytes = 0;
    this.#bodySeconds = 0;
    const body = whole === undefined ? reader?.body : Body.ofText(whole);
    const ip = this.#isTrusted ? this.context.trustedProxies.clientOf(head.headers, this.ip) : this.ip;
    this.#request = new HttpRequest(head.method, head.target, head.headers, body, ip, this);
    if (this.#isTrusted) this.#request.forwarder = { address: this.ip, protocol: forwardedProtocol(head.headers) };
    this.#handle(this.#request);
    return true;
  }

  #handle(request: HttpRequest): void {
    try {
      const result = this.handler.handle(request);
      if (result instanceof Promise)
        result.then(
          (response) => this.respond(request, response),
          (error: unknown) => this.respond(request, undefined, error),
        );
      else if (result !== deferred) this.#respond(request, result);
    } catch (error) {
      this.#respond(request, this.handler.onError(error));
    }
  }

  /** Never throws: an unhandled rejection would end the process. */
  respond(request: HttpRequest, response: HttpResponse | undefined, error?: unknown): void {
    try {
      this.#respond(request, response ?? this.handler.onError(error));
    } catch {
      this.socket.terminate();
    }
  }

  /** The rest of the input cannot be parsed. */
  #onProtocolError(error: ProtocolError): void {
    this.#buffered = undefined;
    this.#keepAlive = false;
    if (this.#reader) {
      // The handler learns of it from the body.
      const reader = this.#reader;
      this.#reader = undefined;
      this.#isClosing = true;
      reader.fail(error);
      if (this.#isResponseSent) this.#close();
      return;
    }
    this.#isResponseSent = false;
    this.#write("GET", this.handler.reject(error, this.ip));
  }

  #respond(request: HttpRequest, response: HttpResponse): void {
    if (this.#isOver) {
      response.discard();
      return;
    }
    if (response.tunnel) {
      this.#switch(response, response.tunnel);
      return;
    }
    // A body without a consumer by now will not get one.
    if (this.#reader && !this.#reader.body.isConsumed && !this.#canDiscard(this.#reader)) this.#keepAlive = false;
    if (endsWithConnection(response, this.#isHttp10)) this.#keepAlive = false;
    this.#write(request.method, response);
  }

  #write(method: string, response: HttpResponse): void {
    this.#isResponding = true;
    const { date } = this.context;
    const context = { method, isHttp10: this.#isHttp10, keepAlive: this.#keepAlive, date };
    this.#writer.write(response, context, this.#onWritten);
  }

  #switch(response: HttpResponse, other: TunnelEnd): void {
    const { status, headers } = response;
    outgoing.begin(statusLine(status));
    headers.write(connectionHeaders);
    outgoing.text("connection: upgrade\r\n\r\n");
    this.#output.send();
    this.#tunnel = new TunnelEnd(this.socket, this.#output);
    if (this.#buffered) this.#tunnel.received(this.#buffered);
    this.#buffered = undefined;
    this.#isResponseSent = true;
    this.#tunnel.joinWith(other);
  }

  #responseWritten(): void {
    this.#isResponseSent = true;
    if (!this.#keepAlive) {
      this.#close();
      return;
    }
    if (this.#reader === undefined) {
      this.#nextRequest();
      return;
    }
    if (this.#canDiscard(this.#reader)) this.#discardBody(this.#reader.body);
    else this.#close();
  }

  /** Fails the body, so that a consumer (an upstream connection) does not wait for the rest forever. */
  #discardBody(body: Body): void {
    body.fail(new Error("the response was sent before the whole body was received"));
    this.#resumeReading();
  }

  #canDiscard(reader: BodyReader): boolean {
    return reader.left <= maxDiscardedBytes && !this.#expectsContinue;
  }

  #nextRequest(): void {
    // Backpressure: a client that pipelines and does not read must not pile up responses.
    if (this.#output.isWaiting && !this.context.isStopping) {
      this.#output.onDrained = () => this.#nextRequest();
      return;
    }
    this.#output.onDrained = undefined;
    this.#request = undefined;
    if (this.context.isStopping) {
      this.#close();
      return;
    }
    this.#resumeReading();
    this.#read();
    if (this.#isHalfClosed && this.#request === undefined && !this.#isClosing) this.#close();
  }

  /** Stops reading and writing, and lets the client read what was sent (lingering close). */
  #close(): void {
    this.#isClosing = true;
    this.#request = undefined;
    this.#buffered = undefined;
    if (this.#reader) this.#discardBody(this.#reader.body);
    this.#resumeReading();
    this.#lastActivity = this.context.second;
    this.#output.end(this.#isHalfClosed);
  }
}

function forwardedProtocol(headers: HttpHeaders): "http" | "https" | undefined {
  const last = headers.get("x-forwarded-proto")?.split(",").at(-1)?.trim().toLowerCase();
  return last === "http" || last === "https" ? last : undefined;
}

function expectsContinue(headers: HttpHeaders): boolean {
  return headers.get("expect")?.toLowerCase() === "100-continue";
}
