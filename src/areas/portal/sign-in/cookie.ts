/**
 * The cookie of the browser where sign-in by mail was started. With `__Host-`, no other host can set it; that needs the
 * path `/`.
 */
export function portalSignInCookieName(isSecure: boolean): string {
  return isSecure ? "__Host-tollgate-portal-sign-in" : "tollgate-portal-sign-in";
}

export function portalSignInCookie(value: string, isSecure: boolean, seconds: number): string {
  const attributes = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${isSecure ? "; Secure" : ""}`;
  return `${portalSignInCookieName(isSecure)}=${value}; ${attributes}`;
}
