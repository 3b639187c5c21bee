import { addressGroup } from "../../../lib/network/address-group.ts";
import { Reservation } from "../memory/buffer-memory.ts";
import { deferred, type HttpRequest } from "../message/http-request.ts";
import { type HttpResponse, statusLine } from "../message/http-response.ts";
import { ProtocolError } from "../message/protocol-error.ts";
import { TunnelEnd } from "../message/tunnel.ts";
import { outgoing } from "../output/outgoing.ts";
import { Output } from "../output/output.ts";
import type { AcceptedConnection } from "./accepted-connection.ts";
import type { ConnectionContext, RequestHandler } from "./request-handler.ts";
import { type InputOptions, RequestInput } from "./request-input.ts";
import { connectionHeaders, endsWithConnection, ResponseWriter } from "./response-writer.ts";

/** How long to wait for the client to send. */
const idleTimeoutSeconds = 60;
/** How long to wait for the client to read the last response and close. */
const lingerSeconds = 5;
/** How long to wait for more of a started response after the client half-closed: the client may be gone. */
const halfClosedSeconds = 10;

/** A client's connection: handles its requests one after the other and writes their responses. */
export class ServerConnection implements AcceptedConnection {
  readonly #output: Output;
  readonly #input: RequestInput;
  readonly #writer: ResponseWriter;
  readonly #onWritten = () => this.#responseWritten();
  /** The request in progress: it is not completely received, or its response is not completely sent. */
  #request: HttpRequest | undefined;
  /** The head of the response is written. */
  #isResponding = false;
  #isResponseSent = false;
  #isHttp10 = false;
  #keepAlive = true;
  #isReading = false;
  #isClosing = false;
  #isOver = false;
  #tunnel: TunnelEnd | undefined;
  #lastActivity: number;
  /** The client will send no more. */
  #isHalfClosed = false;
  #lastWrites = 0;

