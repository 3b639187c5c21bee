/** Headers that belong to one connection and never travel on. */
const names = new Set([
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

export function isHopByHop(name: string): boolean {
  return names.has(name);
}

/**
 * Takes out, in place, what belongs to one connection, whatever else Connection names, and what `isDropped` says. One pass over
 * the names: asking for each that must go costs as much as all of them, and finds no prefixes.
 */
export function dropHopByHop(headers: Headers, isDropped: (name: string) => boolean = () => false): void {
  let dropped: string[] | undefined;
  for (const name of headers.keys()) {
    if (!names.has(name) && !isDropped(name)) continue;
    dropped ??= [];
    dropped.push(name);
  }
  if (dropped === undefined) return;
  const connection = headers.get("connection");
  if (connection !== null) {
    for (const name of connection.split(",")) {
      const named = name.trim().toLowerCase();
      if (/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(named)) dropped.push(named);
    }
  }
  for (const name of dropped) headers.delete(name);
}
