import { Body, type Flow } from "../message/body.ts";
import { BodyReader, textBody } from "../message/body-reader.ts";
import { beginsLikeRequest, HeadParser } from "../message/head.ts";
import type { HttpHeaders } from "../message/headers.ts";
import { HttpRequest, type Responder } from "../message/http-request.ts";
import { ProtocolError } from "../message/protocol-error.ts";
import type { Output } from "../output/output.ts";
import { parseProxyHeader } from "./proxy-protocol.ts";
import type { ConnectionContext } from "./request-handler.ts";

/** Pipelined requests are buffered up to this size. Beyond it the socket is paused. */
const maxBufferedBytes = 64 * 1024;
/** An unread body up to this size is discarded to keep the connection alive. A longer one closes it. */
const maxDiscardedBytes = 64 * 1024;

/** How long a head may take, even if bytes keep arriving. */
const headTimeoutSeconds = 30;
const minRateGraceSeconds = 60;
/** What is buffered as a whole takes memory that others need. */
const wholeBody = { graceSeconds: 10, minBytesPerSecond: 16 * 1024 };

const carriageReturn = 0x0d;
const lineFeed = 0x0a;

export interface InputOptions {
  /** The connection begins with a PROXY protocol header; `withName` also uses the server name in it. */
  expectsProxyHeader?: boolean | "withName";
  /** The server name of SNI, in lower case. */
  serverName?: string | undefined;
}

/** The input of a connection: consecutive requests, of which the body of the last may still be arriving. */
export class RequestInput implements Flow {
  readonly #heads = new HeadParser();
  /** Bytes that are received but not parsed yet. */
  #buffered: Buffer | undefined;
  /** Reads the last request's body until it is complete. */
  #reader: BodyReader | undefined;
  #expectsContinue = false;
  #isPaused = false;
  #isTrusted: boolean;
  /** When the incomplete head began to arrive. */
  #headStarted: number | undefined;
  /** The seconds in which the server waited for more of the last request's body. */
  #bodySeconds = 0;
  #expectsProxyHeader: boolean | "withName";
  #serverName: string | undefined;
  isHttp10 = false;
  keepAlive = true;

  constructor(
    private readonly socket: Pick<Bun.Socket<unknown>, "pause" | "resume">,
    /** Sends `100 Continue`. */
    private readonly output: Output,
    /** The address of the client, or of the proxy in front of it. */
    public ip: string,
    private readonly context: ConnectionContext,
    { expectsProxyHeader = false, serverName }: InputOptions,
  ) {
    this.#expectsProxyHeader = expectsProxyHeader;
    this.#serverName = serverName;
    this.#isTrusted = context.trustedProxies.has(ip);
  }

  get isBuffered(): boolean {
    return this.#buffered !== undefined;
  }

  /** Whether the last request's body is incomplete. */
  get isInBody(): boolean {
    return this.#reader !== undefined;
  }

  /** Whether the server waits for the client to send more of a body. */
  get awaitsBody(): boolean {
    return this.#reader !== undefined && !this.#isPaused && !this.#expectsContinue;
  }

  /** Whether the rest of a body, if any, is short enough to be read and discarded. */
  get canDiscardBody(): boolean {
    return this.#reader === undefined || (this.#reader.left <= maxDiscardedBytes && !this.#expectsContinue);
  }

  get hasConsumer(): boolean {
    return this.#reader === undefined || this.#reader.body.isConsumed;
  }

  received(bytes: Buffer): void {
    this.#buffered = this.#buffered ? Buffer.concat([this.#buffered, bytes]) : bytes;
  }

  /** Returns the unparsed bytes, which belong to another protocol. */
  take(): Buffer | undefined {
    const buffered = this.#buffered;
    this.#buffered = undefined;
    return buffered;
  }

  /** Passes the buffered bytes to the body. Returns true if that completes it. Throws a ProtocolError. */
  readBody(): boolean {
    const reader = this.#reader!;
    const buffered = this.#buffered!;
    const next = reader.read(buffered, 0);
    this.#buffered = next < buffered.length ? buffered.subarray(next) : undefined;
    if (!reader.isDone) return false;
    this.#reader = undefined;
    this.readOn();
    return true;
  }

