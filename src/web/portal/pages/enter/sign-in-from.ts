/** The page to return to after sign-in: the one on which it was started, unless it is for sign-in alone. */
export function signInFrom(): { to?: string } {
  const { pathname, search, hash } = window.location;
  return pathname === "/sign-in" || pathname.startsWith("/sign-in/") ? {} : { to: pathname + search + hash };
}
