import { Body, type Flow } from "../message/body.ts";
import { BodyReader } from "../message/body-reader.ts";
import { writeBody, writeContent } from "../message/body-writer.ts";
import { HeadParser, type ResponseHead } from "../message/head.ts";
import { HttpResponse } from "../message/http-response.ts";
import { NameSet } from "../message/name-set.ts";
import { ProtocolError } from "../message/protocol-error.ts";
import { TunnelEnd } from "../message/tunnel.ts";
import { outgoing } from "../output/outgoing.ts";
import { Output } from "../output/output.ts";
import { type ClientRequest, type PendingRequest, SendTimeout } from "./client-request.ts";

/** The pool that a connection belongs to. */
export interface ConnectionPool {
  /** The connection is idle and can carry another request. */
  release(connection: ClientConnection): void;
  /** The connection streams a body: call `checkSending` every second until it returns false. */
  watchSending(connection: ClientConnection): void;
  /** The connection is closed. */
  remove(connection: ClientConnection): void;
  /** The connection closed before a response began, and the request is safe to retry. */
  retry(pending: PendingRequest): void;
}

/** How long a server may leave a streamed body unread. A request can set another limit. */
const defaultSendTimeoutSeconds = 60;

/** Idle timeout where the server sends no `Keep-Alive: timeout`. */
const defaultIdleSeconds = 30;

const idempotentMethods = new Set(["GET", "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE"]);
/** Methods that send `Content-Length: 0` when there is no body. */
const withBody = new Set(["POST", "PUT", "PATCH"]);

/** Headers that the connection writes itself. */
const own = new NameSet("host", "content-length", "transfer-encoding", "connection", "upgrade");

/** A connection to a server. Carries one request at a time. */
export class ClientConnection implements Flow {
  /** How long it may stay idle before it is closed. */
  idleSeconds = defaultIdleSeconds;
  idleSince = 0;
  #socket: Bun.Socket<ClientConnection> | undefined;
  #output: Output | undefined;
  #pending: PendingRequest | undefined;
  #buffered: Buffer | undefined;
  readonly #heads = new HeadParser();
  #reader: BodyReader | undefined;
  /** The request's body while it is being sent. */
  #sending: Body | undefined;
  #sendTimeoutSeconds = defaultSendTimeoutSeconds;
  /** The number of seconds in which the server has read nothing. */
  #stalledSeconds = 0;
  #tunnel: TunnelEnd | undefined;
  #isFresh = true;
  #keepAlive = true;
  #isReady = false;
  #isPaused = false;
  #isOver = false;
  #error: Error | undefined;

  constructor(
    readonly key: string,
    private readonly pool: ConnectionPool,
  ) {}

