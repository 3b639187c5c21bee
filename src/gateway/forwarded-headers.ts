import { listableHeaders } from "../core/artifact/listable-headers.ts";
import type { HttpHeaders } from "../platform/http1/message/headers.ts";
import { dropHopByHop, isHopByHop } from "../platform/http1/message/hop-by-hop.ts";
import type { Forwarder } from "../platform/http1/message/http-request.ts";
import type { HttpResponse } from "../platform/http1/message/http-response.ts";
import { dashed, NameSet } from "../platform/http1/message/name-set.ts";

/** What a target must not get from the client, beside hop-by-hop headers. */
const ownOfRequest = new NameSet(
  // The target has its own.
  "host",
  // The server responds to it; the upstream would do so a second time.
  "expect",
);

/** Set by the body's framing. */
const ofBody = new NameSet("content-length");

/** What no client sends to an upstream: the headers that a route may list, and `Proxy`, which CGI reads as HTTP_PROXY, the proxy for its own requests. */
const fromNobody = new NameSet("proxy", ...listableHeaders);

/** Upstreams take these as the client's address or host, so they pass from trusted proxies alone, as `x-forwarded-*` does. */
const fromProxies = new NameSet(
  "forwarded",
  "x-real-ip",
  "x-client-ip",
  "x-cluster-client-ip",
  "true-client-ip",
  "cf-connecting-ip",
  "fastly-client-ip",
);

const letterX = 0x78;

/** Headers that only the gateway may set. Spelled with `_` too: many upstreams read that as `-`. */
function isGatewayHeader(name: string): boolean {
  if (name.charCodeAt(0) !== letterX) return false;
  const read = dashed(name);
  if (read.startsWith("x-consumer-") || read.startsWith("x-tollgate-")) return true;
  // These are replaced in their usual spelling.
  return read !== name && (read.startsWith("x-forwarded-") || read === "x-request-id");
}

/**
 * Turns the client's headers into those that a target gets, in place. `host` becomes `x-forwarded-host`. Of `x-forwarded-*`
 * and the like only what a trusted proxy sent is kept; otherwise the protocol is that of the gateway's addresses, which is right
 * behind a proxy that terminates TLS too.
 */
export function prepareForTarget(
  headers: HttpHeaders,
  sender: { ip: string; requestId: string },
  forwarder: Forwarder | undefined,
  protocol: string,
  /** Headers that the route lets pass. */
  listed?: ReadonlySet<string>,
): void {
  const host = headers.get("host");
  const isDropped = forwarder ? isDroppedOfProxy : isDroppedOfClient;
  dropHopByHop(headers, listed ? (name) => !listed.has(name) && isDropped(name) : isDropped);
  const forwardedFor = forwarder ? headers.get("x-forwarded-for") : null;
  const sentBy = forwarder?.address ?? sender.ip;
  headers.setOwn("x-forwarded-for", forwardedFor === null ? sentBy : `${forwardedFor}, ${sentBy}`);
  headers.setOwn("x-forwarded-proto", forwarder?.protocol ?? protocol);
  if (host !== null) headers.setOwn("x-forwarded-host", host);
  headers.setOwn("x-request-id", sender.requestId);
}

/** In place too. Of an upgraded connection, the client must learn the protocol. */
export function prepareForClient({ headers, tunnel }: HttpResponse): void {
  const upgrade = tunnel ? headers.get("upgrade") : null;
  dropHopByHop(headers);
  if (upgrade !== null) headers.setOwn("upgrade", upgrade);
}

/** Whether code may set the header of a request. */
export function isForTargets(name: string): boolean {
  return !isHopByHop(name) && !ownOfRequest.has(name) && !ofBody.has(name);
}

/** Whether code may set the header of a response. */
export function isForClients(name: string): boolean {
  return !isHopByHop(name) && !ofBody.has(name);
}

function isNeverForwarded(name: string): boolean {
  return ownOfRequest.has(name) || fromNobody.has(name) || isGatewayHeader(name);
}

/** From a trusted proxy. Spellings with `_` are its clients'. */
function isDroppedOfProxy(name: string): boolean {
  return isNeverForwarded(name) || (fromProxies.has(name) && name.includes("_"));
}

/** From a client that is no trusted proxy. */
function isDroppedOfClient(name: string): boolean {
  return isNeverForwarded(name) || fromProxies.has(name) || name.startsWith("x-forwarded-");
}
