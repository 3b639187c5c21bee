import { formatDateTime } from "../../../../lib/time/time.ts";
import type { PortalPage } from "../portal-pages.ts";
import { type PortalSession, portalScopesOf } from "./portal-sessions.ts";

/** `pages` are those that the session may open and that have something to show. */
export function presentSession(portalSession: PortalSession, pages: PortalPage[]) {
  return {
    consumer: { name: portalSession.display_name ?? portalSession.consumer_name },
    subject: portalSession.manager_email ?? portalSession.subject,
    scopes: portalScopesOf(portalSession),
    ...(portalSession.is_suspended === 1 && { suspension: { reason: portalSession.suspension_reason ?? undefined } }),
    pages,
    isManager: portalSession.manager_id !== null,
    isByProvider: portalSession.issuer !== null,
    isView: portalSession.viewer !== null,
    ...(portalSession.return_url === null ? {} : { returnUrl: portalSession.return_url }),
    expiresOn: formatDateTime(portalSession.expires_on),
  };
}