  dispatch(pending: PendingRequest): void {
    this.#pending = pending;
    pending.onCancel = this.#onCancel;
    if (this.#isReady) this.#send(pending);
  }

  get isConnecting(): boolean {
    return !this.#isReady && !this.#isOver;
  }

  /** An address did not accept the connection, so another one is tried. */
  attemptFailed(reason: string, address: string): void {
    this.#pending?.attemptFailed(reason, address);
  }

  /** The socket is open. With TLS, requests wait for the handshake. */
  opened(socket: Bun.Socket<ClientConnection>, isReady: boolean, preamble?: Uint8Array): void {
    this.#socket = socket;
    this.#output = new Output(socket, "server");
    if (preamble) this.#output.bytes(preamble);
    if (this.#isOver) socket.terminate();
    else if (isReady) this.#ready();
  }

  /** The TLS handshake has finished. The certificate may be trusted or not. */
  handshakeDone(isTrusted: boolean, error: Error | null): void {
    if (isTrusted) this.#ready();
    else this.fail(error ?? new Error("the server's certificate is not trusted"));
  }

  received(bytes: Buffer): void {
    if (this.#tunnel) {
      this.#tunnel.received(bytes);
      return;
    }
    const buffered = this.#buffered ? Buffer.concat([this.#buffered, bytes]) : bytes;
    this.#buffered = undefined;
    try {
      if (this.#reader) this.#readBody(this.#reader, buffered, 0);
      else if (this.#pending) this.#readHead(this.#pending, buffered);
      // The server sent bytes without a request.
      else this.#end();
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.fail(error);
    }
  }

  drained(): void {
    this.#stalledSeconds = 0;
    this.#output?.drained();
  }

  /** Returns false once the body is sent. */
  checkSending(): boolean {
    if (!this.#sending || this.#isOver) return false;
    if (!this.#output!.isWaiting) this.#stalledSeconds = 0;
    else this.#stalledSeconds += 1;
    if (this.#stalledSeconds <= this.#sendTimeoutSeconds) return true;
    this.fail(new SendTimeout());
    return false;
  }

  /** Connecting failed, the socket broke, or the server sent invalid HTTP. */
  fail(error: Error): void {
    this.#error = error;
    if (this.#reader) this.#reader.fail(error);
    this.#end();
    this.closed();
  }

  /** The socket closed; with an error if it broke. */
  closed(error?: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.pool.remove(this);
    this.#tunnel?.closed();
    this.#sending?.cancel();
    this.#reader?.closed(error);
    const pending = this.#pending;
    if (!pending || this.#reader) return;
    this.#pending = undefined;
    const { method, body, noRetry } = pending.request;
    const isRetryable = idempotentMethods.has(method) && !noRetry && !(body instanceof Body) && !pending.isRetried;
    if (!this.#isFresh && !this.#error && isRetryable) this.pool.retry(pending);
    else pending.fail(this.#error ?? new Error("the connection was closed before a response"));
  }

  /** Closes an idle connection. */
  end(): void {
    this.#socket?.end();
  }

  pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#socket!.pause();
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#socket!.resume();
  }

  /** HTTP/1.1 can only cancel a response by closing the connection. */
  cancel(): void {
    this.#end();
  }

  #ready(): void {
    this.#isReady = true;
    if (this.#pending) this.#send(this.#pending);
  }

  readonly #onCancel = (): void => {
    this.#pending = undefined;
    this.#end();
    this.closed();
  };

  #end(): void {
    this.#socket?.terminate();
  }

  #send(pending: PendingRequest): void {
    const { request } = pending;
    pending.isSent = true;
    const { method, target, headers, body, upgrade, origin, host = origin.host } = request;
    const content = body instanceof Body ? (body.wholeText() ?? body.whole() ?? body) : body;
    outgoing.begin(method);
    outgoing.text(" ");
    outgoing.text(target);
    outgoing.text(" HTTP/1.1\r\n");
    outgoing.line("host", host);
    headers.write(own);
    if (upgrade !== undefined) {
      outgoing.text("connection: upgrade\r\n");
      outgoing.line("upgrade", upgrade);
    }
    if (content instanceof Body) {
      this.#sendBody(content, request);
      return;
    }
    if ((content !== undefined && content.length > 0) || withBody.has(method)) {
      writeContent(this.#output!, content ?? "");
    } else {
      outgoing.text("\r\n");
      this.#output!.send();
    }
    request.onSent?.();
  }

  #sendBody(body: Body, { onSent, sendTimeoutSeconds = defaultSendTimeoutSeconds }: ClientRequest): void {
    const output = this.#output!;
    const isChunked = body.length === undefined;
    if (isChunked) outgoing.text("transfer-encoding: chunked\r\n");
    else outgoing.line("content-length", String(body.length));
    outgoing.text("\r\n");
    output.send();
    this.#sending = body;
    this.#sendTimeoutSeconds = sendTimeoutSeconds;
    this.#stalledSeconds = 0;
    this.pool.watchSending(this);
    writeBody(output, body, isChunked, {
      end: () => {
        this.#sending = undefined;
        onSent?.();
        if (this.#reader?.isDone) this.#finished();
      },
      fail: (error) => this.fail(error),
    });
  }

  #readHead(pending: PendingRequest, buffered: Buffer): void {
    const head = this.#heads.response(pending.request.method, buffered);
    if (!head) {
      this.#buffered = buffered;
      return;
    }
    const bodyAt = head.size;
    if (head.status === 101) {
      this.#switch(pending, head, buffered.subarray(bodyAt));
      return;
    }
    if (head.status < 200) {
      if (head.status === 103) pending.earlyHints(head.headers);
      if (bodyAt < buffered.length) this.#readHead(pending, buffered.subarray(bodyAt));
      return;
    }
    const { framing } = head;
    this.#keepAlive = head.keepAlive;
    this.idleSeconds = idleSecondsFrom(head.headers.get("keep-alive")) ?? defaultIdleSeconds;
    this.#isFresh = false;
    // Most responses arrive in one piece.
    if (framing === buffered.length - bodyAt && !this.#sending) {
      this.#finished();
      pending.complete(
        framing === 0
          ? new HttpResponse(head.status, head.headers)
          : HttpResponse.received(head.status, head.headers, buffered, bodyAt),
      );
      return;
    }
    const reader = new BodyReader(framing, this);
    this.#reader = reader;
    // Done before the response is returned, because most bodies arrive with their head and are complete then.
    try {
      this.#readBody(reader, buffered, bodyAt);
    } finally {
      pending.complete(new HttpResponse(head.status, head.headers, framing === 0 ? undefined : reader.body));
    }
  }

  #readBody(reader: BodyReader, buffered: Buffer, from: number): void {
    const next = reader.isDone ? from : reader.read(buffered, from);
    if (!reader.isDone) return;
    // The server sent bytes beyond the response, so the connection cannot be reused.
    if (next < buffered.length) this.#keepAlive = false;
    if (!this.#sending) this.#finished();
  }

  #finished(): void {
    // The connection may carry another request next, and canceling this one must not affect it.
    if (this.#pending) this.#pending.onCancel = undefined;
    this.#pending = undefined;
    this.#reader = undefined;
    // The consumer may have paused on the last piece, but the next response must still be read.
    this.resume();
    // A server that responded before it read the whole request may never read the rest.
    if (this.#keepAlive && !this.#isOver && !this.#output!.isWaiting) this.pool.release(this);
    else this.#end();
  }

  #switch(pending: PendingRequest, head: ResponseHead, early: Buffer): void {
    if (pending.request.upgrade === undefined) throw new ProtocolError("the server upgraded without a request for it");
    this.#pending = undefined;
    const response = new HttpResponse(head.status, head.headers);
    response.tunnel = new TunnelEnd(this.#socket!, this.#output!);
    this.#tunnel = response.tunnel;
    if (early.length > 0) this.#tunnel.received(early);
    pending.complete(response);
  }
}

/** One second less than the server's timeout, so that a request never races with its close. */
function idleSecondsFrom(keepAlive: string | null): number | undefined {
  const seconds = /timeout=(\d+)/.exec(keepAlive ?? "")?.[1];
  return seconds === undefined ? undefined : Math.max(0, Math.min(Number(seconds) - 1, defaultIdleSeconds));
}
