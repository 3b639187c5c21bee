import type { Authentication } from "../../areas/accounts/authentication.ts";
import type { Clock } from "../../lib/time/clock.ts";
import { deferred, type HttpRequest } from "../../platform/http1/message/http-request.ts";
import type { HttpResponse } from "../../platform/http1/message/http-response.ts";
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
  hasTls: boolean;
  authentication: Authentication;
  /** Handles verify-key. */
  verify(request: HttpRequest): HttpResponse | Promise<HttpResponse>;
}

/** Requests to deployments, and verify-key; forwards the rest. */
export function serveAllFromWorker(options: WorkerDispatchOptions, forward: Dispatch): Dispatch {
  const { gateway, portals, hosts } = options;
  const manage = manageFromWorker(options, forward);
  // The last host known to be the management API's: most requests use one, and skip the lookup.
  let ownHost: string | null | undefined;
  return withMatchingNames(options, (request) => {
    const host = request.headers.get("host");
    if (host !== ownHost) {
      if (host !== null && portals.isHost(host)) return forward(request);
      const deployed = gateway.handle(request);
      if (deployed) return deployed;
      if (hosts.isCertain(host)) ownHost = host;
      else if (!hosts.has(host)) return forward(request);
    }
    return manage(request);
  });
}

/** Only verify-key; forwards the rest. */
export function serveManagementFromWorker(options: WorkerDispatchOptions, forward: Dispatch): Dispatch {
  const manage = manageFromWorker(options, forward);
  return withMatchingNames(options, (request) =>
    options.hosts.has(request.headers.get("host")) ? manage(request) : forward(request),
  );
}

/** Only deployments; forwards the rest. */
export function serveDeploymentsFromWorker(options: WorkerDispatchOptions, forward: Dispatch): Dispatch {
  const { gateway, portals } = options;
  return withMatchingNames(options, (request) => {
    const host = request.headers.get("host");
    if (host !== null && portals.isHost(host)) return forward(request);
    return gateway.handle(request) ?? forward(request);
  });
}

/**
 * A request without a valid token is forwarded, because the primary limits failed credentials, and one with an
 * Idempotency-Key, because it belongs to the primary's writes.
 */
function manageFromWorker(
  { clock, authentication, verify, hasTls }: WorkerDispatchOptions,
  forward: Dispatch,
): Dispatch {
  const verified = hasTls ? withTransportSecurity(verify) : verify;
  return (request) => {
    if (!isVerification(request)) return forward(request);
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
