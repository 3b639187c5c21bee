import type { HttpHeaders } from "./headers.ts";
import { dashed, NameSet } from "./name-set.ts";

/** Headers that belong to one connection and never travel on. */
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

/** What nearly all connections say names no other header. */
const usual = /^(?:close|keep-alive|upgrade)$/i;

/** Takes out, in place, what belongs to one connection, whatever else Connection names, and what `isDropped` says. */
export function dropHopByHop(headers: HttpHeaders, isDropped?: (name: string) => boolean): void {
  if (!isDropped && !headers.mayHold(names)) return;
  const connection = headers.get("connection");
  const named = connection === null || usual.test(connection) ? undefined : listed(connection);
  headers.deleteWhere((name) => names.has(name) || isDropped?.(name) || (named?.has(dashed(name)) ?? false));
}

function listed(connection: string): Set<string> {
  return new Set(connection.split(",").map((name) => dashed(name.trim().toLowerCase())));
}
