import { SignJWT } from "jose";
import type { SigningKey } from "./signing-keys.ts";

/** The `typ` and `alg` of access tokens (RFC 9068). Verifiers accept no others. */
export const accessTokenType = "at+jwt";
export const accessTokenAlgorithm = "RS256";

/** The claims of an access token. */
export interface AccessTokenClaims {
  /** The origin of the portal. */
  iss: string;
  /** The id of the consumer. */
  sub: string;
  /** The name of the deployment. */
  aud: string;
  client_id: string;
  /** Permissions, separated by spaces. */
  scope: string;
  /** The id of the authorization, `auth_…`. */
  authorization: string;
  jti: string;
  /** In seconds. */
  iat: number;
  exp: number;
}

export function signAccessToken({ kid, key }: SigningKey, claims: AccessTokenClaims): Promise<string> {
  return new SignJWT({ ...claims })
    .setProtectedHeader({ alg: accessTokenAlgorithm, typ: accessTokenType, kid })
    .sign(key);
}
