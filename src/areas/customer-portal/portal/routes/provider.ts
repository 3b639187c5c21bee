import { z } from "zod";
import { write } from "../../../../api/endpoint.ts";
import { secret, text } from "../../../../core/schemas/schemas.ts";
import { pendingMilliseconds } from "../../../access/provider-sign-in/pending.ts";
import type { ProviderSignIns } from "../provider-sign-in/provider-sign-ins.ts";
import { portalCookies } from "../sessions/cookie.ts";
import { signInOutcome } from "../sign-in/schema.ts";
import { type PortalSignInServices, signInReplies } from "./sign-in-replies.ts";

const providerStartInput = z
  .strictObject({ to: text(2000).optional().meta({ description: "The path of the portal to open afterwards." }) })
  .meta({ id: "PortalProviderSignInStart", examples: [{ to: "/keys" }] });

const startedProviderSignIn = z
  .object({ url: secret(z.string().meta({ description: "The address at the identity provider." })) })
  .meta({
    id: "PortalStartedProviderSignIn",
    examples: [{ url: "https://login.acme.example/authorize?client_id=portal&state=w3Kf" }],
  });

const providerAnswerInput = z
  .strictObject({
    query: secret(
      text(8000).meta({ description: "The query with which the provider sent the browser back, without `?`." }),
    ),
  })
  .meta({ id: "PortalProviderAnswer", examples: [{ query: "code=SplxlOBe&state=w3Kf" }] });

const path = "/portal/api/sign-in/provider";
const providerProblems = ["portal_not_found", "provider_not_configured", "provider_unavailable"] as const;

export interface PortalProviderServices extends PortalSignInServices {
  providerSignIns: ProviderSignIns;
}

/** Sign-in with the portal's own identity provider. The page of the callback sends the query that the provider returned. */
export function portalProviderRoutes(services: PortalProviderServices) {
  const { hosts, signIns, providerSignIns } = services;
  const { contextOf, outcomeReply } = signInReplies(services);
  return [
    write({
      operationId: "startPortalProviderSignIn",
      method: "POST",
      path,
      summary: "Begin a sign-in with the portal's identity provider",
      description: "Open `url` in the same browser within 10 minutes.",
      access: "anyone",
      isForOwnPages: true,
      body: providerStartInput,
      response: startedProviderSignIn,
      problems: [...providerProblems],
      before: async ({ request, body, act }) => {
        const site = await hosts.siteOf(request);
        return providerSignIns.begin(site, hosts.originOf(request), body.to, act.now);
      },
      handle: async ({ request }, _transaction, { url, cookie }) => ({
        body: { url },
        headers: {
          "set-cookie": portalCookies.provider.set(cookie, hosts.isSecure(request), pendingMilliseconds / 1000),
        },
      }),
    }),
    write({
      operationId: "signInToPortalWithProvider",
      method: "POST",
      path: `${path}/callback`,
      summary: "Sign in with the answer of the portal's identity provider",
      description: "Only in the browser where the sign-in was begun.",
      access: "anyone",
      isForOwnPages: true,
      body: providerAnswerInput,
      response: signInOutcome,
      problems: ["sign_in_failed", "address_unverified", "no_portal_access", ...providerProblems],
      before: async ({ request, body, act, cookie: cookieOf }) => {
        const site = await hosts.siteOf(request);
        const cookie = cookieOf(portalCookies.provider.nameOf(hosts.isSecure(request)));
        const answer = { query: body.query, cookie };
        return providerSignIns.finish(site, hosts.originOf(request), answer, act.now);
      },
      handle: async (input, transaction, { person, to }) => {
        const context = await contextOf(input);
        return outcomeReply(transaction, context, await signIns.enter(transaction, context, person), to);
      },
    }),
  ];
}
