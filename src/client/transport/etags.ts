const etags = new WeakMap<object, string>();

export function rememberETag(resource: unknown, etag: string | null): void {
  if (etag !== null && typeof resource === "object" && resource !== null) etags.set(resource, etag);
}

/**
 * The ETag of an object that the server returned, for `ifMatch`. Undefined for copies of it, and for items of lists.
 *
 * @example
 * ```ts
 * const consumer = await client.consumers("main").get("acme");
 * const tags = { ...consumer.tags, seen: true };
 * await client.consumers("main").update("acme", { tags }, { ifMatch: etagOf(consumer) });
 * ```
 */
export function etagOf(resource: object): string | undefined {
  return etags.get(resource);
}
