import { listableHeaders } from "../../core/artifact/listable-headers.ts";
import { clientAddressHeaders } from "../../platform/egress/own-server.ts";
import type { HttpHeaders } from "../../platform/http1/message/headers.ts";
import { dropHopByHop, isHopByHop } from "../../platform/http1/message/hop-by-hop.ts";
import type { Forwarder } from "../../platform/http1/message/http-request.ts";
import type { HttpResponse } from "../../platform/http1/message/http-response.ts";
import { dashed, NameSet } from "../../platform/http1/message/name-set.ts";

/** Request headers that are not forwarded, in addition to hop-by-hop headers. */
const ownOfRequest = new NameSet(
  // Replaced by the target's host.
  "host",
  // The server handles it; the upstream would respond to it a second time.
  "expect",
);

/** Set by the body's framing. */
const ofBody = new NameSet("content-length");

/**
 * Headers that clients must not send to an upstream: those that a route may list, and `Proxy`, which CGI reads as
 * HTTP_PROXY, the proxy for its own requests.
 */
const fromNobody = new NameSet("proxy", ...listableHeaders);

/** Upstreams may read these as the client's address, so they pass only from trusted proxies, like `x-forwarded-*`. */
const fromProxies = clientAddressHeaders;

const letterX = 0x78;

/** Headers that only the gateway may set. Also in spellings with `_`, which many upstreams read as `-`. */
function isGatewayHeader(name: string): boolean {
  if (name.charCodeAt(0) !== letterX) return false;
  const read = dashed(name);
  if (read.startsWith("x-consumer-") || read.startsWith("x-tollgate-")) return true;
  // These are replaced in their usual spelling.
  return read !== name && (read.startsWith("x-forwarded-") || read === "x-request-id");
}

/**
 * Converts the client's headers to those for a target, in place. `host` becomes `x-forwarded-host`. `x-forwarded-*` and
 * similar headers are kept only from a trusted proxy; otherwise the protocol is that of the gateway's addresses, which
 * is also correct behind a proxy that terminates TLS. Returns the client's `host`.
 */
export function prepareForTarget(
  headers: HttpHeaders,
  sender: { ip: string; requestId: string },
  forwarder: Forwarder | undefined,
  protocol: string,
  /** Headers that the route forwards. */
  listed?: ReadonlySet<string>,
): string | undefined {
  const host = headers.get("host");
  const isDropped = forwarder ? isDroppedOfProxy : isDroppedOfClient;
  dropHopByHop(headers, listed ? (name) => !listed.has(name) && isDropped(name) : isDropped);
  const forwardedFor = forwarder ? headers.get("x-forwarded-for") : null;
  const sentBy = forwarder?.address ?? sender.ip;
  headers.setOwn("x-forwarded-for", forwardedFor === null ? sentBy : `${forwardedFor}, ${sentBy}`);
  headers.setOwn("x-forwarded-proto", forwarder?.protocol ?? protocol);
  if (host !== null) headers.setOwn("x-forwarded-host", host);
  headers.setOwn("x-request-id", sender.requestId);
  return host ?? undefined;
}

/** Converts the response headers for the client, in place. For an upgraded connection, the upgrade protocol is kept. */
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

/** Whether a header from a trusted proxy is dropped. Spellings with `_` come from its clients. */
function isDroppedOfProxy(name: string): boolean {
  return isNeverForwarded(name) || (fromProxies.has(name) && name.includes("_"));
}

/** Whether a header from an untrusted client is dropped. */
function isDroppedOfClient(name: string): boolean {
  return isNeverForwarded(name) || fromProxies.has(name) || name.startsWith("x-forwarded-");
}
