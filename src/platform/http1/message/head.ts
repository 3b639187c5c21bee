import { hostnameOf, isHost } from "../../../lib/network/hosts.ts";
import { HttpHeaders } from "./headers.ts";
import { ProtocolError } from "./protocol-error.ts";
import { resolvedTarget } from "./target.ts";

const headEnd = "\r\n\r\n";
const lineBreak = 2;
const [carriageReturn, lineFeed] = [0x0d, 0x0a];
const maxHeadBytes = 32 * 1024;
/** The number of bytes decoded first. Most heads are shorter, and decoding the body after them would be wasted. */
const typicalHeadBytes = 2048;

interface RequestHead {
  /** The length in bytes including the empty line. The body begins at this offset. */
  size: number;
  method: string;
  /** Path and query. */
  target: string;
  isHttp10: boolean;
  framing: Framing;
  /** Whether the connection may carry another message after this one. */
  keepAlive: boolean;
  headers: HttpHeaders;
}

export interface ResponseHead {
  size: number;
  status: number;
  framing: Framing;
  /** Whether the connection may carry another message after this one. */
  keepAlive: boolean;
  headers: HttpHeaders;
}

/** How a body is delimited: by its length, by chunks, or by the end of the connection. */
export type Framing = number | "chunked" | "until close";

