import { hostnameOf, isHost } from "../../lib/hosts.ts";
import { HttpHeaders } from "./headers.ts";
import { Malformed } from "./malformed.ts";

const headEnd = "\r\n\r\n";
const largestHead = 32 * 1024;
/** What is looked at first: most heads are shorter, and most of what follows them need not be made a text of. */
const usualHead = 1024;

export interface RequestHead {
  /** Of all its bytes: what follows begins there. */
  size: number;
  method: string;
  /** Path and query. */
  target: string;
  isHttp10: boolean;
  framing: Framing;
  /** Whether the connection may carry another message after this one. */
  isKept: boolean;
  headers: HttpHeaders;
}

export interface ResponseHead {
  size: number;
  status: number;
  framing: Framing;
  /** Whether the connection may carry another message after this one. */
  isKept: boolean;
  headers: HttpHeaders;
}

/** How the end of a body is told: after so many bytes, by its chunks, or by the end of the connection. */
export type Framing = number | "chunked" | "until close";

/** Control characters, and line ends that only some would take for one: they are how requests are smuggled. */
const forbidden = /[^\t\r\n\x20-\x7e\x80-\xff]|\r(?!\n)|(?<!\r)\n/;

const method = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const beginning = /^[!#$%&'*+.^_`|~0-9A-Za-z-]|^\r?$/;
const notInLines = /[^\t\x20-\x7e\x80-\xff]/;
const threeDigits = /^[1-9]\d\d$/;
const notInTargets = /[^!-~\x80-\xff]/;

export function beginsLikeRequest(bytes: Buffer, from: number): boolean {
  return beginning.test(bytes.toString("latin1", from, from + 2));
}

/**
 * Reads heads from the bytes of a connection. Whoever keeps one says nearly the same each time, and what was just read
 * need not be read again: nor made a text of, which costs more than all the rest.
 */
export class HeadParser {
  /** With the empty line that ends it. */
  #lastBytes = Buffer.alloc(0);
  #lastRequest: RequestHead | undefined;
  #lastResponse: ResponseHead | undefined;
  #lastMethod = "";
  #lastFields = "";
  #lastHeaders = new HttpHeaders();

  /** Of the head that begins there, or undefined if it does not end yet. Its headers are the caller's own. */
  request(bytes: Buffer, from: number): RequestHead | undefined {
    if (!this.#lastRequest || !this.#isLast(bytes, from)) {
      const text = headIn(bytes, from);
      if (text === undefined) return undefined;
      this.#lastRequest = this.#readRequest(text);
      this.#remember(bytes, from, this.#lastRequest);
    }
    const { size, method, target, isHttp10, framing, isKept, headers } = this.#lastRequest;
    return { size, method, target, isHttp10, framing, isKept, headers: headers.copy() };
  }

  /** The same of an answer to a request of that method. */
  response(method: string, bytes: Buffer): ResponseHead | undefined {
    if (!this.#lastResponse || method !== this.#lastMethod || !this.#isLast(bytes, 0)) {
      const text = headIn(bytes, 0);
      if (text === undefined) return undefined;
      this.#lastResponse = this.#readResponse(method, text);
      this.#lastMethod = method;
      this.#remember(bytes, 0, this.#lastResponse);
    }
    const { size, status, framing, isKept, headers } = this.#lastResponse;
    return { size, status, framing, isKept, headers: headers.copy() };
  }

  #isLast(bytes: Buffer, from: number): boolean {
    const last = this.#lastBytes;
    const end = from + last.length;
    return end <= bytes.length && bytes.compare(last, 0, last.length, from, end) === 0;
  }

  #remember(bytes: Buffer, from: number, { size }: { size: number }): void {
    this.#lastBytes = Buffer.from(bytes.subarray(from, from + size));
  }

  #readRequest(head: string): RequestHead {
    const end = lineEnd(head);
    const version = end - " HTTP/1.x".length;
    const isHttp10 = head.startsWith(" HTTP/1.0", version);
    if (!isHttp10 && !head.startsWith(" HTTP/1.1", version)) throw notOurs();
    const space = head.indexOf(" ");
    const name = head.slice(0, space);
    const target = head.slice(space + 1, version);
    if (space >= version || notInTargets.test(target) || !(usualMethods.has(name) || method.test(name)))
      throw notOurs();
    const headers = this.#fields(head, end);
    const hosts = headers.count("host");
    if (hosts > 1 || (hosts === 0 && !isHttp10)) throw new Malformed("there must be one Host header");
    const host = headers.get("host");
    if (host !== null && !isHost(host)) throw new Malformed("the Host header names no host");
    return {
      size: head.length + headEnd.length,
      method: name,
      target: originForm(name, target, headers),
      isHttp10,
      framing: requestFraming(headers, isHttp10),
      isKept: isKept(headers, isHttp10),
      headers,
    };
  }

  #readResponse(method: string, head: string): ResponseHead {
    const end = lineEnd(head);
    const isHttp10 = head.startsWith("HTTP/1.0 ");
    const digits = head.slice("HTTP/1.x ".length, "HTTP/1.x 200".length);
    const isStatus = threeDigits.test(digits) && (end === 12 || head.charCodeAt(12) === space);
    if (!isStatus || !(isHttp10 || head.startsWith("HTTP/1.1 ")) || notInLines.test(head.slice(0, end)))
      throw notOurs();
    const status = Number(digits);
    const headers = this.#fields(head, end);
    const framing = responseFraming(method, status, headers);
    return {
      size: head.length + headEnd.length,
      status,
      framing,
      isKept: framing !== "until close" && isKept(headers, isHttp10),
      headers,
    };
  }

  #fields(head: string, from: number): HttpHeaders {
    const fields = head.slice(from);
    if (fields !== this.#lastFields) {
      if (forbidden.test(fields)) throw new Malformed("the head holds characters that no head may hold");
      this.#lastHeaders = HttpHeaders.parse(fields, 2);
      this.#lastFields = fields;
    }
    return this.#lastHeaders.copy();
  }
}

