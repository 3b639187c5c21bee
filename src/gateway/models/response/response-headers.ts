import type { HttpHeaders } from "../../../platform/http1/message/headers.ts";
import { isHopByHop } from "../../../platform/http1/message/hop-by-hop.ts";

/** What concerns the provider's account, or would apply to the gateway's own host. */
const removed = new Set([
  "set-cookie",
  "set-cookie2",
  "alt-svc",
  "strict-transport-security",
  "clear-site-data",
  "nel",
  "report-to",
  "reporting-endpoints",
  "location",
  "www-authenticate",
  "server",
  "via",
]);

const removedParts = /organization|project|rate-?limit|^access-control-|^cf-/;

/** Removes, in place, headers of a provider's response that are not for the caller. */
export function cleanResponseHeaders(headers: HttpHeaders, secrets: readonly string[]): void {
  const leaking = new Set<string>();
  for (const [name, value] of headers) if (secrets.some((secret) => value.includes(secret))) leaking.add(name);
  headers.deleteWhere((name) => removed.has(name) || removedParts.test(name) || isHopByHop(name) || leaking.has(name));
}
