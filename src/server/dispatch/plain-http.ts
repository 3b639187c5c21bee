import { hostnameOf, isHost } from "../../lib/network/hosts.ts";
import { HttpHeaders } from "../../platform/http1/message/headers.ts";
import type { HttpRequest } from "../../platform/http1/message/http-request.ts";
import { HttpResponse } from "../../platform/http1/message/http-response.ts";
import { splitTarget } from "../../platform/http1/message/target.ts";
import type { HandlerResult } from "../../platform/http1/server/request-handler.ts";
import { probePaths } from "./probes.ts";
import type { SystemRoute } from "./system-routes.ts";

interface PlainHttpOptions {
  system: Record<string, SystemRoute>;
  /** The response to an HTTP-01 challenge, if it exists. */
  challenge(token: string): Promise<string | undefined>;
  /** The URL that serves the host with TLS. */
  portOf(hostname: string): number;
}

const challengePath = "/.well-known/acme-challenge/";

/** Plain HTTP beside TLS: handles challenges and probes, and redirects everything else. */
export function servePlainHttp({
  system,
  challenge,
  portOf,
}: PlainHttpOptions): (request: HttpRequest) => HandlerResult {
  return (request) => {
    const { path } = splitTarget(request.target);
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (isRead && path.startsWith(challengePath)) return respond(challenge(path.slice(challengePath.length)));
    if (isRead && probePaths.has(path)) return system[path]!(request);
    const host = request.headers.get("host");
    if (host === null || !isHost(host)) return text(400, "The request has no host.");
    const hostname = hostnameOf(host);
    const port = portOf(hostname);
    const location = `https://${hostname}${port === 443 ? "" : `:${port}`}${request.target}`;
    // 308 keeps the method; after a 301, clients would send a GET instead of a POST.
    return new HttpResponse(308, new HttpHeaders({ location }));
  };
}

async function respond(found: Promise<string | undefined>): Promise<HttpResponse> {
  const keyAuthorization = await found;
  return keyAuthorization === undefined ? text(404, "There is no such challenge.") : text(200, keyAuthorization);
}

function text(status: number, body: string): HttpResponse {
  return new HttpResponse(status, new HttpHeaders({ "content-type": "text/plain" }), body);
}
