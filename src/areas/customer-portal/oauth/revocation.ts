import { createLocalJWKSet, type JWK, jwtVerify } from "jose";
import type { Act } from "../../../core/access.ts";
import type { Keyring } from "../../../lib/crypto/keyring.ts";
import type { Storage } from "../../../platform/storage/storage.ts";
import { type PortalSite, portalAccountOf } from "../portal/hosts/portal-hosts.ts";
import { accessTokenAlgorithm, accessTokenType } from "./access-tokens.ts";
import { endAuthorization } from "./authorizations.ts";
import type { Client } from "./clients.ts";
import { OAuthRejected } from "./oauth-error.ts";
import { isGenuine, parseRefreshToken } from "./refresh-tokens.ts";
import type { SigningKeys } from "./signing-keys.ts";
import { lockAuthorization } from "./store.ts";
import { clientAct } from "./token-endpoint.ts";

interface RevocationServices {
  storage: Storage;
  keyring: Keyring;
  signingKeys: SigningKeys;
}

/**
 * Ends the authorization of a refresh token, or of an access token (RFC 7009). A token that is not valid, or of another
 * client, changes nothing. Throws `unsupported_token_type` for the access token of a service client: its authorization ends in the
 * portal.
 */
export async function revokeToken(
  { storage, keyring, signingKeys }: RevocationServices,
  { site, issuer, client, token }: { site: PortalSite; issuer: string; client: Client; token: string },
  act: Omit<Act, "account">,
): Promise<void> {
  const refresh = parseRefreshToken(token);
  const id =
    refresh?.authorizationId ??
    (await authorizationIn(token, await signingKeys.published(storage.reads, site, act.now), issuer, act.now));
  if (id === undefined) return;
  if (client.type === "service")
    throw new OAuthRejected("unsupported_token_type", "Access tokens of service clients cannot be revoked.");
  await storage.write(async (transaction) => {
    const row = await lockAuthorization(transaction, site.seq, id);
    if (!row || row.client_seq !== client.seq) return;
    if (refresh && !(row.refresh_secret && isGenuine(keyring, row.refresh_secret, refresh))) return;
    await endAuthorization(transaction, { ...clientAct(act, client), account: portalAccountOf(site) }, row);
  });
}

/** The authorization of a valid access token. */
async function authorizationIn(token: string, keys: JWK[], issuer: string, now: number): Promise<string | undefined> {
  try {
    const { payload } = await jwtVerify(token, createLocalJWKSet({ keys }), {
      algorithms: [accessTokenAlgorithm],
      typ: accessTokenType,
      issuer,
      currentDate: new Date(now),
    });
    return typeof payload.authorization === "string" ? payload.authorization : undefined;
  } catch {
    return undefined;
  }
}
