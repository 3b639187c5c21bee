/** The plan that a visitor has chosen on the landing page, and buys after signing in. */
export const wantedPlan = (): string | undefined =>
  new URLSearchParams(window.location.search).get("plan") ?? undefined;

const wantedPlanPage = (plan: string): string => `/plans?plan=${encodeURIComponent(plan)}`;

/** The page to return to after sign-in: the one on which it was started, unless it is for sign-in alone. */
export function signInFrom(): { to?: string } {
  const { pathname, search, hash } = window.location;
  const plan = wantedPlan();
  if (pathname === "/sign-in" && plan !== undefined) return { to: wantedPlanPage(plan) };
  return pathname === "/sign-in" || pathname.startsWith("/sign-in/") ? {} : { to: pathname + search + hash };
}
