import type { PortalSession } from "../../../client/transport/portal-schema.gen.ts";

type Page = PortalSession["pages"][number];

interface Place {
  href: string;
  label: string;
}

const groups: { label: string; places: Partial<Record<Page, Place>> }[] = [
  { label: "Docs", places: { docs: { href: "/docs", label: "Documentation" } } },
  {
    label: "API",
    places: {
      keys: { href: "/keys", label: "Keys" },
      usage: { href: "/usage", label: "Usage" },
      requests: { href: "/requests", label: "Requests" },
      programs: { href: "/programs", label: "Programs" },
      agents: { href: "/agents", label: "Agents" },
    },
  },
  {
    label: "Billing",
    places: {
      plans: { href: "/plans", label: "Plans" },
      credit: { href: "/credit", label: "Credit" },
      invoices: { href: "/invoices", label: "Invoices" },
    },
  },
  { label: "Account", places: { people: { href: "/people", label: "People" } } },
];

/** Where the reference and the guides begin. */
export const docsPlace = groups[0]!.places.docs!;

/** The pages that the server lists for the site or the session, which knows which have something to show, in groups. */
export function groupsOf(pages: readonly Page[]): { label: string; places: Place[] }[] {
  return groups
    .map(({ label, places }) => ({
      label,
      places: Object.entries(places).flatMap(([page, place]) => (pages.includes(page as Page) ? place : [])),
    }))
    .filter(({ places }) => places.length > 0);
}

/** The start page and the others. */
export const placesOf = (pages: readonly Page[]): Place[] => [
  startPlace,
  ...groupsOf(pages).flatMap(({ places }) => places),
];

export const startPlace = { href: "/", label: "Start" };
