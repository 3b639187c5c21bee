import { httpOnlyCookie } from "../../../../lib/http/cookie.ts";

/**
 * With `__Host-`, browsers reject a cookie without Secure, with a Domain, or from another host. Plain http has no Secure
 * cookies.
 */
function cookie(name: string) {
  const nameOf = (isSecure: boolean) => (isSecure ? `__Host-${name}` : name);
  return {
    nameOf,
    set: (value: string, isSecure: boolean, seconds: number) =>
      httpOnlyCookie(nameOf(isSecure), value, { isSecure, seconds }),
  };
}

/** The names differ from those of the console. */
export const portalCookies = {
  session: cookie("tollgate-portal"),
  /** Of the browser where sign-in by mail was started. */
  signIn: cookie("tollgate-portal-sign-in"),
  /** Of the browser where sign-in with the provider was begun. */
  provider: cookie("tollgate-portal-provider"),
};
