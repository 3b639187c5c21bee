/** The cookie of the browser where sign-in by mail was started. It is sent to sign-in only. */
export function signInCookieName(isSecure: boolean): string {
  return isSecure ? "__Secure-tollgate-sign-in" : "tollgate-sign-in";
}

export function signInCookie(value: string, isSecure: boolean, seconds: number): string {
  const attributes = `Path=/v1/sign-in; HttpOnly; SameSite=Lax; Max-Age=${seconds}${isSecure ? "; Secure" : ""}`;
  return `${signInCookieName(isSecure)}=${value}; ${attributes}`;
}
