import { read, receive, submit } from "../../../../api/endpoint.ts";
import { FailedCredentials } from "../../../../api/failed-credentials.ts";
import type { Act } from "../../../../core/access.ts";
import { Problem } from "../../../../core/problems/problem.ts";
import { HttpHeaders } from "../../../../platform/http1/message/headers.ts";
import type { HttpRequest } from "../../../../platform/http1/message/http-request.ts";
import { HttpResponse } from "../../../../platform/http1/message/http-response.ts";
import type { PortalHosts, PortalSite } from "../../portal/hosts/portal-hosts.ts";
import type { OAuthSettings } from "../../portal/schema.ts";
import { clientOf } from "../client-authentication.ts";
import { enabledOAuth } from "../enabled.ts";
import { keysPath, metadataOf, metadataPath, registerPath, revokePath, tokenPath } from "../metadata.ts";
import { errorResponse, invalidRequest, OAuthRejected, parametersOf } from "../oauth-error.ts";
import { registerClient } from "../registration.ts";
import { revokeToken } from "../revocation.ts";
import {
  emptyResponse,
  keySet,
  oauthErrorBody,
  registrationResponse,
  revocationForm,
  serverMetadata,
  tokenForm,
  tokenResponse,
} from "../schema.ts";
import { TokenEndpoint, type TokenServices } from "../token-endpoint.ts";

export interface ProgramServices extends TokenServices {
  hosts: PortalHosts;
}

const noStore = { "cache-control": "no-store", pragma: "no-cache" };
/** A new key is published for a day before it signs. */
const cached = { "cache-control": "public, max-age=300" };
const maxRegistrationBytes = 16 * 1024;

/** The endpoints that programs call, at the portal's host. They return the errors of OAuth. */
export function programRoutes(services: ProgramServices) {
  const { hosts, storage, signingKeys } = services;
  const failures = new FailedCredentials();
  const tokens = new TokenEndpoint(services);
  const enter = async (request: HttpRequest): Promise<{ site: PortalSite; oauth: OAuthSettings; issuer: string }> => {
    const site = await hosts.siteOf(request);
    return { site, oauth: enabledOAuth(site), issuer: hosts.originOf(request) };
  };
  const authenticated = async (request: HttpRequest, form: URLSearchParams | undefined, now: number) => {
    const entered = await enter(request);
    if (!form) throw invalidRequest("The body must be application/x-www-form-urlencoded.");
    try {
      return { ...entered, client: await clientOf(storage.reads, entered.site, request, form, now), form };
    } catch (error) {
      if (!(error instanceof OAuthRejected) || error.code !== "invalid_client") throw error;
      const limited = failures.count(request.ip, now, new Problem("unauthenticated"));
      throw limited.code === "too_many_failures" ? limited : error;
    }
  };
  const otherResponses = {
    400: { description: "The request is not accepted.", schema: oauthErrorBody },
    401: { description: "The client is not accepted.", schema: oauthErrorBody },
  };
  return [
    read({
      operationId: "getAuthorizationServerMetadata",
      path: metadataPath,
      summary: "Read the metadata of the authorization server",
      description: "RFC 8414.",
      access: "anyone",
      response: serverMetadata,
      problems: ["portal_not_found"],
      handle: async ({ request }) => {
        const { issuer, oauth } = await enter(request);
        return { body: metadataOf(issuer, oauth), headers: cached };
      },
    }),
    read({
      operationId: "getAuthorizationServerKeys",
      path: keysPath,
      summary: "Read the keys that sign access tokens",
      description: "RFC 7517.",
      access: "anyone",
      response: keySet,
      problems: ["portal_not_found"],
      handle: async ({ request, reads, act }) => {
        const { site } = await enter(request);
        const keys = await signingKeys.published(reads, site, act.now);
        return { body: { keys: keys as { kty: string; kid: string }[] }, headers: cached };
      },
    }),
    submit({
      operationId: "issueOAuthToken",
      path: tokenPath,
      summary: "Issue tokens",
      description: "For a code, a refresh token, or the secret of a service client. Errors are those of RFC 6749.",
      access: "anyone",
      form: tokenForm,
      response: tokenResponse,
      problems: ["portal_not_found", "too_many_failures"],
      otherResponses,
      handle: ({ request, form, act }) =>
        withOAuthErrors(async () => {
          const entered = await authenticated(request, form, act.now);
          return { body: await tokens.issue({ ...entered, act }), headers: noStore };
        }),
    }),
    submit({
      operationId: "revokeOAuthToken",
      path: revokePath,
      summary: "Revoke a token",
      description: "RFC 7009. Ends the authorization. A token that is not valid is no error.",
      access: "anyone",
      form: revocationForm,
      response: emptyResponse,
      problems: ["portal_not_found", "too_many_failures"],
      otherResponses,
      handle: ({ request, form, act }) =>
        withOAuthErrors(async () => {
          const { site, issuer, client, form: fields } = await authenticated(request, form, act.now);
          const token = parametersOf(fields).needed("token");
          await revokeToken(services, { site, issuer, client, token }, act);
          return { body: {}, headers: noStore };
        }),
    }),
    receive({
      operationId: "registerOAuthClient",
      path: registerPath,
      summary: "Register a client",
      description: "RFC 7591. Only if `registration` of the portal is `open`. Limited by the client's network.",
      maxBytes: maxRegistrationBytes,
      response: registrationResponse,
      problems: ["portal_not_found", "no_such_route"],
      otherResponses: {
        201: { description: "The client.", schema: registrationResponse },
        400: otherResponses[400],
        429: { description: "Too many clients were registered.", schema: oauthErrorBody },
      },
      handle: ({ request, bytes, act }) =>
        withOAuthErrors(async () => {
          const { site, oauth } = await enter(request);
          if (oauth.registration !== "open") throw new Problem("no_such_route");
          return created(await registerClient(storage, site, act as Omit<Act, "account">, bytes));
        }),
    }),
  ];
}

async function withOAuthErrors<Result>(work: () => Promise<Result>): Promise<Result | HttpResponse> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof OAuthRejected) return errorResponse(error);
    throw error;
  }
}

function created(body: object): HttpResponse {
  const headers = new HttpHeaders({ "content-type": "application/json", "cache-control": "no-store" });
  return new HttpResponse(201, headers, JSON.stringify(body));
}
