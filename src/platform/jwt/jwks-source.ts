import type { Egress } from "../egress/egress.ts";
import { fetchJson } from "../egress/fetch-json.ts";
import { type JwtKey, jwtKeys } from "./jwt-keys.ts";

/** The source of keys: the provider's discovery document, a JWKS, or the configuration. */
export type JwksOrigin = { issuer: string } | { jwksUrl: string } | { keys: unknown[] };

/** Fetches a document for an account. Rejects if it is not JSON, or the address is not allowed. */
export type FetchJwksDocument = (accountSeq: number, url: string) => Promise<unknown>;

/** The minimum time between two fetches that tokens trigger: a flood of unknown keys must not reach the provider. */
const minMilliseconds = 30_000;
/** After this time the keys are fetched again in the background, so that removed keys stop working. */
const freshMilliseconds = 300_000;

/** The keys of a provider. They remain valid while the provider does not respond. */
export class JwksSource {
  #keys: JwtKey[] = [];
  /** The JWKS URL from the discovery document. */
  #jwksUrl: string | undefined;
  #fetching: Promise<void> | undefined;
  #lastAttempt = Number.NEGATIVE_INFINITY;
  #lastSuccess = Number.NEGATIVE_INFINITY;
  /** Why the last fetch failed. Undefined if it succeeded. */
  failure: Error | undefined;

  constructor(
    private readonly origin: JwksOrigin,
    private readonly fetch: (url: string) => Promise<unknown>,
  ) {
    if ("keys" in origin) this.#keys = jwtKeys(origin);
    else if ("jwksUrl" in origin) this.#jwksUrl = origin.jwksUrl;
  }

  /**
   * Returns the keys, or undefined before the first fetch. Fetches them in the background if they are no longer fresh.
   */
  keys(now: number): readonly JwtKey[] | undefined {
    if ("keys" in this.origin) return this.#keys;
    if (now - this.#lastSuccess > freshMilliseconds) void this.refresh(now);
    return this.#lastSuccess === Number.NEGATIVE_INFINITY ? undefined : this.#keys;
  }

  has(key: JwtKey): boolean {
    return this.#keys.includes(key);
  }

  /**
   * Fetches the keys, unless the last attempt was less than 30 s ago. Never throws. Returns false if nothing was
   * fetched.
   */
  async refresh(now: number): Promise<boolean> {
    if ("keys" in this.origin) return false;
    if (this.#fetching) {
      await this.#fetching;
      return true;
    }
    if (now - this.#lastAttempt < minMilliseconds) return false;
    this.#lastAttempt = now;
    this.#fetching = this.#fetch(now);
    await this.#fetching;
    return true;
  }

  async #fetch(now: number): Promise<void> {
    try {
      this.#jwksUrl ??= await this.#discover();
      this.#keys = jwtKeys(await this.fetch(this.#jwksUrl), this.#keys).filter(isPublic);
      this.#lastSuccess = now;
      this.failure = undefined;
    } catch (error) {
      this.failure = error as Error;
      // The provider may have moved its keys.
      if ("issuer" in this.origin) this.#jwksUrl = undefined;
    } finally {
      this.#fetching = undefined;
    }
  }

  /** The document must contain exactly the configured issuer, and must not downgrade from https to http. */
  async #discover(): Promise<string> {
    const { issuer } = this.origin as { issuer: string };
    const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
    const document = (await this.fetch(url)) as { issuer?: unknown; jwks_uri?: unknown } | null;
    if (document?.issuer !== issuer) throw new Error(`${url} names another issuer than ${issuer}`);
    const { jwks_uri: jwksUrl } = document;
    if (typeof jwksUrl !== "string" || !URL.canParse(jwksUrl)) throw new Error(`${url} has no "jwks_uri"`);
    const { protocol } = new URL(jwksUrl);
    if (protocol !== "https:" && protocol !== new URL(issuer).protocol) throw new Error(`${jwksUrl} is not https`);
    return jwksUrl;
  }
}

/** A published symmetric key must not verify signatures. */
function isPublic({ jwk }: JwtKey): boolean {
  return jwk.kty !== "oct";
}

/** Fetches documents from the providers. */
export function fetchJwksWith(egress: Egress): FetchJwksDocument {
  return (_, url) => fetchJson(egress, url);
}

/**
 * Fetches each document of an account at most once in 30 s, for several processes that each have that limit. Between
 * fetches they get the last document, or the last error.
 */
export class SharedJwksDocuments {
  readonly #fetched = new Map<string, { time: number; document: Promise<unknown> }>();

  constructor(
    private readonly fetch: FetchJwksDocument,
    private readonly now: () => number,
  ) {}

  of(accountSeq: number, url: string): Promise<unknown> {
    const key = `${accountSeq} ${url}`;
    const now = this.now();
    const known = this.#fetched.get(key);
    // A clock that was set back must not keep a document.
    if (known && now - known.time < minMilliseconds && now >= known.time) return known.document;
    for (const [other, { time }] of this.#fetched) if (now - time > freshMilliseconds) this.#fetched.delete(other);
    const document = this.fetch(accountSeq, url);
    this.#fetched.set(key, { time: now, document });
    return document;
  }
}

/** One source per provider of an account. Policies of all versions share its keys and its fetch limit. */
export class JwksSources {
  readonly #sources = new Map<string, WeakRef<JwksSource>>();

  constructor(private readonly fetch: FetchJwksDocument) {}

  /** The caller must keep a reference to the source. Unreferenced sources are garbage collected. */
  of(accountSeq: number, origin: JwksOrigin): JwksSource {
    const key = `${accountSeq} ${JSON.stringify(origin)}`;
    const known = this.#sources.get(key)?.deref();
    if (known) return known;
    for (const [other, source] of this.#sources) if (!source.deref()) this.#sources.delete(other);
    const source = new JwksSource(origin, (url) => this.fetch(accountSeq, url));
    this.#sources.set(key, new WeakRef(source));
    return source;
  }
}
