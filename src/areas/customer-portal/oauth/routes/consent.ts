import { write } from "../../../../api/endpoint.ts";
import { Problem } from "../../../../core/problems/problem.ts";
import { formatDateTime } from "../../../../lib/time/time.ts";
import type { Keys } from "../../../api-keys/keys/keys.ts";
import { type CustomerInput, type CustomerServices, customerEntrance } from "../../portal/customer/customer.ts";
import type { PortalSessions } from "../../portal/sessions/portal-sessions.ts";
import { type AuthorizeRequests, ReturnedError, returnedErrorUrl, returnUrl } from "../authorize-requests.ts";
import { authorizationEnd, grantCode, offerOf } from "../consents.ts";
import { enabledOAuth } from "../enabled.ts";
import { OAuthRejected } from "../oauth-error.ts";
import { hostOf } from "../present.ts";
import { consentInput, consentOutcome, consentQuery, consentRequest } from "../schema.ts";

interface ConsentServices extends CustomerServices {
  sessions: PortalSessions;
  keys: Keys;
  requests: AuthorizeRequests;
}

/** The operations of the page on which a customer consents. */
export function consentRoutes({ sessions, keys, requests, ...services }: ConsentServices) {
  const { hosts } = services;
  const customers = customerEntrance(services);
  return [
    write({
      operationId: "readOAuthRequest",
      method: "POST",
      path: "/portal/api/oauth/request",
      summary: "Check a request for authorization, and show what it asks for",
      access: "customer",
      hasNoETag: true,
      body: consentQuery,
      response: consentRequest,
      problems: ["oauth_request_invalid", "concurrency_exceeded"],
      // A document is fetched before the transaction.
      before: async (input) => {
        const site = await hosts.siteOf(input.request);
        const oauth = enabledOAuth(site);
        const { consumer: known } = await customers.enter(input, "keys:write");
        const issuer = hosts.originOf(input.request);
        return forPage(issuer, async () => {
          const request = await requests.read(input.reads, site, input.body.query, input.act.now, known.id);
          const { consumer } = await customers.find(input.reads, input, "keys:write");
          const { granted } = await offerOf(input.reads, keys, request, consumer, input.act.now);
          const { client, deployment, redirectUri } = request;
          const session = await sessions.find(input.reads, site, input.request, input.act.now);
          return {
            client: { name: client.name, type: client.type },
            host: hostOf(client.documentUrl, redirectUri),
            consumer: { id: consumer.id, name: session?.display_name ?? consumer.name },
            deployment,
            permissions: granted,
            expiresOn: formatDateTime(authorizationEnd(oauth.refreshDays, input.act.now)),
          };
        });
      },
      handle: async (_input, _transaction, body) => ({ body }),
    }),
    write({
      operationId: "decideOAuthRequest",
      method: "POST",
      path: "/portal/api/oauth/decision",
      summary: "Consent to a request for authorization, or deny it",
      description:
        "Returns the address that the browser has to open. Returns 409 if the browser is signed in for another customer now.",
      access: "customer",
      hasNoETag: true,
      body: consentInput,
      response: consentOutcome,
      problems: [
        "oauth_request_invalid",
        "concurrency_exceeded",
        "session_replaced",
        "authorization_limit_reached",
        "oauth_client_limit_reached",
      ],
      before: async (input) => {
        const site = await hosts.siteOf(input.request);
        enabledOAuth(site);
        requireShown(input, input.body.consumerId);
        const issuer = hosts.originOf(input.request);
        const { query, consumerId } = input.body;
        const read = () => requests.read(input.reads, site, query, input.act.now, consumerId);
        return { site, issuer, asked: await forPage(issuer, async () => ({ request: await read() })) };
      },
      handle: async (input, transaction, { site, issuer, asked }) => {
        if ("redirectTo" in asked) return { body: asked };
        const { request } = asked;
        if (!input.body.isApproved)
          return { body: { redirectTo: returnUrl(request, issuer, { error: "access_denied" }) } };
        const { consumer, managerId } = await customers.lock(transaction, input, "keys:write");
        const { actor, actorName } = input.act;
        const person = { consumer, managerId, subject: actorName ?? actor };
        const body = await forPage(issuer, async () => {
          const code = await grantCode(transaction, input.act, keys, site, request, person);
          return { redirectTo: returnUrl(request, issuer, { code }) };
        });
        return { body };
      },
    }),
  ];
}

/** The browser may have switched to another customer since the page was shown. */
function requireShown({ caller }: CustomerInput, consumerId: string): void {
  if (caller.customer!.consumer.id !== consumerId)
    throw new Problem("session_replaced", { detail: "The browser is signed in for another customer now." });
}

/** Errors that the client gets become a redirect. Others are shown on the page, which must not lead to an unknown address. */
async function forPage<Result>(issuer: string, work: () => Promise<Result>): Promise<Result | { redirectTo: string }> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ReturnedError) return { redirectTo: returnedErrorUrl(error, issuer) };
    if (error instanceof OAuthRejected) throw new Problem("oauth_request_invalid", { detail: error.message });
    throw error;
  }
}
