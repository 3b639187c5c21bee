import type { KeyBucketPlace } from "../../../areas/api-keys/key-buckets/directory.ts";
import { visibleSuffix } from "../../../areas/api-keys/keys/value.ts";
import type { KeyVerifier, Verdict } from "../../../areas/api-keys/keys/verification/verifier.ts";
import { isAccessToken } from "../../../areas/customer-portal/oauth/token-verifier.ts";
import type { DecisionDetail } from "../../../areas/insight/request-log/request-record.ts";
import type { ProblemCode } from "../../../core/problems/catalogue.ts";
import type { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import { NameSet } from "../../../platform/http1/message/name-set.ts";
import type { Policy, PolicyPlace, RequestContext } from "../../exchange/policy.ts";
import { type RejectionOptions, reject, rejectWhileUnavailable } from "../../exchange/rejection.ts";
import type { OAuthPolicy } from "../oauth/oauth.ts";
import { headersOf } from "../subject/identity-headers.ts";
import type { ApiKeyOptions } from "./schema.ts";

/** Rejects requests without a valid key; the target gets the consumer's name instead of the key. */
export class ApiKeyPolicy implements Policy {
  readonly #prefix: string;
  readonly #lowerCasePrefix: string;
  readonly #challenge: string;
  readonly #bucket: KeyBucketPlace;
  /** How to send a key, for requests without one. */
  readonly #advice: string;
  /** The headers of keys in all spellings that an upstream may accept. */
  readonly #keyHeaders: NameSet;
  readonly #headers: readonly string[];
  /** Whether the scheme is before the key in every header, not only in `authorization`. */
  readonly #isSchemeOfAll: boolean;

  constructor(
    private readonly verifier: KeyVerifier,
    private readonly options: ApiKeyOptions,
    place: PolicyPlace,
    /** Returns the key in the credentials after the scheme; undefined if there is none. */
    private readonly keyIn: (credentials: string) => string | undefined = wholeKey,
    /** Accepts access tokens beside keys. */
    private readonly oauth?: OAuthPolicy,
  ) {
    const { scheme, header } = options;
    this.#bucket = verifier.buckets.place(place.account.seq, options.bucket);
    this.#headers = typeof header === "string" ? [header] : header;
    this.#isSchemeOfAll = typeof header === "string";
    this.#keyHeaders = new NameSet(...this.#headers);
    this.#prefix = scheme === "" ? "" : `${scheme} `;
    this.#lowerCasePrefix = this.#prefix.toLowerCase();
    const [first] = this.#headers;
    const where = first === "authorization" ? "" : `, header="${first}"`;
    const credentials = keyIn === wholeKey ? "<key>" : "<user and key>";
    const ways = this.#headers.map(
      (each) => `\`${each === "authorization" ? "Authorization" : each}: ${this.#prefixOf(each)}${credentials}\``,
    );
    this.#advice = `This API requires a key; send ${ways.join(" or ")}.`;
    this.#challenge = `${scheme || "ApiKey"} realm="${place.deployment}"${where}`;
  }

  enter(context: RequestContext): HttpResponse | undefined | Promise<HttpResponse | undefined> {
    const metadata = this.oauth?.metadata(context);
    if (metadata) return metadata;
    const { asKey } = context;
    if (asKey) {
      const assumed = this.verifier.verifyAssumed(this.#bucket, asKey, context.now, context);
      return this.#enterLater(context, asKey.id, assumed);
    }
    const key = this.#headers.length === 1 ? this.#keyIn(context, this.#headers[0]!) : this.#onlyKeyOf(context);
    if (key === twoKeys) return this.#rejectTwoKeys(context);
    if (key === undefined)
      return this.options.allowAnonymous ? this.#admitAnonymous(context) : this.#rejectMissing(context);
    if (this.oauth && isAccessToken(key)) return this.oauth.admit(context, key, this.#keyHeaders);
    const verdict = this.verifier.verify(this.#bucket, key, context.now, context);
    return verdict instanceof Promise ? this.#enterLater(context, key, verdict) : this.#admit(context, key, verdict);
  }

  async #enterLater(
    context: RequestContext,
    key: string,
    verdict: Promise<Verdict>,
  ): Promise<HttpResponse | undefined> {
    try {
      return this.#admit(context, key, await verdict);
    } catch (error) {
      return rejectWhileUnavailable(context, error);
    }
  }

  #prefixOf(header: string): string {
    return this.#isSchemeOfAll || header === "authorization" ? this.#prefix : "";
  }

  /** The key of a request that may have it in several headers. */
  #onlyKeyOf(context: RequestContext): string | typeof twoKeys | undefined {
    let only: string | undefined;
    for (const header of this.#headers) {
      const key = this.#keyIn(context, header);
      if (key === undefined || key === only) continue;
      if (only !== undefined) return twoKeys;
      only = key;
    }
    return only;
  }

  /** A header with another scheme contains no key. Schemes are case-insensitive. */
  #keyIn(context: RequestContext, header: string): string | undefined {
    const value = context.headers.get(header);
    if (value === null || value === "") return undefined;
    const { length } = this.#prefixOf(header);
    if (length > 0 && !value.startsWith(this.#prefix) && value.slice(0, length).toLowerCase() !== this.#lowerCasePrefix)
      return undefined;
    return this.keyIn(value.slice(length).trimStart());
  }

  #admit(
    context: RequestContext,
    key: string,
    verdict: Verdict,
  ): HttpResponse | undefined | Promise<HttpResponse | undefined> {
    const { identity } = verdict;
    if (!identity) return this.#rejectBad(context, key, verdict);
    context.user = identity.user;
    context.consumerId = identity.consumerId;
    context.keyBucket = this.#bucket.name;
    context.keyId = identity.keyId;
    context.permissions = identity.permissions;
    const { headers } = context;
    headers.deleteAll(this.#keyHeaders);
    headers.share(headersOf(identity));
    return undefined;
  }

  /** A header with another scheme is forwarded; another spelling of the key's header is not. */
  #admitAnonymous({ headers }: RequestContext): undefined {
    const own = this.#headers;
    if (headers.mayHold(this.#keyHeaders))
      headers.deleteWhere((name) => !own.includes(name) && this.#keyHeaders.has(name));
  }

  #rejectMissing(context: RequestContext): HttpResponse | Promise<HttpResponse> {
    const decision = { reason: "missing", header: this.#headers.join(", ") };
    return this.#rejectUnauthorized(context, "key_missing", "", { detail: this.#advice, decision });
  }

  /** Which of them is meant cannot be known. */
  #rejectTwoKeys(context: RequestContext): HttpResponse | Promise<HttpResponse> {
    return this.#rejectUnauthorized(context, "key_invalid", ', error="invalid_token"', {
      detail: `The request has two different keys in ${this.#headers.join(" and ")}; send one.`,
      decision: { reason: "two_keys", header: this.#headers.join(", ") },
    });
  }

  #rejectUnauthorized(
    context: RequestContext,
    code: ProblemCode,
    error: string,
    options: RejectionOptions,
  ): HttpResponse | Promise<HttpResponse> {
    const respond = (parameter: string) =>
      reject(context, code, { ...options, headers: { "www-authenticate": this.#challenge + error + parameter } });
    const parameter = this.oauth?.metadataParameter(context) ?? "";
    return parameter instanceof Promise ? parameter.then(respond) : respond(parameter);
  }

  #rejectBad(context: RequestContext, key: string, verdict: Verdict): HttpResponse | Promise<HttpResponse> {
    const { rejection, retryAfterSeconds, known } = verdict;
    context.rejectedHolder = known?.identity;
    const maskedKey = context.asKey?.id ?? masked(key);
    const decision = { maskedKey, bucket: this.options.bucket, ...detailOf(verdict) };
    switch (rejection) {
      case "consumer_suspended":
        return reject(context, rejection, { decision });
      case "ip_required":
      case "ip_not_allowed":
        return reject(context, "ip_not_allowed", { decision });
      case "rate_limited":
        return reject(context, "rate_limited", { retryAfterSeconds: retryAfterSeconds!, decision });
      default:
        return this.#rejectUnauthorized(context, codes[rejection ?? ""] ?? "key_invalid", ', error="invalid_token"', {
          decision,
        });
    }
  }
}

const twoKeys = Symbol("two different keys");

const wholeKey = (credentials: string): string => credentials;

const codes: Partial<Record<string, "key_expired" | "key_disabled">> = {
  expired: "key_expired",
  disabled: "key_disabled",
};

/** The reason why the key was rejected and, if it exists, its consumer. */
function detailOf({ rejection, isBucketMissing, known, limit }: Verdict): DecisionDetail {
  const reason = rejection === undefined || rejection === "not_found" ? "unknown" : rejection;
  const detail: DecisionDetail = { reason: isBucketMissing ? "bucket_missing" : reason };
  if (known) {
    const { keyId, user } = known.identity;
    detail.keyId = keyId;
    detail.consumer = user.sub;
    if (rejection === "expired") detail.expiredOn = known.expiresOn;
  }
  if (limit) {
    detail.used = limit.requests;
    detail.limit = limit.requests;
    detail.windowSeconds = limit.windowSeconds;
    detail.resetsOn = limit.resetsOn;
  }
  return detail;
}

/** Masks a key like the management API. */
function masked(key: string): string {
  return `****${visibleSuffix(key)}`;
}