  constructor(
    private readonly socket: Bun.Socket<AcceptedConnection>,
    ip: string,
    private readonly handler: RequestHandler,
    private readonly context: ConnectionContext,
    options: InputOptions = {},
  ) {
    this.#output = new Output(
      socket,
      "client",
      () =>
        new Reservation(context.memory, () => this.#request?.holders ?? { clients: [addressGroup(this.#input.ip)] }),
    );
    this.#input = new RequestInput(socket, this.#output, ip, context, options);
    this.#writer = new ResponseWriter(this.#output, () => {
      this.#output.flush();
      socket.terminate();
    });
    this.#lastActivity = context.second;
  }

  get idleSeconds(): number | undefined {
    const isIdle = this.#request === undefined && !this.#tunnel && !this.#isClosing && !this.#output.isWaiting;
    return isIdle ? this.context.second - this.#lastActivity : undefined;
  }

  /** Closes the connection immediately to make room for another. */
  evict(): void {
    if (this.context.isStopping && !this.context.isLingering && this.#request === undefined && !this.#isClosing)
      this.#onProtocolError(new ProtocolError("there are too many connections", 503));
    this.#output.flush();
    this.socket.end();
  }

  get isUndecided(): boolean {
    return this.#request !== undefined && !this.#isResponding;
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
    this.#input.received(bytes);
    this.#read();
  }

  /** The client closed its half. It may still wait for the response. */
  ended(): void {
    this.#isHalfClosed = true;
    this.#output.flush();
    if ((this.#isClosing || this.#request === undefined) && this.#output.isWaiting) {
      this.#output.end(true);
      return;
    }
    if (this.#request === undefined || this.#input.isInBody || this.#tunnel) {
      this.socket.end();
      return;
    }
    this.#lastActivity = this.context.second;
    // A client that is gone resets the connection when it receives this; one that waits ignores it.
    if (!this.#isResponding && !this.#isHttp10) this.#output.text("HTTP/1.1 100 Continue\r\n\r\n");
  }

  drained(): void {
    this.#lastActivity = this.context.second;
    this.#output.drained();
  }

  closed(): void {
    this.#isOver = true;
    this.#output.closed();
    // First, so that a handler that sees the body fail can read the reason.
    if (!this.#isResponseSent) this.#request?.abort();
    this.#input.closed();
    this.#tunnel?.closed();
    this.#writer.cancel();
    // Last, so that a listener sees that the body of the response was cancelled. An upgraded connection ends by
    // closing.
    this.#request?.done(this.#tunnel !== undefined);
  }

  checkTimeouts(): void {
    const { second } = this.context;
    // While a response streams, either side of a bidirectional stream may be silent.
    const isStreaming = this.#isResponding && !this.#isResponseSent;
    const awaitsBody = this.#input.awaitsBody && !isStreaming;
    if (awaitsBody && this.#input.checkBodyRate())
      this.#onProtocolError(new ProtocolError("the body is sent too slowly", 408));
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
    if (!isIdle && !this.#input.isHeadLate) return;
    // `terminate` would drop bytes that the kernel still has to deliver to a slow reader.
    if (isFlushed) this.socket.end();
    else this.socket.terminate();
  }

  closeWithNextResponse(): void {
    if (this.isUndecided) this.#keepAlive = false;
  }

  finish(): void {
    if (this.#tunnel) this.#tunnel.end();
    else if (this.#request === undefined) this.#close();
    else this.#keepAlive = false;
  }

  #read(): void {
    // A synchronous response calls this function again.
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      while (this.#input.isBuffered && this.#readMore());
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.#onProtocolError(error);
    } finally {
      this.#isReading = false;
    }
  }

  /** Returns false if nothing more can be parsed for now. */
  #readMore(): boolean {
    if (this.#input.isInBody) {
      if (this.#input.readBody() && this.#isResponseSent) this.#nextRequest();
      return true;
    }
    if (this.#request !== undefined) {
      this.#input.limitBuffered();
      return false;
    }
    const request = this.#input.next(this);
    if (!request) return false;
    this.#isHttp10 = this.#input.isHttp10;
    this.#keepAlive = !this.context.isStopping && this.#input.keepAlive;
    this.#isResponding = false;
    this.#isResponseSent = false;
    this.#request = request;
    this.#handle(request);
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

  earlyHints(request: HttpRequest, link: string): void {
    if (request !== this.#request || this.#isResponding || this.#isHttp10 || this.#isOver) return;
    outgoing.begin("HTTP/1.1 103 Early Hints\r\n");
    outgoing.line("link", link);
    outgoing.text("\r\n");
    this.#output.send();
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
    this.#keepAlive = false;
    if (this.#input.isInBody) {
      // The body reports the error to the handler, whose response the client has time to read.
      this.#isClosing = true;
      this.#lastActivity = this.context.second;
      this.#input.fail(error);
      if (this.#isResponseSent) this.#close();
      return;
    }
    this.#input.fail(error);
    this.#isResponseSent = false;
    this.#write("GET", this.handler.reject(error, this.#input.ip));
  }

  #respond(request: HttpRequest, response: HttpResponse): void {
    if (this.#isOver) {
      response.discard();
      request.done(false);
      return;
    }
    if (response.tunnel) {
      this.#switch(response, response.tunnel);
      return;
    }
    // A body that has no consumer at this point will not get one.
    if (!this.#input.hasConsumer && !this.#input.canDiscardBody) this.#keepAlive = false;
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
    const early = this.#input.take();
    if (early) this.#tunnel.received(early);
    this.#isResponseSent = true;
    this.#tunnel.joinWith(other);
  }

  #responseWritten(): void {
    this.#isResponseSent = true;
    this.#request?.done(true);
    if (!this.#keepAlive) {
      this.#close();
      return;
    }
    if (!this.#input.isInBody) this.#nextRequest();
    else if (this.#input.canDiscardBody) this.#input.discardBody();
    else this.#close();
  }

  #nextRequest(): void {
    // Backpressure: responses must not accumulate for a client that pipelines and does not read.
    if (this.#output.isWaiting && !this.context.isStopping) {
      this.#output.onDrained = () => this.#nextRequest();
      return;
    }
    this.#output.onDrained = undefined;
    this.#request = undefined;
    // The client may send its next request already if the response did not say that the connection closes.
    if (this.context.isStopping && !this.context.isLingering) {
      this.#close();
      return;
    }
    this.#input.readOn();
    this.#read();
    if (this.#isHalfClosed && this.#request === undefined && !this.#isClosing) this.#close();
  }

  /** Stops reading and writing, and waits for the client to read the response (lingering close). */
  #close(): void {
    this.#isClosing = true;
    this.#request = undefined;
    this.#input.close();
    this.#lastActivity = this.context.second;
    this.#output.end(this.#isHalfClosed);
  }
}
