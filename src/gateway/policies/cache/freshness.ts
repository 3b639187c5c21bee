import type { HttpHeaders } from "../../../platform/http1/headers.ts";
import type { HttpResponse } from "../../../platform/http1/http-response.ts";

/** The statuses whose answers are worth keeping. */
const keptStatuses = new Set([200, 203, 301, 308, 404, 410]);

export interface CacheRule {
  /** How long an answer is kept that does not say for itself. */
  seconds: number;
  /** Whether the caller's own credentials reached the target: then the answer must say that it is for everybody. */
  isPersonal: boolean;
  now: number;
}

/** For how many seconds an answer may be given again; 0 if it may not. By the rules for shared caches (RFC 9111). */
export function secondsToKeep({ status, headers }: HttpResponse, { seconds, isPersonal, now }: CacheRule): number {
  if (!keptStatuses.has(status) || headers.has("set-cookie") || headers.get("vary")?.includes("*")) return 0;
  const control = directivesOf(headers.get("cache-control"));
  if (control.has("no-store") || control.has("private") || control.has("no-cache")) return 0;
  if (isPersonal && !control.has("public") && !control.has("s-maxage")) return 0;
  const said = control.get("s-maxage") ?? control.get("max-age");
  const fresh = said === undefined ? (secondsUntilExpiry(headers, now) ?? seconds) : Number(said);
  const age = Number(headers.get("age") ?? 0);
  return Number.isFinite(fresh - age) ? Math.max(0, fresh - age) : 0;
}

/** Whether the caller asks for an answer that was not kept. */
export function refusesKept(headers: HttpHeaders): boolean {
  const control = directivesOf(headers.get("cache-control"));
  return control.has("no-cache") || control.has("no-store");
}

export function refusesKeeping(headers: HttpHeaders): boolean {
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

/** A date that cannot be read has passed. */
function secondsUntilExpiry(headers: HttpHeaders, now: number): number | undefined {
  const expires = headers.get("expires");
  if (expires === null) return undefined;
  return (Date.parse(expires) - now) / 1000 || 0;
}
