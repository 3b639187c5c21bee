import type { PortalDirectory } from "../../areas/portal/sessions/directory.ts";
import { requestIdOf } from "../../core/http/request-id.ts";
import { problemResponse, toResponse, withoutSniffing } from "../../core/http/response.ts";
import { Problem, problemOf } from "../../core/problems/problem.ts";
import { hostnameOf, isLoopbackHost } from "../../lib/network/hosts.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { HttpRequest } from "../../platform/http1/message/http-request.ts";
import type { HttpResponse } from "../../platform/http1/message/http-response.ts";
import { splitTarget } from "../../platform/http1/message/target.ts";
import type { Log } from "../../platform/telemetry/log.ts";
import type { PortalPages } from "./portal-pages.ts";

export interface PortalSitesOptions {
  directory: PortalDirectory;
  pages: PortalPages;
  /** The pipeline of the operations under /portal/api. */
  api: { handle(request: HttpRequest): HttpResponse | Promise<HttpResponse> };
  clock: Clock;
  log: Log;
  /** Adds HSTS. */
  hasTls: boolean;
}

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
    if (this.options.hasTls && !isLoopbackHost(hostname))
      response.headers.set("strict-transport-security", "max-age=31536000");
    return response;
  }

  async #responseTo(request: HttpRequest): Promise<HttpResponse> {
    const { path } = splitTarget(request.target);
    if (path.startsWith(apiPath)) {
      const response = await this.options.api.handle(request);
      response.headers.set("cache-control", "no-store");
      return response;
    }
    try {
      if (request.method !== "GET" && request.method !== "HEAD")
        throw new Problem("method_not_allowed", { headers: { allow: "GET, HEAD" } });
      return withoutSniffing(await this.options.pages.handle(request, path));
    } catch (error) {
      return this.#failed(request, path, problemOf(error));
    }
  }

  #failed(request: HttpRequest, path: string, problem: Problem): HttpResponse {
    const requestId = requestIdOf(request);
    if (problem.status >= 500) this.options.log.error(problem.detail, { requestId, error: problem.cause });
    return toResponse(problemResponse(problem, { path, requestId, now: this.options.clock.now() }), requestId);
  }
}
