/** What a resource's ETag is made of. The id keeps one that was deleted and made again apart from the first. */
export interface Revision {
  id: string;
  version: number | string;
}

/** Told the revision that is there, refuses if it is not the one the client expects. */
export type Precondition = (current: Revision) => void;

/**
 * `suffix` tells representations apart that hold more than the resource itself (its keys, say); it does not
 * take part in If-Match, which is about the resource.
 */
export function etagOf({ id, version }: Revision, suffix = ""): string {
  return `"${id}.${version}${suffix && `~${suffix}`}"`;
}

/** Strong comparison, as If-Match wants it. */
export function matchesRevision(header: string, current: Revision): boolean {
  const wanted = etagOf(current);
  return listed(header).some((tag) => tag === "*" || tag.replace(/~[^"]*"$/, '"') === wanted);
}

/** Weak comparison, as If-None-Match wants it. */
export function matchesTag(header: string, etag: string): boolean {
  return listed(header).some((tag) => tag === "*" || tag.replace(/^W\//, "") === etag);
}

function listed(header: string): string[] {
  return header.split(",").map((tag) => tag.trim());
}
