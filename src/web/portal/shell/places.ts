import type { PortalSession } from "../../../client/transport/portal-schema.gen.ts";

type Page = PortalSession["pages"][number];

const places: Record<Page, { href: string; label: string }> = {
  docs: { href: "/docs", label: "Documentation" },
  keys: { href: "/keys", label: "Keys" },
  programs: { href: "/programs", label: "Programs" },
  usage: { href: "/usage", label: "Usage" },
  requests: { href: "/requests", label: "Requests" },
  plans: { href: "/plans", label: "Plans" },
  credit: { href: "/credit", label: "Credit" },
  invoices: { href: "/invoices", label: "Invoices" },
  people: { href: "/people", label: "People" },
};

/** Where the reference and the guides begin. */
export const docsPlace = places.docs;

/** The start page, and the pages that the server lists for the site or the session: it knows which have something to show. */
export function placesOf(pages: readonly Page[]): { href: string; label: string }[] {
  return [{ href: "/", label: "Start" }, ...pages.map((page) => places[page])];
}
