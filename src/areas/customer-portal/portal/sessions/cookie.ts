import { cookieValue, httpOnlyCookie } from "../../../../lib/http/cookie.ts";

/**
 * With `__Host-`, browsers reject the cookie without Secure, with a Domain, or from another host. Plain http has no
 * Secure cookies. The name differs from that of console sessions.
 */
function cookieName(isSecure: boolean): string {
  return isSecure ? "__Host-tollgate-portal" : "tollgate-portal";
}

export function portalCookie(value: string, isSecure: boolean, seconds: number): string {
  return httpOnlyCookie(cookieName(isSecure), value, { isSecure, seconds });
}

export function portalCookieValue(header: string | null, isSecure: boolean): string | undefined {
  return cookieValue(header ?? "", cookieName(isSecure));
}
