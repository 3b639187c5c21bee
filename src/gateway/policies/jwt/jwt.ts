import type { JWTPayload } from "jose";
import type { ConsumerDirectory, KnownConsumer } from "../../../areas/api-keys/consumers/directory.ts";
import type { KeyBucketDirectory, KeyBucketPlace } from "../../../areas/api-keys/key-buckets/directory.ts";
import { listsIssuer } from "../../../areas/api-keys/key-buckets/token-issuers.ts";
import type { DecisionDetail } from "../../../areas/insight/request-log/request-record.ts";
import { bearerToken } from "../../../core/http/bearer-token.ts";
import { metadataResponse, type ResourceMetadata } from "../../../core/http/resource-metadata.ts";
import type { ProblemCode } from "../../../core/problems/catalogue.ts";
import { ownCopy } from "../../../lib/cache/own-copy.ts";
import { SecondChanceCache } from "../../../lib/cache/second-chance-cache.ts";
import type { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import type { JwksOrigin, JwksSource, JwksSources } from "../../../platform/jwt/jwks-source.ts";
import { JwtRejected, JwtVerifier, type VerifiedJwt } from "../../../platform/jwt/jwt-verifier.ts";
import type { Policy, PolicyPlace, RequestContext } from "../../exchange/policy.ts";
import { reject, rejectWhileUnavailable } from "../../exchange/rejection.ts";
import { type JwtOptions, metadataPath } from "./schema.ts";

/** How long a verified token is cached without another verification. */
const maxCachedMilliseconds = 300_000;
const cacheBytes = 4 * 1024 * 1024;

interface TrustedToken extends VerifiedJwt {
  expiresOn: number;
}

interface JwtDependencies {
  sources: JwksSources;
  consumers: ConsumerDirectory;
  buckets: Pick<KeyBucketDirectory, "place" | "peekAt" | "find">;
}

/** Rejects requests without a valid JWT. The target gets the token and its subject. */
export class JwtPolicy implements Policy {
  readonly #source: JwksSource;
  readonly #verifier: JwtVerifier;
  readonly #trusted = new SecondChanceCache<TrustedToken>(cacheBytes, ({ claims }) => 500 + 2 * sizeOf(claims));
  readonly #challenge: string;
  readonly #bucket: KeyBucketPlace | undefined;
  readonly #metadata: { path: string; text: string } | undefined;

  constructor(
    private readonly dependencies: JwtDependencies,
    private readonly options: JwtOptions,
    private readonly place: PolicyPlace,
  ) {
    const { audience, issuer, algorithms, clockSkewSeconds, allowNoExpiry, mapToConsumer, resource, scopes } = options;
    this.#source = dependencies.sources.of(place.account.seq, originOf(options));
    const audiences = typeof audience === "string" ? [audience] : audience;
    const rules = { issuer, audience: audiences, algorithms, clockSkewSeconds, allowNoExpiry };
    this.#verifier = new JwtVerifier(this.#source, rules);
    this.#bucket = mapToConsumer && dependencies.buckets.place(place.account.seq, mapToConsumer.bucket);
    this.#challenge = `Bearer realm="${place.deployment}"`;
    if (resource === undefined) return;
    const path = metadataPath(resource);
    this.#challenge += `, resource_metadata="${new URL(path, resource).href}"`;
    const metadata: ResourceMetadata = {
      resource,
      authorization_servers: [issuer!],
      ...(scopes.length > 0 && { scopes_supported: scopes }),
      bearer_methods_supported: ["header"],
    };
    this.#metadata = { path, text: JSON.stringify(metadata) };
  }

  enter(context: RequestContext): HttpResponse | undefined | Promise<HttpResponse | undefined> {
    if (this.#metadata && "policy" in context.route.target && context.route.path === this.#metadata.path)
      return metadataResponse(this.#metadata.text);
    const token = bearerToken(context.headers.get("authorization"));
    if (token === undefined)
      return reject(context, "token_missing", {
        headers: { "www-authenticate": this.#challenge },
        decision: { reason: "missing", header: "authorization" },
      });
    const trusted = this.#trusted.get(token);
    if (trusted && context.now < trusted.expiresOn && this.#isPublished(trusted, context.now))
      return this.#admit(context, trusted);
    return this.#verify(context, token);
  }

  /** The lookup of the keys also refreshes them when they are old. */
  #isPublished({ key }: TrustedToken, now: number): boolean {
    return this.#source.keys(now) !== undefined && this.#source.has(key);
  }

  async #verify(context: RequestContext, token: string): Promise<HttpResponse | undefined> {
    try {
      const { now } = context;
      const verified = await this.#verifier.verify(token, now);
      const expiry = verified.claims.exp === undefined ? Number.POSITIVE_INFINITY : verified.claims.exp * 1000;
      const expiresOn = Math.min(expiry + this.options.clockSkewSeconds * 1000, now + maxCachedMilliseconds);
      const trusted = { ...verified, expiresOn };
      this.#trusted.set(ownCopy(token), trusted);
      return await this.#admit(context, trusted);
    } catch (error) {
      if (error instanceof JwtRejected) return this.#rejectToken(context, error);
      throw error;
    }
  }

  #admit(
    context: RequestContext,
    { claims }: TrustedToken,
  ): HttpResponse | undefined | Promise<HttpResponse | undefined> {
    const { requiredClaims, scopes, mapToConsumer } = this.options;
    const claim = wrongClaim(claims, requiredClaims);
    if (claim !== undefined)
      return this.#deny(context, "token_not_allowed", { reason: "claim", claim }, 'error="insufficient_scope"');
    const scope = missingScope(tokenScopesOf(claims), scopes);
    if (scope !== undefined) {
      const challenge = `error="insufficient_scope", scope="${scopes.join(" ")}"`;
      return this.#deny(context, "scope_missing", { reason: "scope", permission: scope }, challenge);
    }
    if (mapToConsumer) return this.#admitConsumer(context, claims[mapToConsumer.claim]);
    const name = subjectName(claims, this.#isOwnNamespace ? this.place.deployment : undefined);
    if (name === undefined) return this.#rejectToken(context, new JwtRejected("claim", "sub"));
    context.user = { sub: name, data: claims };
    context.consumerId = name;
    context.headers.set("x-consumer-name", headerText(name));
    return undefined;
  }

  /** With keys of their own choice, callers with limited access could sign as any subject of any issuer. */
  get #isOwnNamespace(): boolean {
    return this.place.isLimited && !("issuer" in originOf(this.options));
  }

  #admitConsumer(context: RequestContext, name: unknown): HttpResponse | undefined | Promise<HttpResponse | undefined> {
    return this.place.isLimited ? this.#admitListed(context, name) : this.#admitNamed(context, name);
  }

  /** Only if the bucket lists the issuer of the policy, which a caller with limited access chose. */
  async #admitListed(context: RequestContext, name: unknown): Promise<HttpResponse | undefined> {
    const place = this.#bucket!;
    try {
      const bucket =
        this.dependencies.buckets.peekAt(place) ?? (await this.dependencies.buckets.find(place.accountSeq, place.name));
      if (listsIssuer(bucket, this.options)) return await this.#admitNamed(context, name);
    } catch (error) {
      return rejectWhileUnavailable(context, error);
    }
    const { claim } = this.options.mapToConsumer!;
    return reject(context, "token_not_allowed", {
      decision: { reason: "issuer_not_listed", claim, bucket: place.name },
    });
  }

  #admitNamed(context: RequestContext, name: unknown): HttpResponse | undefined | Promise<HttpResponse | undefined> {
    if (typeof name !== "string" || name === "") return this.#admitAs(context, undefined, name);
    const found = this.dependencies.consumers.find(this.#bucket!, name);
    return found instanceof Promise
      ? found.then(
          (consumer) => this.#admitAs(context, consumer, name),
          (error: unknown) => rejectWhileUnavailable(context, error),
        )
      : this.#admitAs(context, found, name);
  }

  #admitAs(context: RequestContext, consumer: KnownConsumer | undefined, name: unknown): HttpResponse | undefined {
    const { claim, bucket } = this.options.mapToConsumer!;
    if (!consumer) {
      const detail: DecisionDetail = { reason: "consumer_unknown", claim, bucket };
      if (typeof name === "string") detail.consumer = name.slice(0, 128);
      return reject(context, "consumer_unknown", { decision: detail });
    }
    if (consumer.isSuspended)
      return reject(context, "consumer_suspended", {
        decision: { reason: "consumer_suspended", consumer: consumer.name, bucket },
      });
    context.user = { sub: consumer.name, data: consumer.metadata };
    context.consumerId = consumer.id;
    context.keyBucket = bucket;
    context.headers.set("x-consumer-name", consumer.name);
    context.headers.set("x-consumer-id", consumer.id);
    return undefined;
  }

  #rejectToken(context: RequestContext, { fault, claim }: JwtRejected): HttpResponse {
    const decision: DecisionDetail = { reason: fault };
    if (claim !== undefined) decision.claim = claim;
    if (fault === "keys_unavailable") {
      const message = this.#source.failure?.message;
      if (message !== undefined) decision.message = message;
      return reject(context, "token_keys_unavailable", { retryAfterSeconds: 30, decision });
    }
    const code = fault === "expired" ? "token_expired" : "token_invalid";
    return this.#deny(context, code, decision, 'error="invalid_token"');
  }

  #deny(context: RequestContext, code: ProblemCode, decision: DecisionDetail, challenge: string): HttpResponse {
    return reject(context, code, { headers: { "www-authenticate": `${this.#challenge}, ${challenge}` }, decision });
  }
}

