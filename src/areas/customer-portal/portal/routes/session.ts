import { read, write } from "../../../../api/endpoint.ts";
import { handoffCodeInput, handoffCustomer, portalSessionInput, session, site } from "../customer/schema.ts";
import type { PortalHosts } from "../hosts/portal-hosts.ts";
import { portalCookie } from "../sessions/cookie.ts";
import { type PortalSessions, sessionMilliseconds } from "../sessions/portal-sessions.ts";
import { presentSession } from "../sessions/present-session.ts";
import type { CustomerPages } from "../site/customer-pages.ts";
import { describeSite, type SiteServices } from "../site/site-description.ts";

const sessionPath = "/portal/api/session";

export interface SessionServices extends SiteServices {
  hosts: PortalHosts;
  sessions: PortalSessions;
  customerPages: CustomerPages;
}

/** The operations of a portal's own pages that concern the session and the site as a whole. */
export function portalSessionRoutes(services: SessionServices) {
  const { hosts, sessions, customerPages } = services;
  return [
    read({
      operationId: "getPortalSite",
      path: "/portal/api/site",
      summary: "Read what everyone may know of the portal",
      access: "anyone",
      response: site,
      problems: ["portal_not_found"],
      handle: async ({ request, reads }) => {
        const found = await hosts.siteOf(request);
        return { body: await describeSite(services, reads, found) };
      },
    }),
    read({
      operationId: "readPortalHandoff",
      method: "POST",
      path: "/portal/api/hand-off",
      summary: "Show whose session a hand-off opens",
      description: "The code stays valid. A link of somebody else must not sign a browser in without a click.",
      access: "anyone",
      isForOwnPages: true,
      body: handoffCodeInput,
      response: handoffCustomer,
      problems: ["handoff_invalid", "origin_mismatch", "insecure_origin", "unsupported_media_type"],
      handle: async ({ request, reads, act, body }) => ({
        body: await sessions.customerOfHandoff(reads, request, body.code, act.now),
      }),
    }),
    write({
      operationId: "signInToPortal",
      method: "POST",
      path: sessionPath,
      summary: "Exchange the code of a hand-off for a session",
      description: "Sets the cookie of the session, which ends after 12 hours. The code works once.",
      access: "anyone",
      isForOwnPages: true,
      body: portalSessionInput,
      response: session,
      problems: ["handoff_invalid", "session_replaced", "origin_mismatch", "insecure_origin", "unsupported_media_type"],
      handle: async ({ request, act, body }, transaction) => {
        const { code, replacesSession: replaces } = body;
        const opened = await sessions.exchange(transaction, request, act, { code, replaces });
        const cookie = portalCookie(opened.value, hosts.isSecure(request), sessionMilliseconds / 1000);
        const pages = await customerPages.of(transaction, opened.site, opened.session, act.now);
        return { body: presentSession(opened.session, pages), headers: { "set-cookie": cookie } };
      },
    }),
    read({
      operationId: "getPortalSession",
      path: sessionPath,
      summary: "Read the session",
      access: "customer",
      response: session,
      handle: async ({ reads, request, act }) => {
        const site = await hosts.siteOf(request);
        const found = (await sessions.find(reads, site, request, act.now))!;
        return { body: presentSession(found, await customerPages.of(reads, site, found, act.now)) };
      },
    }),
    write({
      operationId: "signOutOfPortal",
      method: "DELETE",
      path: sessionPath,
      summary: "Sign out",
      access: "customer",
      whileSuspended: true,
      handle: async ({ request, act }, transaction) => {
        await sessions.end(transaction, request, act);
        return { headers: { "set-cookie": portalCookie("", hosts.isSecure(request), 0) } };
      },
    }),
  ];
}
