/** Returns the value of a cookie in a Cookie header, of the first one if the name occurs twice. */
export function cookieValue(header: string, name: string): string | undefined {
  for (const pair of header.split(";")) {
    const at = pair.indexOf("=");
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}

interface CookieOptions {
  isSecure: boolean;
  /** 0 deletes the cookie. */
  seconds: number;
}

/** Returns the Set-Cookie header of a cookie for all paths of this host, which scripts cannot read. */
export function httpOnlyCookie(name: string, value: string, { isSecure, seconds }: CookieOptions): string {
  return `${name}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${isSecure ? "; Secure" : ""}`;
}
