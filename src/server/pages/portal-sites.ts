import { programPaths } from "../../areas/customer-portal/oauth/metadata.ts";
import type { PortalDirectory } from "../../areas/customer-portal/portal/hosts/directory.ts";
import { requestIdOf } from "../../core/http/request-id.ts";
import { problemResponse, toResponse, withoutSniffing } from "../../core/http/response.ts";
import { Problem, problemOf } from "../../core/problems/problem.ts";
import { preferredType } from "../../lib/http/accept.ts";
import { hostnameOf, isLoopbackHost } from "../../lib/network/hosts.ts";
import { escapeHtml } from "../../lib/text/html.ts";
import type { Clock } from "../../lib/time/clock.ts";
import { HttpHeaders } from "../../platform/http1/message/headers.ts";
import type { HttpRequest } from "../../platform/http1/message/http-request.ts";
import { HttpResponse } from "../../platform/http1/message/http-response.ts";
import { splitTarget } from "../../platform/http1/message/target.ts";
import type { Log } from "../../platform/telemetry/log.ts";
import type { PortalPages } from "./portal-pages.ts";

interface PortalSitesOptions {
  directory: PortalDirectory;
  pages: PortalPages;
  /** The pipeline of the operations under /portal/api. */
  api(request: HttpRequest): Promise<HttpResponse>;
  clock: Clock;
  log: Log;
  /** Adds HSTS. */
  isHttps: boolean;
}

const preflight = {
  "access-control-allow-methods": "GET, HEAD, POST",
  "access-control-allow-headers": "authorization, content-type, mcp-protocol-version",
  "access-control-max-age": "600",
};

const apiPath = "/portal/api/";

/** Serves the hosts of portals, and nothing of the management API there. */
export class PortalSites {
  constructor(private readonly options: PortalSitesOptions) {}

  isHost(host: string): boolean {
    return this.options.directory.isHost(host);
  }

  /** Returns undefined for hosts that are no portal's. */
  handle(request: HttpRequest): Promise<HttpResponse> | undefined {
    const host = request.headers.get("host");
    if (host === null || !this.options.directory.isHost(host)) return undefined;
    return this.#respond(request, hostnameOf(host));
  }

  async #respond(request: HttpRequest, hostname: string): Promise<HttpResponse> {
    const response = await this.#responseTo(request);
    if (this.options.isHttps && !isLoopbackHost(hostname))
      response.headers.set("strict-transport-security", "max-age=31536000");
    return response;
  }

  async #responseTo(request: HttpRequest): Promise<HttpResponse> {
    const { path } = splitTarget(request.target);
    if (path.startsWith(apiPath)) {
      const response = await this.options.api(request);
      response.headers.set("cache-control", "no-store");
      return response;
    }
    if (programPaths.has(path)) return this.#forProgram(request);
    try {
      if (request.method !== "GET" && request.method !== "HEAD")
        throw new Problem("method_not_allowed", { headers: { allow: "GET, HEAD" } });
      return withoutSniffing(await this.options.pages.handle(request, path));
    } catch (error) {
      return this.#failed(request, path, problemOf(error));
    }
  }

  /** Programs in browsers call it from any origin. No cookie is read, so that they can do no more than other programs. */
  async #forProgram(request: HttpRequest): Promise<HttpResponse> {
    const response =
      request.method === "OPTIONS"
        ? new HttpResponse(204, new HttpHeaders(preflight))
        : await this.options.api(request);
    response.headers.set("access-control-allow-origin", "*");
    return response;
  }

  #failed(request: HttpRequest, path: string, problem: Problem): HttpResponse {
    const requestId = requestIdOf(request);
    if (problem.status >= 500) this.options.log.error(problem.detail, { requestId, error: problem.cause });
    const response = toResponse(
      problemResponse(problem, { path, requestId, now: this.options.clock.now() }),
      requestId,
    );
    const type = preferredType(request.headers.get("accept"), ["application/json", "text/html"]);
    return type === "text/html" ? problemPage(response, problem) : response;
  }
}

/** The same for a person: the address of a portal was mistyped, or the portal is gone. */
function problemPage({ status, headers }: HttpResponse, { detail }: Problem): HttpResponse {
  headers.set("content-type", "text/html; charset=utf-8");
  headers.set("content-security-policy", "default-src 'none'");
  const text = escapeHtml(detail);
  return new HttpResponse(
    status,
    headers,
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>${text}</title>
<h1>${text}</h1><p>Check the address. It may have changed: ask the business for the new one.</p></html>
`,
  );
}
