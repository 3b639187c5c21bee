/** Identifies a version of a resource. The id distinguishes a resource from a former one of the same name. */
export interface Revision {
  id: string;
  version: number | string;
}

/**
 * Throws if the current revision is not the one that the client expects. A resource that does not exist has none, and
 * matches no If-Match.
 */
export type Precondition = (current: Revision | undefined) => void;

/** For changes that no request with If-Match makes. */
export const unconditional: Precondition = () => {};

/**
 * `suffix` distinguishes representations that include more than the resource, such as its keys. If-Match ignores it.
 */
export function etagOf({ id, version }: Revision, suffix = ""): string {
  return `"${id}.${version}${suffix && `~${suffix}`}"`;
}

/** Strong comparison, for If-Match. */
export function matchesRevision(header: string, current: Revision): boolean {
  const wanted = etagOf(current);
  return listed(header).some((tag) => tag === "*" || tag.replace(/~[^"]*"$/, '"') === wanted);
}

/** Weak comparison, for If-None-Match. A compressed representation matches too. */
export function matchesTag(header: string, etag: string): boolean {
  return listed(header).some((tag) => tag === "*" || tag.replace(/^W\//, "").replace(/~?;gzip"$/, '"') === etag);
}

/** The tag of the compressed representation, which has other bytes. Its end is a suffix, which If-Match ignores. */
export function compressedTag(etag: string): string {
  return `${etag.slice(0, -1)}${etag.includes("~") ? "" : "~"};gzip"`;
}

function listed(header: string): string[] {
  return header.split(",").map((tag) => tag.trim());
}
