import { read, write } from "../../../api/endpoint.ts";
import { formatDateTime } from "../../../lib/time/time.ts";
import type { MailSignIns } from "../../mail-sign-in/mail-sign-ins.ts";
import { portalSessionInput, session, site } from "../customer/schema.ts";
import { portalCookie } from "../sessions/cookie.ts";
import {
  type PortalSession,
  type PortalSessions,
  portalScopesOf,
  sessionMilliseconds,
} from "../sessions/portal-sessions.ts";
import { settingsOf } from "../settings/present.ts";

const sessionPath = "/portal/api/session";

/** The operations of a portal's own pages that concern the session and the site as a whole. */
export function portalSessionRoutes(
  { sessions, mailSignIns }: { sessions: PortalSessions; mailSignIns: Pick<MailSignIns, "isEnabled"> },
  area: string,
) {
  return [
    read({
      operationId: "getPortalSite",
      path: "/portal/api/site",
      area,
      summary: "Read what everyone may know of the portal",
      access: "anyone",
      response: site,
      problems: ["portal_not_found"],
      handle: async ({ request }) => {
        const found = await sessions.siteOf(request);
        const {
          title,
          description,
          links = [],
          termsUrl,
          isReferencePublic = false,
          signUp,
          oidc,
          oauth,
        } = settingsOf(found);
        const optional = {
          ...(description === undefined ? {} : { description }),
          ...(termsUrl === undefined ? {} : { termsUrl }),
        };
        const provider = oidc ? { provider: new URL(oidc.issuer).host } : {};
        const hasOAuth = oauth?.isEnabled === true;
        const ways = { isReferencePublic, hasOAuth, signIn: { mail: mailSignIns.isEnabled, ...provider }, signUp };
        return { body: { title, hasLogo: found.logo_type !== null, links, ...ways, ...optional } };
      },
    }),
    write({
      operationId: "signInToPortal",
      method: "POST",
      path: sessionPath,
      area,
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
        const cookie = portalCookie(opened.value, sessions.isSecure(request), sessionMilliseconds / 1000);
        return { body: presentSession(opened.session), headers: { "set-cookie": cookie } };
      },
    }),
    read({
      operationId: "getPortalSession",
      path: sessionPath,
      area,
      summary: "Read the session",
      access: "customer",
      response: session,
      handle: async (input) => {
        const found = await sessions.find(
          input.reads,
          await sessions.siteOf(input.request),
          input.request,
          input.act.now,
        );
        return { body: presentSession(found!) };
      },
    }),
    write({
      operationId: "signOutOfPortal",
      method: "DELETE",
      path: sessionPath,
      area,
      summary: "Sign out",
      access: "customer",
      handle: async ({ request, act }, transaction) => {
        await sessions.end(transaction, request, act);
        return { headers: { "set-cookie": portalCookie("", sessions.isSecure(request), 0) } };
      },
    }),
  ];
}

export function presentSession(portalSession: PortalSession) {
  return {
    consumer: { name: portalSession.consumer_label ?? portalSession.consumer_name },
    subject: portalSession.manager_email ?? portalSession.subject,
    scopes: portalScopesOf(portalSession),
    isManager: portalSession.manager_id !== null,
    isByProvider: portalSession.issuer !== null,
    isView: portalSession.viewer !== null,
    ...(portalSession.return_url === null ? {} : { returnUrl: portalSession.return_url }),
    expiresOn: formatDateTime(portalSession.expires_on),
  };
}
