import { verify } from "node:crypto";
import type { LimitPlace, Limits } from "../../../counting/limits/limits.ts";
import { ownCopy } from "../../../lib/cache/own-copy.ts";
import { SecondChanceCache } from "../../../lib/cache/second-chance-cache.ts";
import { AddressBytes, type Network, parseNetwork } from "../../../lib/network/ip-address.ts";
import { asciiJson } from "../../../lib/text/ascii-json.ts";
import { isJsonObject } from "../../../lib/text/json-object.ts";
import type { KeyBucketPlace } from "../../api-keys/key-buckets/directory.ts";
import type { KeyIdentity } from "../../api-keys/keys/verification/known-keys.ts";
import { type AccessTokenClaims, accessTokenAlgorithm, accessTokenType } from "./access-tokens.ts";
import type { AuthorizationDirectory, KnownAuthorization } from "./authorization-directory.ts";
import { permittedOf } from "./rules.ts";
import type { KnownSigningKey, SigningKeyDirectory } from "./signing-key-directory.ts";

/** The caller of a request with an access token, in the shape of a key's. */
interface TokenIdentity extends KeyIdentity {
  /** The name of the client that acts for the consumer. */
  client: string;
}

export type TokenRejection =
  | "token_malformed"
  | "token_unknown_key"
  | "token_signature"
  | "token_expired"
  | "token_audience"
  | "token_bucket"
  | "token_ended"
  | "oauth_off"
  | "consumer_suspended"
  | "ip_not_allowed"
  | "rate_limited";

export interface TokenVerdict {
  /** Set if the token is accepted. */
  identity?: TokenIdentity;
  rejection?: TokenRejection;
  /** The limit of the authorization, if it is exceeded. */
  limit?: { requests: number; windowSeconds: number; resetsOn: number };
  /** Whose token it is, once its signature is verified and its authorization is active. */
  holder?: TokenIdentity;
}

interface TokenUse {
  bucket: Pick<KeyBucketPlace, "accountSeq" | "name">;
  /** The name of the deployment that the token must be for. */
  deployment: string;
  now: number;
  ip: string;
  /** The authorization whose limit has counted the request already; true if nothing is counted. */
  countedSubject?: string | true | undefined;
}

interface VerifiedToken {
  readonly claims: AccessTokenClaims;
  readonly kid: string;
  /** The authorization that `identity` was made from: another object after every change. */
  authorization: KnownAuthorization | undefined;
  identity: TokenIdentity | undefined;
  networks: readonly Network[];
}

const maximumBytes = 8 * 1024 * 1024;
const entryBytes = 2000;
const maxTokenLength = 16_384;
/** No deployment has such a name. */
const limitScope = "oauth authorizations";

/**
 * Verifies the access tokens of portals. The signature is verified once and cached. Whether the authorization is active
 * is looked up for every request, because that is how it ends: the change feed evicts it from its directory.
 */
export class TokenVerifier {
  readonly #verified = new SecondChanceCache<VerifiedToken>(maximumBytes, () => entryBytes);
  /** Callers of Limits reuse the places. */
  readonly #places = new Map<number, LimitPlace>();
  readonly #address = new AddressBytes();

  constructor(
    private readonly authorizations: AuthorizationDirectory,
    private readonly signingKeys: SigningKeyDirectory,
    private readonly limits: Limits,
  ) {}

  async verify(token: string, use: TokenUse): Promise<TokenVerdict> {
    let verified = this.#verified.get(token);
    const read = verified ? undefined : readToken(token);
    if (!verified && !read) return { rejection: "token_malformed" };
    const key = await this.signingKeys.find(verified?.kid ?? read!.kid);
    if (!key) return { rejection: "token_unknown_key" };
    if (!verified) {
      const { claims, signed, signature } = read!;
      if (!verify("sha256", Buffer.from(signed), key.key, signature)) return { rejection: "token_signature" };
      verified = { claims, kid: key.kid, authorization: undefined, identity: undefined, networks: [] };
      this.#verified.set(ownCopy(token), verified);
    }
    const { claims } = verified;
    if (use.now >= key.expiresOn) return { rejection: "token_unknown_key" };
    if (use.now >= claims.exp * 1000) return { rejection: "token_expired" };
    if (claims.aud !== use.deployment) return { rejection: "token_audience" };
    return this.#use(verified, key, await this.authorizations.find(claims.authorization), use);
  }