  /** Called while buffered bytes must wait for the response to the last request. */
  limitBuffered(): void {
    if (this.#buffered!.length > maxBufferedBytes) this.pause();
  }

  /** Parses the next request. Returns undefined if its head is incomplete. Throws a ProtocolError. */
  next(responder: Responder): HttpRequest | undefined {
    if (this.#expectsProxyHeader) this.#readProxyHeader();
    const buffered = this.#buffered;
    if (this.#expectsProxyHeader || buffered === undefined) return undefined;
    // Some clients send an extra CRLF after a body (RFC 9112, 2.2).
    const from = buffered[0] === carriageReturn && buffered[1] === lineFeed ? 2 : 0;
    const head = this.#heads.request(buffered, from);
    if (!head) {
      // Probably a TLS handshake, so waiting for more bytes is useless.
      if (!beginsLikeRequest(buffered, from)) throw new ProtocolError("this is not HTTP");
      this.#headStarted ??= this.context.second;
      return undefined;
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
    if (!this.#reader) this.readOn();
    this.#expectsContinue =
      bodyAt === buffered.length && reader !== undefined && !head.isHttp10 && expectsContinue(head.headers);
    this.isHttp10 = head.isHttp10;
    this.keepAlive = head.keepAlive;
    this.#bodySeconds = 0;
    const body = whole === undefined ? reader?.body : Body.ofText(whole);
    const ip = this.#isTrusted ? this.context.trustedProxies.clientOf(head.headers, this.ip) : this.ip;
    const request = new HttpRequest(head.method, head.target, head.headers, body, ip, responder);
    request.memory = this.context.memory;
    if (this.#serverName !== undefined) request.serverName = this.#serverName;
    if (this.#isTrusted) request.forwarder = { address: this.ip, protocol: forwardedProtocol(head.headers) };
    return request;
  }

  #readProxyHeader(): void {
    const buffered = this.#buffered!;
    const header = parseProxyHeader(buffered);
    if (!header) {
      this.#headStarted ??= this.context.second;
      return;
    }
    if (this.#expectsProxyHeader === "withName") this.#serverName = header.serverName;
    this.#expectsProxyHeader = false;
    this.#buffered = header.size < buffered.length ? buffered.subarray(header.size) : undefined;
    if (header.address === undefined) return;
    this.ip = header.address;
    this.#isTrusted = this.context.trustedProxies.has(header.address);
  }

  get isHeadLate(): boolean {
    return this.#headStarted !== undefined && this.context.second - this.#headStarted > headTimeoutSeconds;
  }

  /** Called in each second in which the server waits for more of the body. Returns true if the client is too slow. */
  checkBodyRate(): boolean {
    const { bodySeconds, minBodyBytesPerSecond } = this.context.timeouts;
    const { isBuffered, received } = this.#reader!.body;
    this.#bodySeconds += 1;
    const seconds = this.#bodySeconds;
    if (seconds > bodySeconds || (seconds > minRateGraceSeconds && received < seconds * minBodyBytesPerSecond))
      return true;
    return isBuffered && seconds > wholeBody.graceSeconds && received < seconds * wholeBody.minBytesPerSecond;
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
      this.output.text("HTTP/1.1 100 Continue\r\n\r\n");
    }
    this.readOn();
  }

  /** The rest of the body is still read and discarded, because the next request follows it. */
  cancel(): void {
    this.readOn();
  }

  /** A paused socket does not report that the client disconnected, so it stays paused no longer than necessary. */
  readOn(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.socket.resume();
  }

  /** Fails the body so that a consumer, such as an upstream connection, does not wait forever for the rest. */
  discardBody(): void {
    this.#reader?.body.fail(new Error("the response was sent before the whole body was received"));
    this.readOn();
  }

  /** The bytes that follow cannot be parsed. */
  fail(error: ProtocolError): void {
    const reader = this.#reader;
    this.#buffered = undefined;
    this.#reader = undefined;
    reader?.fail(error);
  }

  /** Stops parsing. */
  close(): void {
    this.#buffered = undefined;
    this.discardBody();
  }

  /** The client disconnected. */
  closed(): void {
    this.#reader?.closed();
  }
}

function forwardedProtocol(headers: HttpHeaders): "http" | "https" | undefined {
  const last = headers.get("x-forwarded-proto")?.split(",").at(-1)?.trim().toLowerCase();
  return last === "http" || last === "https" ? last : undefined;
}

function expectsContinue(headers: HttpHeaders): boolean {
  return headers.get("expect")?.toLowerCase() === "100-continue";
}
