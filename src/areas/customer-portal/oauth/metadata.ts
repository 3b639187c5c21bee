import type { OAuthSettings } from "../portal/schema.ts";

export const metadataPath = "/.well-known/oauth-authorization-server";
export const authorizePath = "/oauth/authorize";
export const tokenPath = "/oauth/token";
export const revokePath = "/oauth/revoke";
export const registerPath = "/oauth/register";
export const keysPath = "/oauth/jwks";

/** The paths that programs call, from any origin. */
export const programPaths: ReadonlySet<string> = new Set([metadataPath, tokenPath, revokePath, registerPath, keysPath]);

const authMethods = ["none", "client_secret_basic", "client_secret_post"];

/** The metadata of the authorization server (RFC 8414), without disabled endpoints. */
export function metadataOf(issuer: string, { registration }: OAuthSettings) {
  return {
    issuer,
    authorization_endpoint: issuer + authorizePath,
    token_endpoint: issuer + tokenPath,
    revocation_endpoint: issuer + revokePath,
    jwks_uri: issuer + keysPath,
    ...(registration === "open" ? { registration_endpoint: issuer + registerPath } : {}),
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token", "client_credentials"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: authMethods,
    revocation_endpoint_auth_methods_supported: authMethods,
    authorization_response_iss_parameter_supported: true,
    ...(registration === "closed" ? {} : { client_id_metadata_document_supported: true }),
  };
}
