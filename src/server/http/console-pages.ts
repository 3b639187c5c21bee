import { HttpHeaders } from "../../platform/http1/message/headers.ts";
import type { HttpRequest } from "../../platform/http1/message/http-request.ts";
import { HttpResponse } from "../../platform/http1/message/http-response.ts";
import type { ConsoleFile } from "./console-pack.ts";

/** The page may only load its own files and connect to this server; text cannot become markup or code. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

const shared = {
  "content-security-policy": policy,
  "referrer-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  vary: "accept-encoding",
};

/** A `max-age` of a year: file names change with their content. */
const immutable = "public, max-age=31536000, immutable";

/** Whether the path belongs to the console. */
export const isConsolePath = (path: string): boolean => path === "/console" || path.startsWith("/console/");

/** Serves the console from memory. A path that is not a file returns the page itself, which routes by path. */
export class ConsolePages {
  readonly #files: Map<string, ConsoleFile> | undefined;
  readonly #etag: string;

  constructor(files: ConsoleFile[] | undefined) {
    this.#files = files && new Map(files.map((file) => [file.path, file]));
    this.#etag = `"${Bun.hash(files?.find(({ path }) => path === "")?.body ?? "").toString(36)}"`;
  }

  /** Handles GET and HEAD of a path of the console. */
  handle(request: HttpRequest, path: string): HttpResponse {
    if (!this.#files)
      return text(503, "The console was not built. Run `npm run build:web`, then start the server again.\n");
    const name = path.slice("/console/".length);
    const file = this.#files.get(name);
    if (file && name !== "")
      return this.#send(request, file, { "cache-control": isHashed(name) ? immutable : "public, max-age=3600" });
    if (isHashed(name))
      return text(404, "There is no such file. The console may have been upgraded: load the page again.\n");
    const headers = { "cache-control": "no-cache", etag: this.#etag };
    if (request.headers.get("if-none-match") === this.#etag)
      return new HttpResponse(304, new HttpHeaders({ ...shared, ...headers }));
    return this.#send(request, this.#files.get("")!, headers);
  }

  #send(request: HttpRequest, { type, body, isGzip }: ConsoleFile, headers: Record<string, string>): HttpResponse {
    const takesGzip = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(request.headers.get("accept-encoding") ?? "");
    const encoding = isGzip && takesGzip ? { "content-encoding": "gzip" } : undefined;
    const fields = new HttpHeaders({ "content-type": type, ...shared, ...headers, ...encoding });
    return new HttpResponse(200, fields, isGzip && !takesGzip ? Bun.gunzipSync(body) : body);
  }
}

const isHashed = (name: string): boolean => name.startsWith("assets/");

function text(status: number, body: string): HttpResponse {
  return new HttpResponse(status, new HttpHeaders({ "content-type": "text/plain; charset=utf-8" }), body);
}
