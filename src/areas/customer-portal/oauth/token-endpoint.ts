import { createHash, randomBytes } from "node:crypto";
import type { Act } from "../../../core/access.ts";
import type { Keyring } from "../../../lib/crypto/keyring.ts";
import { secretHash } from "../../../lib/crypto/secret-text.ts";
import type { Storage, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { Keys } from "../../api-keys/keys/keys.ts";
import { type PortalSite, portalAccountOf } from "../portal/hosts/portal-hosts.ts";
import type { OAuthSettings } from "../portal/schema.ts";
import { settingsOf } from "../portal/settings/present.ts";
import { type AccessTokenClaims, signAccessToken } from "./access-tokens.ts";
import { type Authorization, activateAuthorization, applyRules, endAuthorization } from "./authorizations.ts";
import { scopesOf } from "./authorize-requests.ts";
import type { Client } from "./clients.ts";
import { authorizationEnd } from "./consents.ts";
import { permitsClient } from "./enabled.ts";
import { invalidGrant, invalidRequest, OAuthRejected, parametersOf } from "./oauth-error.ts";
import { isGenuine, newRefreshSecret, parseRefreshToken, refreshToken } from "./refresh-tokens.ts";
import { deploymentOf, type ResourceFinder } from "./resources.ts";
import { type AuthorizationRules, permittedOf, rulesNow } from "./rules.ts";
import type { SigningKeys } from "./signing-keys.ts";
import * as store from "./store.ts";

/** The previous refresh token works for this long, because the response with the new one may have been lost. */
const retryMilliseconds = 30_000;
const verifierPattern = /^[A-Za-z0-9._~-]{43,128}$/;

export interface TokenServices {
  storage: Storage;
  keyring: Keyring;
  keys: Keys;
  signingKeys: SigningKeys;
  resources: ResourceFinder;
}

/** A request of an authenticated client. */
interface TokenRequest {
  site: PortalSite;
  oauth: OAuthSettings;
  /** The origin of the portal. */
  issuer: string;
  client: Client;
  form: URLSearchParams;
  act: Omit<Act, "account">;
}

/** A request whose form is valid. */
interface Grant extends Omit<TokenRequest, "act"> {
  /** The client is the actor. */
  act: Act;
  /** The deployment of the token. */
  target(row: Authorization): string;
  requested: string[] | undefined;
}

/** What is issued: the tokens, or an error after changes that must be committed. */
type Outcome = Issued | OAuthRejected;

interface Issued {
  authorization: Authorization;
  deployment: string;
  scopes: string[];
  expiresOn: number | null;
  refreshToken?: string;
}

/** Issues tokens for codes, refresh tokens and the secrets of service clients. */
export class TokenEndpoint {
  constructor(private readonly services: TokenServices) {}

  /** Throws `OAuthRejected`. */
  async issue(request: TokenRequest) {
    const { site, oauth, issuer, client } = request;
    if (!permitsClient(oauth, client.type))
      throw new OAuthRejected("unauthorized_client", "This portal does not accept such clients any more.");
    const act: Act = { ...clientAct(request.act, client), account: portalAccountOf(site) };
    const grant = this.#grantOf(request, act);
    // Before the transaction: a new key is generated and committed on its own.
    const key = await this.services.signingKeys.current(site, { ...request.act, account: act.account });
    const outcome = await this.services.storage.write(grant);
    if (outcome instanceof OAuthRejected) throw outcome;
    const { authorization, deployment, scopes, expiresOn } = outcome;
    const end = Math.min(act.now + oauth.accessTokenMinutes * 60_000, expiresOn ?? Number.POSITIVE_INFINITY);
    const claims: AccessTokenClaims = {
      iss: issuer,
      sub: authorization.consumer_id,
      aud: deployment,
      client_id: client.document_url ?? client.id,
      scope: scopes.join(" "),
      authorization: authorization.id,
      jti: randomBytes(16).toString("base64url"),
      iat: Math.floor(act.now / 1000),
      exp: Math.floor(end / 1000),
    };
    return {
      access_token: await signAccessToken(key, claims),
      token_type: "Bearer" as const,
      expires_in: claims.exp - claims.iat,
      ...(outcome.refreshToken === undefined ? {} : { refresh_token: outcome.refreshToken }),
      scope: claims.scope,
    };
  }

  #grantOf(request: TokenRequest, act: Act): (transaction: WriteTransaction) => Promise<Outcome> {
    const { site, client, form } = request;
    const { one, needed } = parametersOf(form);
    const { deployments } = settingsOf(site);
    const owner = { account_seq: site.account_seq, deployments };
    const resources = form.getAll("resource");
    const requested = scopesOf(one("scope"));
    const type = needed("grant_type");
    if (type !== "authorization_code" && type !== "refresh_token" && type !== "client_credentials")
      throw new OAuthRejected("unsupported_grant_type", "`grant_type` is not supported.");
    if ((type === "client_credentials") !== (client.type === "service"))
      throw new OAuthRejected("unauthorized_client", `The client may not use ${type}.`);
    const target = (row: Authorization): string => {
      const chosen = row.deployment ?? deploymentOf(this.services.resources, owner, resources);
      if (!deployments.includes(chosen)) throw invalidGrant("The deployment is no longer one of this portal.");
      if (resources.length > 0 && deploymentOf(this.services.resources, owner, resources) !== chosen)
        throw new OAuthRejected("invalid_target", "The customer has authorized another `resource`.");
      return chosen;
    };
    const grant: Grant = { ...request, act, target, requested };
    if (type === "authorization_code") {
      const code = needed("code");
      const verifier = needed("code_verifier");
      if (!verifierPattern.test(verifier)) throw invalidRequest("`code_verifier` is not valid.");
      const given = { code, verifier, redirectUri: one("redirect_uri") };
      return (transaction) => this.#exchange(transaction, grant, given);
    }
    if (type === "refresh_token") {
      const token = needed("refresh_token");
      return (transaction) => this.#refresh(transaction, grant, token);
    }
    return (transaction) => this.#forService(transaction, grant);
  }

  async #exchange(
    transaction: WriteTransaction,
    grant: Grant,
    { code, verifier, redirectUri }: { code: string; verifier: string; redirectUri: string | undefined },
  ): Promise<Outcome> {
    const { act, site, oauth, client } = grant;
    const row = await store.lockAuthorizationOfCode(transaction, site.seq, secretHash(code));
    if (!row) return invalidGrant("The code is not valid.");
    if (row.code_used_on !== null) {
      // A code that is used twice may have been stolen, so its tokens are revoked (RFC 6749, 4.1.2).
      await endAuthorization(transaction, act, row);
      return invalidGrant("The code was used before. The authorization has ended.");
    }
    if (row.client_seq !== client.seq) return invalidGrant("The code is not valid.");
    if (act.now >= row.code_expires_on!) return invalidGrant("The code has expired.");
    if (redirectUri !== undefined && redirectUri !== row.redirect_uri)
      return invalidGrant("`redirect_uri` differs from that of the authorization request.");
    if (createHash("sha256").update(verifier).digest("base64url") !== row.code_challenge)
      return invalidGrant("`code_verifier` does not match the challenge.");
    const { deployment, scopes } = await this.#checked(transaction, grant, row);
    const refreshSecret = newRefreshSecret(this.services.keyring);
    const expiresOn = authorizationEnd(oauth.refreshDays, row.created_on);
    const authorization = await activateAuthorization(transaction, act, row, { refreshSecret, expiresOn });
    const token = refreshToken(this.services.keyring, { id: row.id, secret: refreshSecret }, 1);
    return { authorization, deployment, scopes, expiresOn, refreshToken: token };
  }

  async #refresh(transaction: WriteTransaction, grant: Grant, text: string): Promise<Outcome> {
    const { act, site, client } = grant;
    const token = parseRefreshToken(text);
    const row = token && (await store.lockAuthorization(transaction, site.seq, token.authorizationId));
    const { keyring } = this.services;
    const isKnown = row?.refresh_secret && isGenuine(keyring, row.refresh_secret, token!);
    if (!isKnown || row.client_seq !== client.seq) return invalidGrant("The refresh token is not valid.");
    if (row.expires_on !== null && act.now >= row.expires_on) return invalidGrant("The authorization has expired.");
    const isRetry = token!.number === row.refresh_number - 1 && act.now - row.refreshed_on! < retryMilliseconds;
    if (token!.number !== row.refresh_number && !isRetry) {
      await endAuthorization(transaction, act, row);
      return invalidGrant("The refresh token was used before. The authorization has ended.");
    }
    const { deployment, scopes } = await this.#checked(transaction, grant, row);
    // A retry gets the token that the lost response had.
    const number = isRetry ? row.refresh_number : row.refresh_number + 1;
    if (!isRetry)
      await transaction.update("oauth_authorizations", row.seq, { refresh_number: number, refreshed_on: act.now });
    const next = refreshToken(keyring, { id: row.id, secret: row.refresh_secret! }, number);
    return { authorization: row, deployment, scopes, expiresOn: row.expires_on, refreshToken: next };
  }

  async #forService(transaction: WriteTransaction, grant: Grant): Promise<Outcome> {
    const row = await store.lockAuthorizationOfClient(transaction, grant.client.seq);
    if (!row) return new OAuthRejected("unauthorized_client", "The authorization of the client has ended.");
    const { deployment, scopes } = await this.#checked(transaction, grant, row);
    return { authorization: row, deployment, scopes, expiresOn: null };
  }

  /** The deployment and the scopes of the token. Updates what applies to the authorization. */
  async #checked(transaction: WriteTransaction, { act, target, requested }: Grant, row: Authorization) {
    const deployment = target(row);
    const granted = JSON.parse(row.granted) as string[];
    const consumer = { seq: row.consumer_seq, id: row.consumer_id, name: row.consumer_name, bucket_seq: 0, tags: null };
    const rules: AuthorizationRules = await rulesNow(transaction, this.services.keys, consumer, granted, act.now);
    const { permissions = [] } = rules;
    const scopes = requested === undefined ? permissions : permittedOf(requested, permissions);
    const isNothingLeft = scopes.length === 0 && (requested !== undefined || granted.length > 0);
    if (isNothingLeft) throw new OAuthRejected("invalid_scope", "The authorization has none of these permissions.");
    await applyRules(transaction, act, row, rules);
    return { deployment, scopes };
  }
}

/** The client is the actor of what it causes. */
export function clientAct(act: Omit<Act, "account">, { id, name }: Client): Omit<Act, "account"> {
  return { ...act, actor: id, actorType: "client", actorName: name };
}
