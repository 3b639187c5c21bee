/**
 * The cookie of the browser where sign-in by mail was started. With `__Host-`, no other host can set it; that needs the
 * path `/`.
 */
export function consoleSignInCookieName(isSecure: boolean): string {
  return isSecure ? "__Host-tollgate-sign-in" : "tollgate-sign-in";
}

export function consoleSignInCookie(value: string, isSecure: boolean, seconds: number): string {
  const attributes = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${isSecure ? "; Secure" : ""}`;
  return `${consoleSignInCookieName(isSecure)}=${value}; ${attributes}`;
}
