/** What belongs to one connection and never travels on. */
const hopByHop = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

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
  drop(headers, isNotForTargets);
  const forwardedFor = headers.get("x-forwarded-for");
  headers.set("x-forwarded-for", forwardedFor === null ? sender.ip : `${forwardedFor}, ${sender.ip}`);
  headers.set("x-forwarded-proto", protocol);
  if (host !== null) headers.set("x-forwarded-host", host);
  headers.set("x-request-id", sender.requestId);
}

/** In place too. */
export function prepareForClient(headers: Headers): void {
  drop(headers, isHopByHop);
}

/** Whether code may set a header of the request that it lets pass. */
export function isForTargets(name: string): boolean {
  return !hopByHop.has(name) && !ownOfRequest.has(name) && name !== "content-length";
}

function isHopByHop(name: string): boolean {
  return hopByHop.has(name);
}

function isNotForTargets(name: string): boolean {
  return hopByHop.has(name) || ownOfRequest.has(name) || isTold(name);
}

/** One pass over the names: asking for each that must go costs as much as all of them, and finds no prefixes. */
function drop(headers: Headers, isDropped: (name: string) => boolean): void {
  let dropped: string[] | undefined;
  for (const name of headers.keys()) {
    if (!isDropped(name)) continue;
    dropped ??= [];
    dropped.push(name);
  }
  if (dropped === undefined) return;
  // Connection names further headers that are for this connection alone.
  const connection = headers.get("connection");
  if (connection !== null) {
    for (const name of connection.split(",")) {
      const named = name.trim().toLowerCase();
      if (/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(named)) dropped.push(named);
    }
  }
  for (const name of dropped) headers.delete(name);
}
