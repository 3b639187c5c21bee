import type { PortalPlans, PortalSession, PortalSite } from "../../client/transport/portal-schema.gen.ts";

/** The page of portals in a frame of the console, on the console's own origin. */
export const previewPath = "/portal/preview";

/** What the frame sends to the console when it listens. */
export const previewReady = "portal-preview-ready";

/** The pages that can be shown without a customer's data. */
export type PreviewPage = "/" | "/sign-in" | "/plans";

/** What the console sends to the frame. */
export interface PreviewMessage {
  type: "portal-preview";
  page: PreviewPage;
  theme: "light" | "dark";
  site: PortalSite;
  /** The pages of a new customer. */
  pages: PortalSession["pages"];
  plans: PortalPlans;
  /** The style sheet of the accent. */
  style: string;
  /** The address of the logo, or of the icon without one. */
  mark: string;
}
