/** Path and query of a request's target. One trailing slash changes nothing; two are another path. */
export function splitTarget(target: string): { path: string; search: string } {
  const mark = target.indexOf("?");
  let path = mark === -1 ? target : target.slice(0, mark);
  if (path.length > 1 && path.endsWith("/") && !path.endsWith("//")) path = path.slice(0, -1);
  return { path, search: mark === -1 ? "" : target.slice(mark + 1) };
}

const needsResolving = /\/(?:\.|%2e)|\\/i;

/** Removes the fragment, and resolves the dot segments of the path. */
export function resolvedTarget(target: string): string {
  const fragment = target.indexOf("#");
  const address = fragment === -1 ? target : target.slice(0, fragment);
  const query = address.indexOf("?");
  const path = query === -1 ? address : address.slice(0, query);
  if (!needsResolving.test(path)) return address;
  return new URL(`http://host${path}`).pathname + (query === -1 ? "" : address.slice(query));
}
