import type { HttpHeaders } from "./headers.ts";
import { dashed, NameSet } from "./name-set.ts";

/** Headers that a proxy must not forward (RFC 9110, 7.6.1). */
const names = new NameSet(
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
);

export function isHopByHop(name: string): boolean {
  return names.has(name);
}

/** Common values that name no other header. */
const common = /^(?:close|keep-alive|upgrade)$/i;

/** Deletes, in place, hop-by-hop headers, those that Connection names, and those that `isDropped` selects. */
export function dropHopByHop(headers: HttpHeaders, isDropped?: (name: string) => boolean): void {
  if (!isDropped && !headers.mayHold(names)) return;
  const connection = headers.get("connection");
  const named = connection === null || common.test(connection) ? undefined : listed(connection);
  headers.deleteWhere((name) => names.has(name) || isDropped?.(name) || (named?.has(dashed(name)) ?? false));
}

function listed(connection: string): Set<string> {
  return new Set(connection.split(",").map((name) => dashed(name.trim().toLowerCase())));
}
