import { submit } from "../../../api/endpoint.ts";
import { FailedCredentials } from "../../../api/failed-credentials.ts";
import { oauthParameters } from "../../../core/http/oauth-parameters.ts";
import { Problem } from "../../../core/problems/problem.ts";
import { HttpHeaders } from "../../../platform/http1/message/headers.ts";
import { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import { exchangedMilliseconds } from "../accounts/exchanged.ts";
import {
  accessTokenType,
  exchangedToken,
  exchangeForm,
  exchangeGrant,
  oauthError,
  subjectTokenTypes,
} from "./schema.ts";
import { ExchangeRejected, type ExchangeRequest, type TokenExchange } from "./token-exchange.ts";

const retrySeconds = 30;

export function exchangeRoutes(exchange: TokenExchange) {
  const failures = new FailedCredentials();
  return [
    submit({
      operationId: "exchangeToken",
      path: "/v1/token-exchange",
      summary: "Exchange a token of a trusted issuer",
      description: "RFC 8693. The token is valid for 15 minutes. Errors are those of OAuth (RFC 6749, section 5.2).",
      access: "anyone",
      form: exchangeForm,
      response: exchangedToken,
      problems: ["too_many_failures"],
      otherResponses: {
        400: { description: "The request or the token is not accepted.", schema: oauthError },
        503: { description: "The keys of the issuer cannot be fetched now.", schema: oauthError },
      },
      handle: async ({ form, act, request }) => {
        try {
          const { value, role } = await exchange.exchange(exchangeRequestOf(form), act);
          return {
            body: {
              access_token: value,
              issued_token_type: accessTokenType,
              token_type: "Bearer" as const,
              expires_in: exchangedMilliseconds / 1000,
              scope: role,
            },
          };
        } catch (error) {
          if (!(error instanceof ExchangeRejected)) throw error;
          if (error.code !== "invalid_grant") return errorResponse(error);
          // A guess costs a signature check, so guesses are limited like those of other credentials.
          const limited = failures.count(request.ip, act.now, new Problem("unauthenticated"));
          if (limited.code === "too_many_failures") throw limited;
          return errorResponse(error);
        }
      },
    }),
  ];
}

/** Parameters that the exchange knows, and no more: an actor or a resource would change what the token is for. */
function exchangeRequestOf(form: URLSearchParams | undefined): ExchangeRequest {
  if (!form) throw invalidRequest("The body must be application/x-www-form-urlencoded.");
  const { one, needed } = oauthParameters(form, invalidRequest);
  if (needed("grant_type") !== exchangeGrant)
    throw new ExchangeRejected("unsupported_grant_type", `\`grant_type\` must be ${exchangeGrant}.`);
  const subjectToken = needed("subject_token");
  if (!subjectTokenTypes.includes(needed("subject_token_type")))
    throw invalidRequest(`\`subject_token_type\` must be ${subjectTokenTypes.join(" or ")}.`);
  if ((one("requested_token_type") ?? accessTokenType) !== accessTokenType)
    throw invalidRequest(`\`requested_token_type\` must be ${accessTokenType}.`);
  for (const name of ["actor_token", "actor_token_type"])
    if (one(name) !== undefined) throw invalidRequest(`\`${name}\` is not supported.`);
  if (one("resource") !== undefined)
    throw new ExchangeRejected("invalid_target", "`resource` is not supported; use `audience`.");
  return { subjectToken, audience: one("audience") };
}

function invalidRequest(description: string): ExchangeRejected {
  return new ExchangeRejected("invalid_request", description);
}

function errorResponse({ code, message }: ExchangeRejected): HttpResponse {
  const isTemporary = code === "temporarily_unavailable";
  const headers = {
    "content-type": "application/json",
    "cache-control": "no-store",
    ...(isTemporary && { "retry-after": String(retrySeconds) }),
  };
  const body = JSON.stringify({ error: code, error_description: message });
  return new HttpResponse(isTemporary ? 503 : 400, new HttpHeaders(headers), body);
}
