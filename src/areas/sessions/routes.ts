import { list, write } from "../../api/endpoint.ts";
import { formatDateTime } from "../../lib/time/time.ts";
import { sessionCookie } from "./cookie.ts";
import { createdSession, session, sessionInput } from "./schema.ts";
import { maxMilliseconds, type Sessions } from "./sessions.ts";

export const sessionAreas = {
  Sessions: "Browsers that are signed in with a token. For the console; programs send the token itself.",
};

const area = "Sessions";

export function sessionRoutes(sessions: Sessions) {
  const { isSecure } = sessions.origin;
  return [
    write({
      operationId: "createSession",
      method: "POST",
      path: "/v1/sessions",
      area,
      summary: "Sign in with a token",
      description:
        "Sets a cookie that stands for the token: 12 hours after the last request, and at most 7 days. The `Origin` must be this server's own.",
      access: "anyone",
      isForOwnPages: true,
      body: sessionInput,
      response: createdSession,
      problems: [
        "unauthenticated",
        "token_expired",
        "too_many_failures",
        "origin_mismatch",
        "insecure_origin",
        "unsupported_media_type",
      ],
      examples: { request: { token: "tgt_0123456789abcdef0123456789abcdef_7759b50e" } },
      // Storage is read outside the transaction; after that the token is cached.
      before: async ({ body, act }) => {
        await sessions.holderOf(body.token, act.now);
      },
      handle: async ({ body, act }, transaction) => {
        const { caller, value, id, expiresOn } = await sessions.create(transaction, body.token, act);
        const { role, account } = caller;
        return {
          body: {
            id,
            expiresOn: formatDateTime(expiresOn),
            caller: { sub: caller.id, role, ...(account ? { account: account.name } : {}) },
          },
          headers: {
            "set-cookie": sessionCookie(value, isSecure, maxMilliseconds / 1000),
            "cache-control": "no-store",
          },
        };
      },
    }),
    list({
      operationId: "listSessions",
      path: "/v1/sessions",
      area,
      summary: "List the sessions of the token",
      access: "any",
      item: session,
      listName: "SessionList",
      handle: async ({ reads, caller, act, query }) => {
        const { data, total } = await sessions.list(reads, caller, act.now, query);
        return {
          total,
          data: data.map((row) => ({
            id: row.id,
            createdOn: formatDateTime(row.created_on),
            lastUsedOn: formatDateTime(sessions.lastUsedOn(row)),
            expiresOn: formatDateTime(row.expires_on),
            isCurrent: row.id === caller.session,
          })),
        };
      },
    }),
    write({
      operationId: "deleteSession",
      method: "DELETE",
      path: "/v1/sessions/{sessionId}",
      area,
      summary: "Sign out",
      description:
        "`current` is the session that the request came with. It ends immediately, on every node within a second.",
      access: "any",
      handle: async ({ params, caller, act }, transaction) => {
        await sessions.delete(transaction, act, caller, params.sessionId);
        const isOwn = params.sessionId === "current" || params.sessionId === caller.session;
        return isOwn ? { headers: { "set-cookie": sessionCookie("", isSecure, 0) } } : {};
      },
    }),
  ];
}
