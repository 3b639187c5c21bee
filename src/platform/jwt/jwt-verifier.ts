import { decodeProtectedHeader, errors, type JWTPayload, jwtVerify } from "jose";
import type { JwksSource } from "./jwks-source.ts";
import type { JwtAlgorithm } from "./jwt-algorithms.ts";
import { importJwtKey, type JwtKey, jwtKeyCandidates } from "./jwt-keys.ts";

interface JwtRules {
  /** If undefined, a token with a valid signature may have any issuer. */
  issuer?: string | undefined;
  audience: readonly string[];
  algorithms: readonly JwtAlgorithm[];
  clockSkewSeconds: number;
  allowNoExpiry: boolean;
  /** Rejects a token whose `iat` is later than now. */
  rejectsFutureIssue?: boolean;
  /** Rejects a token that expires later than this from now. */
  maxLifetimeSeconds?: number;
}

export interface VerifiedJwt {
  claims: JWTPayload;
  /** The key that verified the token: the token is valid only as long as its provider publishes the key. */
  key: JwtKey;
}

type JwtFault =
  | "malformed"
  | "too_large"
  | "algorithm"
  | "unknown_key"
  | "signature"
  | "expired"
  | "not_yet_valid"
  | "no_expiry"
  | "issuer"
  | "audience"
  | "claim"
  | "keys_unavailable";

/** The token is not valid. The message contains no part of the token. */
export class JwtRejected extends Error {
  constructor(
    readonly fault: JwtFault,
    /** The invalid claim. */
    readonly claim?: string,
  ) {
    super(`the token was rejected: ${fault}${claim === undefined ? "" : ` (${claim})`}`);
  }
}

const maxTokenLength = 16_384;
/** The maximum number of keys that are tried for a token without a `kid`. */
const maxTriedKeys = 8;

/** Verifies signed JWTs by the rules of the caller, such as the policy `jwt`. */
export class JwtVerifier {
  readonly #algorithms: string[];

  constructor(
    private readonly source: JwksSource,
    private readonly rules: JwtRules,
  ) {
    this.#algorithms = [...rules.algorithms];
  }

  /** Throws JwtRejected. */
  async verify(token: string, now: number): Promise<VerifiedJwt> {
    if (token.length > maxTokenLength) throw new JwtRejected("too_large");
    const { alg, kid } = headerOf(token);
    if (!this.#algorithms.includes(alg)) throw new JwtRejected("algorithm");
    let keys = this.source.keys(now);
    if (keys === undefined) {
      await this.source.refresh(now);
      keys = this.source.keys(now);
      if (keys === undefined) throw new JwtRejected("keys_unavailable");
    }
    const fault = await this.#verifyWith(jwtKeyCandidates(keys, kid, alg), alg, token, now);
    if (!(fault instanceof JwtRejected)) return fault;
    // The provider may have a new key, even with the same id.
    const isWorthAFetch = fault.fault === "unknown_key" || fault.fault === "signature";
    if (!isWorthAFetch || !(await this.source.refresh(now))) throw fault;
    const again = await this.#verifyWith(jwtKeyCandidates(this.source.keys(now) ?? [], kid, alg), alg, token, now);
    if (again instanceof JwtRejected) throw again;
    return again;
  }

  #checkTimes({ iat, exp }: JWTPayload, now: number): void {
    const { rejectsFutureIssue, maxLifetimeSeconds, clockSkewSeconds } = this.rules;
    const latest = now / 1000 + clockSkewSeconds;
    if (rejectsFutureIssue && iat !== undefined && iat > latest) throw new JwtRejected("not_yet_valid", "iat");
    if (maxLifetimeSeconds !== undefined && exp !== undefined && exp > latest + maxLifetimeSeconds)
      throw new JwtRejected("claim", "exp");
  }

  async #verifyWith(keys: JwtKey[], algorithm: string, token: string, now: number): Promise<VerifiedJwt | JwtRejected> {
    let fault = new JwtRejected("unknown_key");
    for (const key of keys.slice(0, maxTriedKeys)) {
      try {
        const { issuer, audience, clockSkewSeconds, allowNoExpiry } = this.rules;
        const { payload } = await jwtVerify(token, await importJwtKey(key, algorithm), {
          algorithms: this.#algorithms,
          audience: [...audience],
          clockTolerance: clockSkewSeconds,
          currentDate: new Date(now),
          requiredClaims: allowNoExpiry ? [] : ["exp"],
          ...(issuer !== undefined && { issuer }),
        });
        this.#checkTimes(payload, now);
        return { claims: payload, key };
      } catch (error) {
        fault = error instanceof JwtRejected ? error : faultOf(error);
        // Another key may still verify the token.
        if (fault.fault !== "signature" && fault.fault !== "unknown_key") return fault;
      }
    }
    return fault;
  }
}

function headerOf(token: string): { alg: string; kid: string | undefined } {
  try {
    const { alg, kid } = decodeProtectedHeader(token);
    if (typeof alg === "string" && (kid === undefined || typeof kid === "string")) return { alg, kid };
  } catch {
    // The text is not a JWT.
  }
  throw new JwtRejected("malformed");
}

function faultOf(error: unknown): JwtRejected {
  if (error instanceof errors.JWTExpired) return new JwtRejected("expired", "exp");
  if (error instanceof errors.JWSSignatureVerificationFailed) return new JwtRejected("signature");
  if (error instanceof errors.JOSEAlgNotAllowed) return new JwtRejected("algorithm");
  if (error instanceof errors.JWTClaimValidationFailed) return claimFault(error.claim, error.reason);
  // For example an unsupported `crit`, or a payload that is not JSON.
  if (error instanceof errors.JOSEError) return new JwtRejected("malformed");
  // The key does not match the algorithm, or is too weak for it.
  return new JwtRejected("unknown_key");
}

function claimFault(claim: string, reason: string): JwtRejected {
  if (claim === "exp" && reason === "missing") return new JwtRejected("no_expiry", claim);
  if (claim === "nbf") return new JwtRejected("not_yet_valid", claim);
  if (claim === "iss") return new JwtRejected("issuer", claim);
  if (claim === "aud") return new JwtRejected("audience", claim);
  return new JwtRejected("claim", claim);
}
