/** The only names of this machine that a redirect may have without https. */
const loopback = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?(?=[/?]|$)/;

/** Returns why a redirect URI is rejected. Undefined if a client may register it. */
export function redirectUriError(text: string): string | undefined {
  // Printable ASCII: browsers drop line breaks and tabs, and read other characters in more than one way.
  if (!/^[\x21-\x7e]+$/.test(text) || text.includes("\\")) return "must be a URL of printable ASCII characters";
  const url = URL.parse(text);
  if (!url) return "must be a URL";
  if (text.includes("#")) return "must have no fragment";
  if (url.username !== "" || url.password !== "" || /^[a-z]+:\/\/[^/?]*@/i.test(text)) return "must have no user";
  if (url.protocol === "https:" && text.startsWith("https://") && url.hostname !== "") return undefined;
  return loopback.test(text) ? undefined : "must use https, or http with 127.0.0.1, [::1] or localhost";
}

/**
 * Whether a redirect is one that the client registered. Compared as text, so that no look-alike matches; only the port of a
 * loopback address may differ, which a program cannot choose (RFC 8252, section 7.3).
 */
export function isRegisteredRedirect(registered: readonly string[], requested: string): boolean {
  if (redirectUriError(requested) !== undefined) return false;
  const portless = (text: string) => text.replace(loopback, "$1");
  return registered.some(
    (each) => each === requested || (loopback.test(each) && portless(each) === portless(requested)),
  );
}

/** The host that a customer sees: where the code goes. */
export function redirectHost(uri: string): string {
  return new URL(uri).host;
}
