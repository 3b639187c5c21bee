/**
 * Whether a browser sent the request from a page of another host. Such a page may have been given this server's address
 * by DNS rebinding. Requests without an Origin come from programs.
 */
export function isForeignOrigin(origin: string | null, host: string | null): boolean {
  if (origin === null) return false;
  const url = URL.parse(origin);
  return url === null || (url.protocol !== "http:" && url.protocol !== "https:") || url.host !== host?.toLowerCase();
}
