/**
 * With `__Host-`, browsers reject the cookie without Secure, with a Domain, or from another host. Plain http has no
 * Secure cookies.
 */
export function cookieName(isSecure: boolean): string {
  return isSecure ? "__Host-tollgate" : "tollgate-session";
}

export function sessionCookie(value: string, isSecure: boolean, seconds: number): string {
  const attributes = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${isSecure ? "; Secure" : ""}`;
  return `${cookieName(isSecure)}=${value}; ${attributes}`;
}