/** Code may have changed them, and other callers' questions go over the same connection: they must not end the line. */
export function checkFirstLine(name: string, target: string): void {
  if (target === "" || notInTargets.test(target) || !(usualMethods.has(name) || method.test(name))) throw notOurs();
}

/** Of a request: 0 where nothing is said. */
function requestFraming(headers: HttpHeaders, isHttp10: boolean): Framing {
  const coding = headers.get("transfer-encoding");
  const length = headers.get("content-length");
  if (coding === null) return length === null ? 0 : lengthOf(length);
  // Of two lengths two servers may believe each another, and of an old client nobody knows what it means.
  if (length !== null) throw new Malformed("a request must not have both a Content-Length and a Transfer-Encoding");
  if (isHttp10) throw new Malformed("HTTP/1.0 has no Transfer-Encoding");
  if (coding.toLowerCase() !== "chunked") throw new Malformed("the only Transfer-Encoding is chunked");
  return "chunked";
}

/** Of an answer to a request of that method. */
function responseFraming(method: string, status: number, headers: HttpHeaders): Framing {
  if (method === "HEAD" || status === 204 || status === 304) return 0;
  const coding = headers.get("transfer-encoding");
  const length = headers.get("content-length");
  if (coding !== null) {
    if (length !== null) throw new Malformed("an answer must not have both a Content-Length and a Transfer-Encoding");
    if (coding.toLowerCase() !== "chunked") throw new Malformed("the only Transfer-Encoding is chunked");
    return "chunked";
  }
  return length === null ? "until close" : lengthOf(length);
}

function isKept(headers: HttpHeaders, isHttp10: boolean): boolean {
  const connection = headers.get("connection");
  if (connection === null) return !isHttp10;
  const lower = connection.toLowerCase();
  return isHttp10 ? lower.includes("keep-alive") : !/(?:^|[\s,])close(?:$|[\s,])/.test(lower);
}

const space = 0x20;

const usualMethods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** In Latin-1 and without its end; undefined if that is not here yet. */
function headIn(bytes: Buffer, from: number): string | undefined {
  for (const most of [usualHead, largestHead]) {
    const text = bytes.toString("latin1", from, Math.min(bytes.length, from + most));
    const end = text.indexOf(headEnd);
    if (end !== -1) return text.slice(0, end);
    if (text.length < most) return undefined;
  }
  throw new Malformed("the head is too large", 431);
}

function lineEnd(head: string): number {
  const end = head.indexOf("\r\n");
  return end === -1 ? head.length : end;
}

function notOurs(): Malformed {
  return new Malformed("the first line is not one of HTTP/1.1");
}

/** Several lengths are refused even where they agree: nobody who means well sends them. */
function lengthOf(header: string): number {
  if (!/^\d{1,15}$/.test(header)) throw new Malformed("the Content-Length is not a number");
  return Number(header);
}

const absoluteForm = /^(https?):\/\/([^/?#]+)([^#]*)/i;
const needsResolving = /\/(?:\.|%2e)|\\/i;

/**
 * Path and query as they are matched and passed on. What is resolved is resolved here, once: dot segments would otherwise
 * lead a request past the route that guards what it asks for. A fragment is for browsers, and is cut off.
 */
function originForm(method: string, target: string, headers: HttpHeaders): string {
  if (target === "*" && method === "OPTIONS") return target;
  let address = target;
  if (!address.startsWith("/")) {
    const absolute = absoluteForm.exec(address);
    if (!absolute) throw new Malformed("the target of the request is not a path");
    const [, scheme, authority, rest] = absolute as unknown as [string, string, string, string];
    checkAuthority(scheme, authority, headers);
    address = rest.startsWith("/") ? rest : `/${rest}`;
  }
  const fragment = address.indexOf("#");
  if (fragment !== -1) address = address.slice(0, fragment);
  const query = address.indexOf("?");
  const path = query === -1 ? address : address.slice(0, query);
  if (!needsResolving.test(path)) return address;
  return new URL(`http://host${path}`).pathname + (query === -1 ? "" : address.slice(query));
}

/** Of two hosts two servers may believe each another. */
function checkAuthority(scheme: string, authority: string, headers: HttpHeaders): void {
  if (!isHost(authority)) throw new Malformed("the target of the request names no host");
  const host = headers.get("host");
  if (host === null) headers.set("host", authority);
  else if (hostnameOf(host) !== hostnameOf(authority) || portOf(host, scheme) !== portOf(authority, scheme))
    throw new Malformed("the target of the request names another host than the Host header");
}

function portOf(host: string, scheme: string): number {
  const port = /:(\d+)$/.exec(host)?.[1];
  return port === undefined ? (scheme.toLowerCase() === "https" ? 443 : 80) : Number(port);
}
