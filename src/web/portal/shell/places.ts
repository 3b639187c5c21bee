import type { PortalSession } from "../../../client/portal/schema.gen.ts";

/** The pages that a session may open. */
export function placesOf({ scopes }: PortalSession): { href: string; label: string }[] {
  const places = [
    { href: "/", label: "Start" },
    { href: "/keys", label: "Keys", scope: "keys:read" as const },
    { href: "/usage", label: "Usage", scope: "usage:read" as const },
    { href: "/requests", label: "Requests", scope: "requests:read" as const },
  ];
  return places.filter(({ scope }) => scope === undefined || scopes.includes(scope));
}