const method = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const beginning = /^[!#$%&'*+.^_`|~0-9A-Za-z-]|^\r?$/;
const notInLines = /[^\t\x20-\x7e\x80-\xff]/;
const threeDigits = /^[1-9]\d\d$/;
const notInTargets = /[^!-~\x80-\xff]/;

export function beginsLikeRequest(bytes: Buffer, from: number): boolean {
  return beginning.test(bytes.toString("latin1", from, from + 2));
}

/**
 * Parses the heads of one connection. Messages on a connection are often identical, so a head that equals the last one
 * is not decoded and parsed again: decoding costs more than all the rest.
 */
export class HeadParser {
  /** The last head, with the empty line, in a buffer that may be longer. */
  #lastBytes = Buffer.alloc(0);
  #lastSize = 0;
  /** The offset of the fields in it. */
  #lastFieldsAt = 0;
  #lastRequest: RequestHead | undefined;
  #lastResponse: ResponseHead | undefined;
  #lastMethod = "";
  #lastFields = "";
  #lastHeaders = new HttpHeaders();

  /** Returns undefined if the head is incomplete. The headers are a copy that the caller may change. */
  request(bytes: Buffer, from: number): RequestHead | undefined {
    if (!this.#lastRequest || !this.#isLast(bytes, from)) {
      const line = this.#lineBeforeLastFields(bytes, from);
      const text = line ?? headIn(bytes, from);
      if (text === undefined) return undefined;
      this.#lastRequest = this.#parseRequest(text, line !== undefined);
      this.#remember(bytes, from, this.#lastRequest);
      this.#lastFieldsAt = lineEnd(text) + lineBreak;
    }
    const { size, method, target, isHttp10, framing, keepAlive, headers } = this.#lastRequest;
    return { size, method, target, isHttp10, framing, keepAlive, headers: headers.copy() };
  }

  /** Parses the head of a response to a request with `method`. */
  response(method: string, bytes: Buffer): ResponseHead | undefined {
    if (!this.#lastResponse || method !== this.#lastMethod || !this.#isLast(bytes, 0)) {
      const text = headIn(bytes, 0);
      if (text === undefined) return undefined;
      this.#lastResponse = this.#parseResponse(method, text);
      this.#lastMethod = method;
      this.#remember(bytes, 0, this.#lastResponse);
    }
    const { size, status, framing, keepAlive, headers } = this.#lastResponse;
    return { size, status, framing, keepAlive, headers: headers.copy() };
  }

  #isLast(bytes: Buffer, from: number): boolean {
    const end = from + this.#lastSize;
    return end <= bytes.length && bytes.compare(this.#lastBytes, 0, this.#lastSize, from, end) === 0;
  }

  /** The first line, if the fields after it equal the last ones: clients send the same for many paths. */
  #lineBeforeLastFields(bytes: Buffer, from: number): string | undefined {
    const fieldsAt = bytes.indexOf(lineFeed, from) + 1;
    const end = fieldsAt + this.#lastSize - this.#lastFieldsAt;
    if (!this.#lastRequest || end > bytes.length || end - from > maxHeadBytes) return undefined;
    if (fieldsAt === 0 || bytes[fieldsAt - lineBreak] !== carriageReturn) return undefined;
    if (bytes.compare(this.#lastBytes, this.#lastFieldsAt, this.#lastSize, fieldsAt, end) !== 0) return undefined;
    return bytes.toString("latin1", from, fieldsAt - lineBreak);
  }

  #remember(bytes: Buffer, from: number, { size }: { size: number }): void {
    // A new buffer for each head would cost more than the copy.
    if (size > this.#lastBytes.length || this.#lastBytes.length > typicalHeadBytes)
      this.#lastBytes = Buffer.allocUnsafeSlow(size);
    bytes.copy(this.#lastBytes, 0, from, from + size);
    this.#lastSize = size;
  }

  #parseRequest(head: string, hasLastFields: boolean): RequestHead {
    const end = lineEnd(head);
    const version = end - " HTTP/1.x".length;
    const isHttp10 = head.startsWith(" HTTP/1.0", version);
    if (!isHttp10 && !head.startsWith(" HTTP/1.1", version)) throw invalidStartLine();
    const space = head.indexOf(" ");
    const name = head.slice(0, space);
    const target = head.slice(space + 1, version);
    if (space >= version || notInTargets.test(target) || !(commonMethods.has(name) || method.test(name)))
      throw invalidStartLine();
    const headers = hasLastFields ? this.#lastHeaders.copy() : this.#fields(head, end);
    const hosts = headers.count("host");
    if (hosts > 1 || (hosts === 0 && !isHttp10)) throw new ProtocolError("expected exactly one Host header");
    const host = headers.get("host");
    if (host !== null && !isHost(host)) throw new ProtocolError("the Host header is invalid");
    const size = hasLastFields ? end + lineBreak + this.#lastSize - this.#lastFieldsAt : head.length + headEnd.length;
    return {
      size,
      method: name,
      target: originForm(name, target, headers),
      isHttp10,
      framing: requestFraming(headers, isHttp10),
      keepAlive: isKeepAlive(headers, isHttp10),
      headers,
    };
  }

  #parseResponse(method: string, head: string): ResponseHead {
    const end = lineEnd(head);
    const isHttp10 = head.startsWith("HTTP/1.0 ");
    const digits = head.slice("HTTP/1.x ".length, "HTTP/1.x 200".length);
    const isStatus = threeDigits.test(digits) && (end === 12 || head.charCodeAt(12) === space);
    if (!isStatus || !(isHttp10 || head.startsWith("HTTP/1.1 ")) || notInLines.test(head.slice(0, end)))
      throw invalidStartLine();
    const status = Number(digits);
    const headers = this.#fields(head, end);
    const framing = responseFraming(method, status, headers);
    return {
      size: head.length + headEnd.length,
      status,
      framing,
      keepAlive: framing !== "until close" && isKeepAlive(headers, isHttp10),
      headers,
    };
  }

  #fields(head: string, from: number): HttpHeaders {
    const fields = head.slice(from);
    if (fields !== this.#lastFields) {
      const isFirst = this.#lastFields === "";
      this.#lastHeaders = HttpHeaders.parse(fields, 2, isFirst ? undefined : this.#lastHeaders);
      this.#lastFields = fields;
    }
    return this.#lastHeaders.copy();
  }
}

/** Code can change both, and the connection is shared. Neither may inject a line after the request line. */
export function checkRequestLine(name: string, target: string): void {
  if (target === "" || notInTargets.test(target) || !(commonMethods.has(name) || method.test(name)))
    throw invalidStartLine();
}

function requestFraming(headers: HttpHeaders, isHttp10: boolean): Framing {
  const coding = headers.get("transfer-encoding");
  const length = headers.get("content-length");
  if (coding === null) return length === null ? 0 : lengthOf(length);
  // Prevents request smuggling: with both headers, two servers may disagree on where the body ends.
  if (length !== null) throw new ProtocolError("Content-Length and Transfer-Encoding exclude each other");
  if (isHttp10) throw new ProtocolError("HTTP/1.0 has no Transfer-Encoding");
  if (coding.toLowerCase() !== "chunked") throw new ProtocolError("the only supported Transfer-Encoding is chunked");
  return "chunked";
}

function responseFraming(method: string, status: number, headers: HttpHeaders): Framing {
  if (method === "HEAD" || status === 204 || status === 304) return 0;
  const coding = headers.get("transfer-encoding");
  const length = headers.get("content-length");
  if (coding !== null) {
    if (length !== null) throw new ProtocolError("Content-Length and Transfer-Encoding exclude each other");
    if (coding.toLowerCase() !== "chunked") throw new ProtocolError("the only supported Transfer-Encoding is chunked");
    return "chunked";
  }
  return length === null ? "until close" : lengthOf(length);
}

function isKeepAlive(headers: HttpHeaders, isHttp10: boolean): boolean {
  const connection = headers.get("connection");
  if (connection === null) return !isHttp10;
  const lower = connection.toLowerCase();
  return isHttp10 ? lower.includes("keep-alive") : !/(?:^|[\s,])close(?:$|[\s,])/.test(lower);
}

const space = 0x20;

const commonMethods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Returns the head as Latin-1 without the empty line, or undefined if it is incomplete. */
function headIn(bytes: Buffer, from: number): string | undefined {
  for (const limit of [typicalHeadBytes, maxHeadBytes]) {
    const text = bytes.toString("latin1", from, Math.min(bytes.length, from + limit));
    const end = text.indexOf(headEnd);
    if (end !== -1) return text.slice(0, end);
    if (text.length < limit) return undefined;
  }
  throw new ProtocolError("the head is too large", 431);
}

function lineEnd(head: string): number {
  const end = head.indexOf("\r\n");
  return end === -1 ? head.length : end;
}

function invalidStartLine(): ProtocolError {
  return new ProtocolError("the start line is not HTTP/1.1");
}

/** Rejects repeated lengths even if they agree. */
function lengthOf(header: string): number {
  if (!/^\d{1,15}$/.test(header)) throw new ProtocolError("Content-Length is not a number");
  return Number(header);
}

const absoluteForm = /^(https?):\/\/([^/?#]+)([^#]*)/i;

/**
 * Returns path and query as they are matched and forwarded, without a fragment. Dot segments are resolved once, here:
 * if they were resolved later, a request could bypass the route that protects its path.
 */
function originForm(method: string, target: string, headers: HttpHeaders): string {
  if (target === "*" && method === "OPTIONS") return target;
  let address = target;
  if (!address.startsWith("/")) {
    const absolute = absoluteForm.exec(address);
    if (!absolute) throw new ProtocolError("the request target is not a path");
    const [, scheme, authority, rest] = absolute as unknown as [string, string, string, string];
    checkAuthority(scheme, authority, headers);
    address = rest.startsWith("/") ? rest : `/${rest}`;
  }
  return resolvedTarget(address);
}

/** If target and Host header disagree, two servers may route the request differently. */
function checkAuthority(scheme: string, authority: string, headers: HttpHeaders): void {
  if (!isHost(authority)) throw new ProtocolError("the request target has an invalid host");
  const host = headers.get("host");
  if (host === null) headers.set("host", authority);
  else if (hostnameOf(host) !== hostnameOf(authority) || portOf(host, scheme) !== portOf(authority, scheme))
    throw new ProtocolError("the request target and the Host header name different hosts");
}

function portOf(host: string, scheme: string): number {
  const port = /:(\d+)$/.exec(host)?.[1];
  return port === undefined ? (scheme.toLowerCase() === "https" ? 443 : 80) : Number(port);
}
