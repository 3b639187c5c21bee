import type { HttpRequest } from "../../../platform/http1/message/http-request.ts";
import type { MailSignIns } from "../../mail-sign-in/mail-sign-ins.ts";
import { portalCookie } from "../sessions/cookie.ts";
import { type OpenedPortalSession, type PortalSessions, sessionMilliseconds } from "../sessions/portal-sessions.ts";
import type { PortalSignInOutcome, PortalSignIns } from "../sign-in/portal-sign-ins.ts";
import { presentSession } from "./session.ts";

const noStore = { "cache-control": "no-store" };

export interface PortalSignInServices {
  sessions: PortalSessions;
  signIns: PortalSignIns;
  mailSignIns: MailSignIns;
}

/** The responses of a sign-in, by mail or with the provider. */
export function signInReplies({ sessions }: PortalSignInServices) {
  const cookieOf = (request: HttpRequest, { value }: OpenedPortalSession) => ({
    "set-cookie": portalCookie(value, sessions.isSecure(request), sessionMilliseconds / 1000),
    ...noStore,
  });
  const sessionReply = (request: HttpRequest, result: OpenedPortalSession) => ({
    body: { session: presentSession(result.session) },
    headers: cookieOf(request, result),
  });
  /** `to` is the path of the portal at which the person goes on. */
  const outcomeReply = (request: HttpRequest, outcome: PortalSignInOutcome, to = "/") => {
    const next = to === "/" ? {} : { to };
    if ("opened" in outcome) {
      const { body, headers } = sessionReply(request, outcome.opened);
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
  return { cookieOf, sessionReply, outcomeReply };
}
