import { oauthParameters } from "../../../core/http/oauth-parameters.ts";
import { HttpHeaders } from "../../../platform/http1/message/headers.ts";
import { HttpResponse } from "../../../platform/http1/message/http-response.ts";

/** The codes of RFC 6749 (4.1.2.1, 5.2), RFC 7009, RFC 7591 and RFC 8707. */
export const oauthErrorCodes = [
  "invalid_request",
  "invalid_client",
  "invalid_grant",
  "invalid_scope",
  "invalid_target",
  "unauthorized_client",
  "unsupported_grant_type",
  "unsupported_response_type",
  "unsupported_token_type",
  "access_denied",
  "invalid_redirect_uri",
  "invalid_client_metadata",
  "temporarily_unavailable",
] as const;
type OAuthErrorCode = (typeof oauthErrorCodes)[number];

/** A request to an OAuth endpoint is rejected. The message contains no part of a credential. */
export class OAuthRejected extends Error {
  constructor(
    readonly code: OAuthErrorCode,
    message: string,
    readonly options: { status?: number; retryAfterSeconds?: number; usedBasic?: boolean } = {},
  ) {
    super(message);
  }
}

export const invalidRequest = (description: string) => new OAuthRejected("invalid_request", description);
export const invalidGrant = (description: string) => new OAuthRejected("invalid_grant", description);

/** The response of the endpoints that programs call (RFC 6749, section 5.2). */
export function errorResponse({ code, message, options }: OAuthRejected): HttpResponse {
  const status = options.status ?? (code === "invalid_client" ? 401 : 400);
  const headers = new HttpHeaders({ "content-type": "application/json", "cache-control": "no-store" });
  if (options.usedBasic) headers.set("www-authenticate", 'Basic realm="oauth"');
  if (options.retryAfterSeconds !== undefined) headers.set("retry-after", String(options.retryAfterSeconds));
  return new HttpResponse(status, headers, JSON.stringify({ error: code, error_description: message }));
}

export const parametersOf = (fields: URLSearchParams) => oauthParameters(fields, invalidRequest);
