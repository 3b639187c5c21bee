/** The pages of a portal beside its start page, in the order of its navigation. */
export const portalPages = [
  "docs",
  "keys",
  "programs",
  "agents",
  "usage",
  "requests",
  "plans",
  "credit",
  "invoices",
  "people",
] as const;
export type PortalPage = (typeof portalPages)[number];
