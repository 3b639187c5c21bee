import { httpOnlyCookie } from "../../../lib/http/cookie.ts";

/**
 * With `__Host-`, browsers reject the cookie without Secure, with a Domain, or from another host. Plain http has no
 * Secure cookies.
 */
export function cookieName(isSecure: boolean): string {
  return isSecure ? "__Host-tollgate" : "tollgate-session";
}

export function sessionCookie(value: string, isSecure: boolean, seconds: number): string {
  return httpOnlyCookie(cookieName(isSecure), value, { isSecure, seconds });
}