function originOf({ issuer, jwksUrl, keys }: JwtOptions): JwksOrigin {
  if (keys) return { keys };
  return jwksUrl === undefined ? { issuer: issuer! } : { jwksUrl };
}

function missingScope(granted: string[], wanted: string[]): string | undefined {
  return wanted.find((scope) => !granted.includes(scope));
}

function headerText(name: string): string {
  return name.replace(/[^\x21-\x7e]/gu, (character) => encodeURIComponent(character));
}

function sizeOf(claims: object): number {
  return JSON.stringify(claims).length;
}

/** The scopes of a token: `scope` separated by spaces (RFC 9068), or `scp` as a text or a list. */
function tokenScopesOf({ scope, scp }: JWTPayload): string[] {
  const value = scope ?? scp;
  if (Array.isArray(value)) return value.filter((one) => typeof one === "string");
  return typeof value === "string" ? value.split(" ").filter((one) => one !== "") : [];
}

/** The first claim that is missing or has another value. A list in the token matches if it contains the value. */
function wrongClaim(claims: JWTPayload, required: JwtOptions["requiredClaims"]): string | undefined {
  for (const [name, wanted] of Object.entries(required)) {
    const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
    const values: unknown[] = Array.isArray(value) ? value : [value];
    const isWanted = Array.isArray(wanted) ? wanted.some((one) => values.includes(one)) : values.includes(wanted);
    if (!isWanted) return name;
  }
  return undefined;
}

/**
 * The name of the token's subject, which is unique across issuers. Undefined if the token has no subject. If `deployment`
 * is set, the name is one of this deployment alone.
 */
function subjectName({ iss, sub }: JWTPayload, deployment?: string): string | undefined {
  if (typeof sub !== "string" || sub === "" || sub.length > 512) return undefined;
  if (typeof iss !== "string" || iss.includes("#") || iss.length > 2048) return undefined;
  const isStorable = !/\p{Cc}/u.test(sub) && sub.isWellFormed() && !/[\p{Cc}\s]/u.test(iss);
  const prefix = deployment === undefined ? "jwt:" : `jwt@${deployment}:`;
  return isStorable ? `${prefix}${iss}#${sub}` : undefined;
}
