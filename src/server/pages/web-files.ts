import { acceptsGzip } from "../../lib/http/accept-encoding.ts";
import { HttpHeaders } from "../../platform/http1/message/headers.ts";
import type { HttpRequest } from "../../platform/http1/message/http-request.ts";
import { HttpResponse } from "../../platform/http1/message/http-response.ts";
import type { WebFile } from "./web-pack.ts";

interface Sources {
  /** What the page may connect to. */
  connect?: "'self'" | "'none'";
  /** The frames that it may have. */
  frames?: "'self'" | "'none'";
  /** The pages that may have it in a frame. */
  ancestors?: "'self'" | "'none'";
}

/**
 * Pages may only load their own files and connect to their own host; text cannot become markup or code. No page has
 * frames or is one, except for previews in the console.
 */
export const pagePolicy = ({ connect = "'self'", frames = "'none'", ancestors = "'none'" }: Sources = {}): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src ${connect}`,
    `frame-src ${frames}`,
    `frame-ancestors ${ancestors}`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
  ].join("; ");

/** The headers of every file of a web app. */
export const webHeaders = {
  "content-security-policy": pagePolicy(),
  "referrer-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  vary: "accept-encoding",
};

/** A `max-age` of a year: file names change with their content. */
const immutable = "public, max-age=31536000, immutable";

/** The files of a web app, served from memory. */
export class WebFiles {
  readonly #files: Map<string, WebFile>;

  constructor(files: WebFile[]) {
    this.#files = new Map(files.map((file) => [file.path, file]));
  }

  /** The page, uncompressed. */
  get page(): string {
    const { body, isGzip } = this.#files.get("")!;
    return new TextDecoder().decode(isGzip ? Bun.gunzipSync(body) : body);
  }

  /** A file other than the page. Undefined if there is none, and a 404 if its name is one of another version or of data. */
  find(request: HttpRequest, name: string): HttpResponse | undefined {
    const file = name === "" ? undefined : this.#files.get(name);
    if (isData(name))
      return file ? sendPage(request, file) : plainText(404, "There is no such page. /docs/guides lists all guides.\n");
    if (file) return sendFile(request, file, { "cache-control": isHashed(name) ? immutable : "public, max-age=3600" });
    return isHashed(name)
      ? plainText(404, "There is no such file. The page may have been upgraded: load it again.\n")
      : undefined;
  }

  /** The page itself, for every path that it routes. */
  sendPage(request: HttpRequest, policy = pagePolicy()): HttpResponse {
    const response = sendPage(request, this.#files.get("")!);
    response.headers.set("content-security-policy", policy);
    return response;
  }
}

/** A page that is revalidated whenever it is loaded. */
export function sendPage(request: HttpRequest, page: Omit<WebFile, "path">): HttpResponse {
  const etag = `"${Bun.hash(page.body).toString(36)}"`;
  const headers = { "cache-control": "no-cache", etag };
  if (request.headers.get("if-none-match") === etag)
    return new HttpResponse(304, new HttpHeaders({ ...webHeaders, ...headers }));
  return sendFile(request, page, headers);
}

function sendFile(
  request: HttpRequest,
  { type, body, isGzip }: Omit<WebFile, "path">,
  headers: Record<string, string>,
): HttpResponse {
  const takesGzip = acceptsGzip(request.headers.get("accept-encoding"));
  const encoding = isGzip && takesGzip ? { "content-encoding": "gzip" } : undefined;
  const fields = new HttpHeaders({ "content-type": type, ...webHeaders, ...headers, ...encoding });
  return new HttpResponse(200, fields, isGzip && !takesGzip ? Bun.gunzipSync(body) : body);
}

/** Revalidated like the page that loads it, so that both are of the same version; and guides with their pictures. */
const isData = (name: string): boolean => /^(pages\/|guides(\/|$)|llms\.txt$)/.test(name);

const isHashed = (name: string): boolean => name.startsWith("assets/");

export function plainText(status: number, body: string): HttpResponse {
  return new HttpResponse(status, new HttpHeaders({ "content-type": "text/plain; charset=utf-8" }), body);
}
