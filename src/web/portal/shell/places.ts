import type { PortalSession, PortalSite } from "../../../client/portal/schema.gen.ts";

/** Where the reference and the guides begin. */
export const docsPlace = { href: "/docs", label: "Documentation" };

/** The pages that a session may open. */
export function placesOf(
  { scopes }: PortalSession,
  site: Pick<PortalSite, "hasOAuth"> | undefined,
): { href: string; label: string }[] {
  const places: {
    href: string;
    label: string;
    scope?: PortalSession["scopes"][number];
    or?: (typeof scopes)[number];
  }[] = [
    { href: "/", label: "Start" },
    docsPlace,
    { href: "/keys", label: "Keys", scope: "keys:read" },
    ...(site?.hasOAuth ? [{ href: "/programs", label: "Programs", scope: "keys:read" as const }] : []),
    { href: "/usage", label: "Usage", scope: "usage:read" },
    { href: "/requests", label: "Requests", scope: "requests:read" },
    { href: "/plans", label: "Plans", scope: "plans:write", or: "invoices:read" },
    { href: "/invoices", label: "Invoices", scope: "invoices:read" },
    { href: "/people", label: "People", scope: "people:write" },
  ];
  return places.filter(
    ({ scope, or }) => scope === undefined || scopes.includes(scope) || (or !== undefined && scopes.includes(or)),
  );
}
