/** The cookie of the browser where sign-in with the provider was begun. With `__Host-`, no other host can set it. */
export function providerCookieName(isSecure: boolean): string {
  return isSecure ? "__Host-tollgate-portal-provider" : "tollgate-portal-provider";
}

export function providerCookie(value: string, isSecure: boolean, seconds: number): string {
  const attributes = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${isSecure ? "; Secure" : ""}`;
  return `${providerCookieName(isSecure)}=${value}; ${attributes}`;
}
