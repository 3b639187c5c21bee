import type { Authentication } from "../../areas/access/accounts/authentication.ts";
import { withoutSniffing } from "../../core/http/response.ts";
import type { Clock } from "../../lib/time/clock.ts";
import { deferred, type HttpRequest } from "../../platform/http1/message/http-request.ts";
import type { HttpResponse } from "../../platform/http1/message/http-response.ts";
import { splitTarget } from "../../platform/http1/message/target.ts";
import type { HandlerResult } from "../../platform/http1/server/request-handler.ts";
import { type DispatchOptions, withMatchingNames, withTransportSecurity } from "../dispatch/dispatch.ts";
import type { OwnHosts } from "../dispatch/own-hosts.ts";

type Dispatch = (request: HttpRequest) => HandlerResult;

export interface WorkerDispatchOptions {
  clock: Clock;
  gateway: DispatchOptions["gateway"];
  /** Portals are served by the primary. */
  portals: Pick<DispatchOptions["portals"], "isHost">;
  hosts: OwnHosts;
  isHttps: boolean;
  authentication: Authentication;
  /** The probes of this process, by path. */
  probes: Readonly<Record<string, (request: HttpRequest) => HttpResponse>>;
  /** Handles verify-key. */
  verify(request: HttpRequest): HttpResponse | Promise<HttpResponse>;
}

/** Returns a handler for the probes of this process, which returns undefined for other requests. */
export function probesOf({
  probes,
}: Pick<WorkerDispatchOptions, "probes">): (request: HttpRequest) => HttpResponse | undefined {
  return (request) => {
    if (request.method !== "GET" && request.method !== "HEAD") return undefined;
    const probe = probes[splitTarget(request.target).path];
    return probe && withoutSniffing(probe(request));
  };
}

/** Requests to deployments, and verify-key; forwards the rest. */
export function serveAllFromWorker(options: WorkerDispatchOptions, forward: Dispatch): Dispatch {
  const { gateway, portals, hosts } = options;
  const manage = manageFromWorker(options, forward);
  const probe = probesOf(options);
  // The last host known to be the management API's: most requests use one, and skip the lookup.
  let ownHost: string | null | undefined;
  return withMatchingNames(options, (request) => {
    const host = request.headers.get("host");
    if (host !== ownHost) {
      if (host !== null && portals.isHost(host)) return forward(request);
      const deployed = gateway.handle(request);
      if (deployed) return deployed;
      if (hosts.isCertain(host)) ownHost = host;
      else if (!hosts.has(host)) return probe(request) ?? forward(request);
    }
    return manage(request);
  });
}

/** Only verify-key; forwards the rest. */
export function serveManagementFromWorker(options: WorkerDispatchOptions, forward: Dispatch): Dispatch {
  const manage = manageFromWorker(options, forward);
  const probe = probesOf(options);
  return withMatchingNames(options, (request) =>
    options.hosts.has(request.headers.get("host")) ? manage(request) : (probe(request) ?? forward(request)),
  );
}

/** Only deployments; forwards the rest. */
export function serveDeploymentsFromWorker(options: WorkerDispatchOptions, forward: Dispatch): Dispatch {
  const { gateway, portals } = options;
  const probe = probesOf(options);
  return withMatchingNames(options, (request) => {
    const host = request.headers.get("host");
    if (host !== null && portals.isHost(host)) return forward(request);
    return gateway.handle(request) ?? probe(request) ?? forward(request);
  });
}

/**
 * A request without a valid token is forwarded, because the primary limits failed credentials, and one with an
 * Idempotency-Key, because it belongs to the primary's writes.
 */
function manageFromWorker(options: WorkerDispatchOptions, forward: Dispatch): Dispatch {
  const { clock, authentication, verify, isHttps } = options;
  const probe = probesOf(options);
  const probeOrForward = (request: HttpRequest) => probe(request) ?? forward(request);
  const [verified, others] = isHttps
    ? [withTransportSecurity(verify), withTransportSecurity(probeOrForward)]
    : [verify, probeOrForward];
  return (request) => {
    if (!isVerification(request)) return others(request);
    const header = request.headers.get("authorization");
    if (header === null || !/^bearer /i.test(header) || request.headers.has("idempotency-key")) return forward(request);
    try {
      const caller = authentication.authenticate(header.slice(7), clock.now());
      if (!(caller instanceof Promise)) return caller ? verified(request) : forward(request);
      return later(request, caller, verified, forward);
    } catch {
      // The token has expired.
      return forward(request);
    }
  };
}

function later(request: HttpRequest, caller: Promise<unknown>, verified: Dispatch, forward: Dispatch): HandlerResult {
  const respond = (result: HandlerResult) => {
    if (result instanceof Promise) result.then((response) => request.respond(response));
    else if (typeof result !== "symbol") request.respond(result);
  };
  caller.then(
    (found) => respond(found ? verified(request) : forward(request)),
    () => respond(forward(request)),
  );
  return deferred;
}

function isVerification({ method, target }: HttpRequest): boolean {
  if (method !== "POST" || !target.startsWith("/v1/accounts/")) return false;
  const end = target.indexOf("?");
  return (end === -1 ? target : target.slice(0, end)).endsWith("/verify-key");
}
