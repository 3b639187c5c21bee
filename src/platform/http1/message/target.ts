/** Path and query of a request's target. One trailing slash changes nothing; two are another path. */
export function splitTarget(target: string): { path: string; search: string } {
  const mark = target.indexOf("?");
  let path = mark === -1 ? target : target.slice(0, mark);
  if (path.length > 1 && path.endsWith("/") && !path.endsWith("//")) path = path.slice(0, -1);
  return { path, search: mark === -1 ? "" : target.slice(mark + 1) };
}
