import type { HttpRequest } from "../../../../platform/http1/message/http-request.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import type { PortalSite } from "../hosts/portal-hosts.ts";
import type { PortalSessions } from "../sessions/portal-sessions.ts";
import { presentSession } from "../sessions/present-session.ts";
import type { CustomerPages } from "./customer-pages.ts";
import { describeSite, type SiteServices } from "./site-description.ts";

export interface PageStateServices extends SiteServices {
  sessions: PortalSessions;
  customerPages: CustomerPages;
}

export type PageState = Awaited<ReturnType<typeof pageState>>;

/** What a page of the portal begins with: the site, and the session, which is null without one. */
export async function pageState(
  services: PageStateServices,
  reads: Reads,
  site: PortalSite,
  request: HttpRequest,
  now: number,
) {
  const session = await services.sessions.find(reads, site, request, now);
  return {
    site: await describeSite(services, reads, site),
    session: session ? presentSession(session, await services.customerPages.of(reads, site, session, now)) : null,
  };
}
