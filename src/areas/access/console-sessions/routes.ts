import { type AreaContext, areaOf } from "../../../api/area.ts";
import { list, remove, write } from "../../../api/endpoint.ts";
import type { Caller } from "../../../core/access.ts";
import { formatDateTime } from "../../../lib/time/time.ts";
import { acceptInvitation } from "../members/members.ts";
import { invitationInput } from "../members/schema.ts";
import { sessionCookie } from "./cookie.ts";
import { sessionReplies } from "./replies.ts";
import { consoleSessionInput, createdSession, session } from "./schema.ts";
import { callerOf, type NamedSession, ownerOf, type Sessions, type SignInMethod } from "./sessions.ts";

export function consoleSessionArea({ clock, metrics, lifecycle }: AreaContext, sessions: Sessions) {
  metrics.cache("sessions", () => sessions.cache);
  lifecycle.onClose("session uses", () => sessions.saveLastUse());
  lifecycle.every(30, "session uses", () => sessions.saveLastUse());
  const { isSecure } = sessions.origin;
  const { former, created } = sessionReplies(sessions);
  const present = (row: NamedSession, caller: Caller) => ({
    id: row.id,
    owner: ownerOf(row),
    method: row.method as SignInMethod | "token",
    createdOn: formatDateTime(row.created_on),
    lastUsedOn: formatDateTime(sessions.lastUsedOn(row)),
    expiresOn: formatDateTime(row.expires_on),
    isCurrent: row.id === caller.session,
    ...(row.ip === null ? {} : { ip: row.ip }),
  });
  const operations = [
    write({
      operationId: "createSession",
      method: "POST",
      path: "/v1/sessions",
      summary: "Sign in with a token",
      description:
        "Sets a cookie with the permissions of the token. It is valid for 12 hours after the last request, and at most 7 days. The `Origin` must be this server's own.",
      access: "anyone",
      isForOwnPages: true,
      body: consoleSessionInput,
      response: createdSession,
      problems: ["unauthenticated", "token_expired", "too_many_failures"],
      examples: { request: { token: "tgt_0123456789abcdef0123456789abcdef_7759b50e" } },
      // Storage is read outside the transaction; after that the token is cached.
      before: async ({ body, act }) => {
        await sessions.holderOf(body.token, act.now);
      },
      handle: async ({ body, act, cookie }, transaction) => {
        const { caller, ...opened } = await sessions.openForToken(transaction, body.token, act, former(cookie));
        return created(opened, caller);
      },
    }),
    write({
      operationId: "acceptInvitation",
      method: "POST",
      path: "/v1/invitations/$accept",
      area: "People",
      summary: "Accept an invitation and sign in",
      description:
        "Sets a cookie like a sign-in. The session is valid in the account of the invitation only. The `Origin` must be this server's own.",
      access: "anyone",
      isForOwnPages: true,
      body: invitationInput,
      response: createdSession,
      problems: ["invitation_invalid"],
      examples: { request: { invitation: "tgi_0123456789abcdef0123456789abcdef_7759b50e" } },
      handle: async ({ body, act, cookie }, transaction) => {
        const { person, membership } = await acceptInvitation(transaction, act, body.invitation);
        const { account } = membership;
        const signIn = { person, method: "invitation", account, former: former(cookie) } as const;
        return created(await sessions.openForPerson(transaction, act, signIn), callerOf(person, [membership]));
      },
    }),
    list({
      operationId: "listSessions",
      path: "/v1/sessions",
      summary: "List the sessions of the caller",
      access: "any",
      item: session,
      listName: "SessionList",
      handle: async ({ reads, caller, act, query }) => {
        const { data, total } = await sessions.list(reads, caller, act.now, query);
        return { total, data: data.map((row) => present(row, caller)) };
      },
    }),
    list({
      operationId: "listAccountSessions",
      path: "/v1/accounts/{accountName}/sessions",
      summary: "List the sessions of an account",
      description: "Those of its members and its tokens.",
      access: "administer",
      item: session,
      listName: "AccountSessionList",
      handle: async ({ reads, account, caller, act, query }) => {
        const { data, total } = await sessions.listOfAccount(reads, account.seq, act.now, query);
        return { total, data: data.map((row) => present(row, caller)) };
      },
    }),
    remove({
      operationId: "deleteAccountSession",
      path: "/v1/accounts/{accountName}/sessions/{sessionId}",
      summary: "End a session of an account",
      description: "It ends immediately, on every node within a second.",
      access: "administer",
      hasNoETag: true,
      handle: ({ params, act }, transaction) => sessions.deleteOfAccount(transaction, act, params.sessionId),
    }),
    write({
      operationId: "deleteSession",
      method: "DELETE",
      path: "/v1/sessions/{sessionId}",
      summary: "Sign out",
      description: "`current` is the session of the request. It ends immediately, on other nodes within a second.",
      access: "any",
      hasNoETag: true,
      handle: async ({ params, caller, act }, transaction) => {
        await sessions.delete(transaction, act, caller, params.sessionId);
        const isOwn = params.sessionId === "current" || params.sessionId === caller.session;
        return isOwn ? { headers: { "set-cookie": sessionCookie("", isSecure, 0) } } : {};
      },
    }),
  ];
  return areaOf(
    {
      Sessions:
        "Browsers that are signed in, as a person or with a token. For the console; programs send the token itself.",
    },
    operations,
    { removals: [(signal) => sessions.deleteEnded(clock.now(), signal)] },
  );
}
