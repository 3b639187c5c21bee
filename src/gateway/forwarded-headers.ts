import type { HttpHeaders } from "../platform/http1/headers.ts";
import { dropHopByHop, isHopByHop } from "../platform/http1/hop-by-hop.ts";
import type { HttpResponse } from "../platform/http1/http-response.ts";
import { dashed, NameSet } from "../platform/http1/name-set.ts";

/** What a request's target must not get from outside, beside what is hop by hop. */
const ownOfRequest = new NameSet(
  // It has its own.
  "host",
  // The server answers it, and the upstream would answer it a second time.
  "expect",
);

/** What is told by how the body is sent. */
const ofBody = new NameSet("content-length");

const letterX = 0x78;

/** What only the gateway may tell targets. Spelled with `_` too: many upstreams read that as `-`. */
function isTold(name: string): boolean {
  if (name.charCodeAt(0) !== letterX) return false;
  const read = dashed(name);
  if (read.startsWith("x-consumer-") || read.startsWith("x-tollgate-")) return true;
  // These the gateway sets, partly from what came: in the usual spelling they are replaced.
  return read !== name && (read.startsWith("x-forwarded-") || read === "x-request-id");
}

/**
 * Turns the headers that came into those that a target gets, in place. The header by which the address was named becomes
 * `x-forwarded-host`; the protocol is the one of the gateway's addresses, which is right behind a proxy that ends TLS too.
 */
export function prepareForTarget(
  headers: HttpHeaders,
  sender: { ip: string; requestId: string },
  protocol: string,
): void {
  const host = headers.get("host");
  dropHopByHop(headers, isNotForTargets);
  const forwardedFor = headers.get("x-forwarded-for");
  headers.setOwn("x-forwarded-for", forwardedFor === null ? sender.ip : `${forwardedFor}, ${sender.ip}`);
  headers.setOwn("x-forwarded-proto", protocol);
  if (host !== null) headers.setOwn("x-forwarded-host", host);
  headers.setOwn("x-request-id", sender.requestId);
}

/** In place too. Of a connection that goes on in another protocol, the client must learn in which. */
export function prepareForClient({ headers, tunnel }: HttpResponse): void {
  const upgrade = tunnel ? headers.get("upgrade") : null;
  dropHopByHop(headers);
  if (upgrade !== null) headers.setOwn("upgrade", upgrade);
}

/** Whether code may set a header of the request that it lets pass. */
export function isForTargets(name: string): boolean {
  return !isHopByHop(name) && !ownOfRequest.has(name) && !ofBody.has(name);
}

function isNotForTargets(name: string): boolean {
  return ownOfRequest.has(name) || isTold(name);
}
