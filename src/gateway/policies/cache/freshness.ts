import type { HttpHeaders } from "../../../platform/http1/message/headers.ts";
import type { HttpResponse } from "../../../platform/http1/message/http-response.ts";

/** The statuses of cacheable responses. */
const cacheableStatuses = new Set([200, 203, 301, 308, 404, 410]);

interface CacheRule {
  /** The lifetime of responses that do not specify one. */
  seconds: number;
  /** Whether the target received the caller's own credentials: then only a response marked public is stored. */
  isPersonal: boolean;
  now: number;
}

/**
 * The freshness lifetime of a response in seconds; 0 if it must not be stored. Follows the rules for shared caches (RFC
 * 9111).
 */
export function freshSeconds({ status, headers }: HttpResponse, { seconds, isPersonal, now }: CacheRule): number {
  if (!cacheableStatuses.has(status) || headers.has("set-cookie") || headers.get("vary")?.includes("*")) return 0;
  const control = directivesOf(headers.get("cache-control"));
  if (control.has("no-store") || control.has("private") || control.has("no-cache")) return 0;
  if (isPersonal && !control.has("public") && !control.has("s-maxage")) return 0;
  const maxAge = control.get("s-maxage") ?? control.get("max-age");
  const fresh = maxAge === undefined ? (secondsToExpiry(headers, now) ?? seconds) : Number(maxAge);
  const age = Number(headers.get("age") ?? 0);
  return Number.isFinite(fresh - age) ? Math.max(0, fresh - age) : 0;
}

/** Whether the client requires a response from the target. */
export function rejectsStored(headers: HttpHeaders): boolean {
  const control = directivesOf(headers.get("cache-control"));
  return control.has("no-cache") || control.has("no-store");
}

export function forbidsStoring(headers: HttpHeaders): boolean {
  return directivesOf(headers.get("cache-control")).has("no-store");
}

function directivesOf(header: string | null): Map<string, string> {
  const directives = new Map<string, string>();
  if (header === null) return directives;
  for (const directive of header.toLowerCase().split(",")) {
    const [name = "", value = ""] = directive.split("=");
    directives.set(name.trim(), value.trim().replaceAll('"', ""));
  }
  return directives;
}

/** Measured by the clock of the target, which may differ from ours. An invalid date counts as expired. */
function secondsToExpiry(headers: HttpHeaders, now: number): number | undefined {
  const expires = headers.get("expires");
  if (expires === null) return undefined;
  return (Date.parse(expires) - (Date.parse(headers.get("date") ?? "") || now)) / 1000 || 0;
}
