import type { Act } from "../../../../core/access.ts";
import type { HttpRequest } from "../../../../platform/http1/message/http-request.ts";
import type { WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { MailSignIns } from "../../../access/mail-sign-in/mail-sign-ins.ts";
import type { PortalHosts } from "../hosts/portal-hosts.ts";
import { portalCookies } from "../sessions/cookie.ts";
import { type OpenedPortalSession, type PortalSessions, sessionMilliseconds } from "../sessions/portal-sessions.ts";
import type { PortalSignInOutcome, PortalSignIns } from "../sign-in/portal-sign-ins.ts";
import type { CustomerPages } from "../site/customer-pages.ts";

export interface PortalSignInServices {
  hosts: PortalHosts;
  sessions: PortalSessions;
  signIns: PortalSignIns;
  mailSignIns: MailSignIns;
  customerPages: CustomerPages;
}

interface SignInRequest {
  request: HttpRequest;
  act: Omit<Act, "account">;
}

/** What sign-ins by mail, with the provider and by a hand-off have in common: the portal, and the responses. */
export function signInReplies({ hosts, customerPages }: Pick<PortalSignInServices, "hosts" | "customerPages">) {
  const contextOf = async ({ request, act }: SignInRequest) => ({ request, act, site: await hosts.siteOf(request) });
  const cookieOf = (request: HttpRequest, { value }: OpenedPortalSession) => ({
    "set-cookie": portalCookies.session.set(value, hosts.isSecure(request), sessionMilliseconds / 1000),
  });
  const sessionOf = (transaction: WriteTransaction, { act }: SignInRequest, opened: OpenedPortalSession) =>
    customerPages.present(transaction, opened.site, opened.session, act.now);
  const sessionReply = async (transaction: WriteTransaction, context: SignInRequest, opened: OpenedPortalSession) => ({
    body: { session: await sessionOf(transaction, context, opened) },
    headers: cookieOf(context.request, opened),
  });
  /** `to` is the path of the portal at which the person goes on. */
  const outcomeReply = async (
    transaction: WriteTransaction,
    context: SignInRequest,
    outcome: PortalSignInOutcome,
    to = "/",
  ) => {
    const next = to === "/" ? {} : { to };
    if ("opened" in outcome) {
      const { body, headers } = await sessionReply(transaction, context, outcome.opened);
      return { body: { ...body, ...next }, headers };
    }
    const { mailbox: email, ...rest } = outcome;
    return { body: { ...rest, email, ...next } };
  };
  return { contextOf, cookieOf, sessionOf, sessionReply, outcomeReply };
}
