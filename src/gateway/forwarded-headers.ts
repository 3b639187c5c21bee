import { dropHopByHop, isHopByHop } from "../lib/hop-by-hop.ts";

/** What a request's target must not get from outside, beside what is hop by hop. */
const ownOfRequest = new Set([
  // The upstream's own is set by fetch.
  "host",
  // Bun has answered it already, and the upstream would answer it a second time.
  "expect",
]);

/** What only the gateway may tell targets. */
function isTold(name: string): boolean {
  return name.startsWith("x-consumer-") || name.startsWith("x-tollgate-");
}

/**
 * Turns the headers that came into those that a target gets, in place: a request's own headers can be changed in Bun, and a
 * copy would cost 0.4 µs. The header by which the address was named becomes `x-forwarded-host`; the protocol is the one of
 * the gateway's addresses, which is right behind a proxy that ends TLS too.
 */
export function prepareForTarget(headers: Headers, sender: { ip: string; requestId: string }, protocol: string): void {
  const host = headers.get("host");
  dropHopByHop(headers, isNotForTargets);
  const forwardedFor = headers.get("x-forwarded-for");
  headers.set("x-forwarded-for", forwardedFor === null ? sender.ip : `${forwardedFor}, ${sender.ip}`);
  headers.set("x-forwarded-proto", protocol);
  if (host !== null) headers.set("x-forwarded-host", host);
  headers.set("x-request-id", sender.requestId);
}

/** In place too. */
export function prepareForClient(headers: Headers): void {
  dropHopByHop(headers);
}

/** Whether code may set a header of the request that it lets pass. */
export function isForTargets(name: string): boolean {
  return !isHopByHop(name) && !ownOfRequest.has(name) && name !== "content-length";
}

function isNotForTargets(name: string): boolean {
  return ownOfRequest.has(name) || isTold(name);
}
