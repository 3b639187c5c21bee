import { Body } from "./body.ts";
import { HttpHeaders } from "./headers.ts";
import type { TunnelEnd } from "./tunnel.ts";

/** A response to send, or one received from an upstream. */
export class HttpResponse {
  /** With status 101: the upgraded connection. */
  tunnel: TunnelEnd | undefined;
  /** The offset of the body if `#body` still contains the head. Slicing is deferred until the body is accessed. */
  #bodyAt = 0;
  #body: string | Uint8Array | Body | undefined;

  constructor(
    readonly status: number,
    readonly headers: HttpHeaders = new HttpHeaders(),
    body?: string | Uint8Array | Body,
  ) {
    this.#body = body;
  }

  /** A complete response whose body is `bytes` from `bodyAt`. */
  static received(status: number, headers: HttpHeaders, bytes: Buffer, bodyAt: number): HttpResponse {
    const response = new HttpResponse(status, headers, bytes);
    response.#bodyAt = bodyAt;
    return response;
  }

  get body(): string | Uint8Array | Body | undefined {
    if (this.#bodyAt > 0) {
      this.#body = (this.#body as Buffer).subarray(this.#bodyAt);
      this.#bodyAt = 0;
    }
    return this.#body;
  }

  /** The arguments of `received` as long as `body` was not accessed. */
  get unsliced(): { bytes: Buffer; from: number } | undefined {
    return this.#bodyAt > 0 ? { bytes: this.#body as Buffer, from: this.#bodyAt } : undefined;
  }

  /** The length in bytes. Undefined for a stream that does not declare it. */
  get bodyLength(): number | undefined {
    const body = this.#body;
    if (body === undefined) return 0;
    if (typeof body === "string") return Buffer.byteLength(body);
    return body.length === undefined ? undefined : body.length - this.#bodyAt;
  }

  async text(): Promise<string> {
    const { body } = this;
    if (body === undefined || typeof body === "string") return body ?? "";
    const bytes = body instanceof Body ? await body.bytes(Number.POSITIVE_INFINITY) : body;
    return new TextDecoder().decode(bytes);
  }

  /** Cancels the body of a response that will not be sent. */
  discard(): void {
    if (this.body instanceof Body) this.body.cancel();
    this.tunnel?.detach();
  }
}

const reasons: Record<number, string> = {
  100: "Continue",
  101: "Switching Protocols",
  200: "OK",
  201: "Created",
  202: "Accepted",
  203: "Non-Authoritative Information",
  204: "No Content",
  205: "Reset Content",
  206: "Partial Content",
  300: "Multiple Choices",
  301: "Moved Permanently",
  302: "Found",
  303: "See Other",
  304: "Not Modified",
  307: "Temporary Redirect",
  308: "Permanent Redirect",
  400: "Bad Request",
  401: "Unauthorized",
  402: "Payment Required",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  406: "Not Acceptable",
  408: "Request Timeout",
  409: "Conflict",
  410: "Gone",
  411: "Length Required",
  412: "Precondition Failed",
  413: "Content Too Large",
  414: "URI Too Long",
  415: "Unsupported Media Type",
  416: "Range Not Satisfiable",
  417: "Expectation Failed",
  421: "Misdirected Request",
  422: "Unprocessable Content",
  425: "Too Early",
  426: "Upgrade Required",
  428: "Precondition Required",
  429: "Too Many Requests",
  431: "Request Header Fields Too Large",
  451: "Unavailable For Legal Reasons",
  500: "Internal Server Error",
  501: "Not Implemented",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
  505: "HTTP Version Not Supported",
};

const statusLines: string[] = [];

export function statusLine(status: number): string {
  statusLines[status] ??= `HTTP/1.1 ${status} ${reasons[status] ?? ""}\r\n`;
  return statusLines[status];
}
