import type { Caller } from "../../../core/access.ts";
import { formatDateTime } from "../../../lib/time/time.ts";
import { presentCaller } from "../accounts/present.ts";
import { cookieName, sessionCookie } from "./cookie.ts";
import { maxMilliseconds, type OpenedSession, type Sessions } from "./sessions.ts";

/** What all ways to sign in share. */
export function sessionReplies(sessions: Sessions) {
  const { isSecure } = sessions.origin;
  const setCookie = ({ value }: OpenedSession) => sessionCookie(value, isSecure, maxMilliseconds / 1000);
  return {
    /** The value of the session's cookie that the browser had before. */
    former: (cookie: (name: string) => string | undefined) => cookie(cookieName(isSecure)),
    setCookie,
    created: (opened: OpenedSession, caller: Caller) => ({
      body: { id: opened.id, expiresOn: formatDateTime(opened.expiresOn), caller: presentCaller(caller) },
      headers: { "set-cookie": setCookie(opened), "cache-control": "no-store" },
    }),
  };
}