  async #use(
    token: VerifiedToken,
    key: KnownSigningKey,
    authorization: KnownAuthorization | undefined,
    { bucket, now, ip, countedSubject }: TokenUse,
  ): Promise<TokenVerdict> {
    const { claims } = token;
    if (
      !authorization ||
      now >= authorization.expiresOn ||
      authorization.portal.id !== key.portalId ||
      authorization.consumer.id !== claims.sub ||
      authorization.client.id !== claims.client_id ||
      !authorization.deployments.includes(claims.aud)
    )
      return { rejection: "token_ended" };
    if (!authorization.isEnabled) return { rejection: "oauth_off" };
    if (authorization.accountSeq !== bucket.accountSeq || authorization.bucket.name !== bucket.name)
      return { rejection: "token_bucket" };
    if (token.authorization !== authorization) {
      token.authorization = authorization;
      token.identity = identityOf(authorization, claims);
      token.networks = authorization.allowedIps.map((text) => parseNetwork(text) as Network);
    }
    const identity = token.identity!;
    if (authorization.consumer.isSuspended) return { rejection: "consumer_suspended", holder: identity };
    if (token.networks.length > 0 && !this.#isIn(token.networks, ip))
      return { rejection: "ip_not_allowed", holder: identity };
    const { rateLimit } = authorization;
    if (!rateLimit) return { identity };
    const { requests, windowSeconds } = rateLimit;
    if (countedSubject === true || countedSubject === authorization.id) return { identity };
    const { left, resetsOn } = await this.limits.take(this.#limitOf(windowSeconds), authorization.id, requests, now);
    return left === -1
      ? { rejection: "rate_limited", limit: { requests, windowSeconds, resetsOn }, holder: identity }
      : { identity };
  }

  #isIn(networks: readonly Network[], ip: string): boolean {
    const address = this.#address;
    if (!address.parse(ip)) return false;
    return networks.some(({ bytes, prefixLength }) => address.isIn(bytes, 0, bytes.length, prefixLength));
  }

  #limitOf(windowSeconds: number): LimitPlace {
    const known = this.#places.get(windowSeconds);
    if (known) return known;
    const limit: LimitPlace = { scope: limitScope, windowSeconds, kind: "fixed" };
    this.#places.set(windowSeconds, limit);
    return limit;
  }
}

/** Whether a text is an access token of a portal by its form. A key may have any other form. */
export function isAccessToken(text: string): boolean {
  return text.startsWith("eyJ") && readHeader(text) !== undefined;
}

function readHeader(token: string): { kid: string } | undefined {
  if (token.length > maxTokenLength) return undefined;
  const header = readObject(token.slice(0, Math.max(0, token.indexOf("."))));
  const { typ, alg, kid, crit } = header ?? {};
  const isOurs = typ === accessTokenType && alg === accessTokenAlgorithm && typeof kid === "string";
  // A critical extension that is not understood makes a token invalid (RFC 7515, 4.1.11).
  return isOurs && crit === undefined ? { kid } : undefined;
}

function readToken(token: string) {
  const header = readHeader(token);
  const parts = token.split(".");
  const [head, payload, signature] = parts;
  if (!header || parts.length !== 3 || !base64url.test(signature!)) return undefined;
  const claims = readObject(payload!);
  if (!claims || !isClaims(claims)) return undefined;
  return { kid: header.kid, claims, signed: `${head}.${payload}`, signature: Buffer.from(signature!, "base64url") };
}

const base64url = /^[A-Za-z0-9_-]+$/;

function readObject(part: string): Record<string, unknown> | undefined {
  if (!base64url.test(part)) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString());
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isClaims(claims: object): claims is AccessTokenClaims {
  const { sub, aud, client_id, scope, authorization, exp } = claims as Partial<Record<string, unknown>>;
  return [sub, aud, client_id, scope, authorization].every((one) => typeof one === "string") && Number.isFinite(exp);
}

function identityOf(
  { id, consumer, client, permissions }: KnownAuthorization,
  { scope }: AccessTokenClaims,
): TokenIdentity {
  return {
    keyId: id,
    consumerId: consumer.id,
    user: { sub: consumer.name, data: consumer.metadata },
    metadataText: Object.keys(consumer.metadata).length === 0 ? undefined : asciiJson(consumer.metadata),
    permissions: permittedOf(scope === "" ? [] : scope.split(" "), permissions),
    client: client.name,
  };
}
