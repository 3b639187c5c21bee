import type { HttpRequest } from "../../../../platform/http1/message/http-request.ts";
import type { WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { MailSignIns } from "../../../access/mail-sign-in/mail-sign-ins.ts";
import type { PortalHosts } from "../hosts/portal-hosts.ts";
import { portalCookie } from "../sessions/cookie.ts";
import { type OpenedPortalSession, type PortalSessions, sessionMilliseconds } from "../sessions/portal-sessions.ts";
import { presentSession } from "../sessions/present-session.ts";
import type { PortalSignInOutcome, PortalSignIns } from "../sign-in/portal-sign-ins.ts";
import type { CustomerPages } from "../site/customer-pages.ts";

const noStore = { "cache-control": "no-store" };

export interface PortalSignInServices {
  hosts: PortalHosts;
  sessions: PortalSessions;
  signIns: PortalSignIns;
  mailSignIns: MailSignIns;
  customerPages: CustomerPages;
}

interface SignInContext {
  request: HttpRequest;
  act: { now: number };
}

/** The responses of a sign-in, by mail or with the provider. */
export function signInReplies({ hosts, customerPages }: PortalSignInServices) {
  const cookieOf = (request: HttpRequest, { value }: OpenedPortalSession) => ({
    "set-cookie": portalCookie(value, hosts.isSecure(request), sessionMilliseconds / 1000),
    ...noStore,
  });
  const sessionOf = async (transaction: WriteTransaction, { act }: SignInContext, opened: OpenedPortalSession) =>
    presentSession(opened.session, await customerPages.of(transaction, opened.site, opened.session, act.now));
  const sessionReply = async (transaction: WriteTransaction, context: SignInContext, opened: OpenedPortalSession) => ({
    body: { session: await sessionOf(transaction, context, opened) },
    headers: cookieOf(context.request, opened),
  });
  /** `to` is the path of the portal at which the person goes on. */
  const outcomeReply = async (
    transaction: WriteTransaction,
    context: SignInContext,
    outcome: PortalSignInOutcome,
    to = "/",
  ) => {
    const next = to === "/" ? {} : { to };
    if ("opened" in outcome) {
      const { body, headers } = await sessionReply(transaction, context, outcome.opened);
      return { body: { ...body, ...next }, headers };
    }
    const { proof, mailbox, customers: found, signUp } = outcome;
    const optional = {
      ...(mailbox === undefined ? {} : { email: mailbox }),
      ...(found ? { customers: found } : {}),
      ...(signUp ? { signUp } : {}),
    };
    return { body: { proof, ...optional, ...next }, headers: noStore };
  };
  return { cookieOf, sessionOf, sessionReply, outcomeReply };
}
