import { read, write } from "../../../../api/endpoint.ts";
import { handoffCodeInput, handoffCustomer, portalSessionInput, session, site } from "../customer/schema.ts";
import type { PortalHosts } from "../hosts/portal-hosts.ts";
import { portalCookies } from "../sessions/cookie.ts";
import type { PortalSessions } from "../sessions/portal-sessions.ts";
import type { CustomerPages } from "../site/customer-pages.ts";
import { describeSite, type SiteServices } from "../site/site-description.ts";
import { signInReplies } from "./sign-in-replies.ts";

const sessionPath = "/portal/api/session";

export interface SessionServices extends SiteServices {
  hosts: PortalHosts;
  sessions: PortalSessions;
  customerPages: CustomerPages;
}

/** The operations of a portal's own pages that concern the session and the site as a whole. */
export function portalSessionRoutes(services: SessionServices) {
  const { hosts, sessions, customerPages } = services;
  const { cookieOf, sessionOf } = signInReplies(services);
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
      problems: ["handoff_invalid"],
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
      problems: ["handoff_invalid", "session_replaced"],
      handle: async (input, transaction) => {
        const { request, act, body } = input;
        const { code, replacesSession: replaces } = body;
        const opened = await sessions.exchange(transaction, request, act, { code, replaces });
        return { body: await sessionOf(transaction, input, opened), headers: cookieOf(request, opened) };
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
        return { body: await customerPages.present(reads, site, found, act.now) };
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
        return { headers: { "set-cookie": portalCookies.session.set("", hosts.isSecure(request), 0) } };
      },
    }),
  ];
}
