import { decodeJwt, type JWTPayload } from "jose";
import { type Act, environmentTypes, type TokenRole } from "../../../core/access.ts";
import type { JwksSource, JwksSources } from "../../../platform/jwt/jwks-source.ts";
import { asymmetricJwtAlgorithms } from "../../../platform/jwt/jwt-algorithms.ts";
import { JwtRejected, JwtVerifier } from "../../../platform/jwt/jwt-verifier.ts";
import { lockRow } from "../../../platform/storage/rows.ts";
import type { Storage } from "../../../platform/storage/storage.ts";
import { createExchangedToken } from "../accounts/exchanged.ts";
import { matchesPattern } from "./patterns.ts";
import { type ClaimPatterns, claimsOf, environmentsOf } from "./present.ts";
import { issuerRoles, type oauthErrorCodes } from "./schema.ts";
import * as store from "./store.ts";
import type { AudienceOf } from "./trusted-issuers.ts";

/** The first claim that is missing or matches none of its patterns. A list matches with one of its items. */
function unmatchedClaim(claims: JWTPayload, wanted: ClaimPatterns): string | undefined {
  return Object.entries(wanted).find(([name, patterns]) => {
    const values = textsOf(Object.hasOwn(claims, name) ? claims[name] : undefined);
    return ![patterns].flat().some((pattern) => values.some((value) => matchesPattern(pattern, value)));
  })?.[0];
}

/** Providers send numbers and booleans as such or as text. */
function textsOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value])
    .filter((one) => ["string", "number", "boolean"].includes(typeof one))
    .map(String);
}

const branchPrefix = "refs/heads/";

/** The branch that a claim names. Undefined if it names none: a tag of the same name is not the branch. */
function branchIn(claims: JWTPayload, name: string): string | undefined {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
  if (typeof value !== "string") return undefined;
  const branch = value.startsWith(branchPrefix) ? value.slice(branchPrefix.length) : value;
  const isBranch = branch !== "" && branch.length <= 255 && !branch.startsWith("refs/");
  return isBranch ? branch : undefined;
}

const clockSkewSeconds = 60;
/** Tokens of CI services are valid for minutes. One that is valid for longer than a day is a stored credential. */
const maxLifetimeSeconds = 24 * 60 * 60;

/** An error of RFC 6749, section 5.2. The description has no part of a token that was not verified. */
export class ExchangeRejected extends Error {
  constructor(
    readonly code: (typeof oauthErrorCodes)[number],
    description: string,
  ) {
    super(description);
  }
}

export interface ExchangeRequest {
  subjectToken: string;
  /** The audience of the account, if the request names it. */
  audience: string | undefined;
}

interface Grant {
  issuer: store.IssuerOfAccount;
  subject: string;
  branch: string | undefined;
}

interface TokenExchangeOptions {
  storage: Storage;
  sources: JwksSources;
  audienceOf: AudienceOf;
}

/** Exchanges tokens of trusted issuers for tokens of this server (RFC 8693). */
export class TokenExchange {
  /** Sources are dropped when they are unreferenced, and with them their keys and the limit of fetches. */
  readonly #sources = new Map<string, JwksSource>();

  constructor(private readonly options: TokenExchangeOptions) {}

  /** Returns the value of the new token and its role. Throws `ExchangeRejected`. */
  async exchange(request: ExchangeRequest, act: Omit<Act, "account">): Promise<{ value: string; role: TokenRole }> {
    const { issuer, subject, branch } = await this.#grant(request, act.now);
    const account = { seq: issuer.account_seq, id: issuer.account_id, name: issuer.account_name };
    const role = issuer.role as TokenRole;
    return this.options.storage.write(async (transaction) => {
      const current = await lockRow(transaction, "trusted_issuers", { account_seq: account.seq, id: issuer.id });
      if (current?.version !== issuer.version) throw notAccepted();
      const { value } = await createExchangedToken(
        transaction,
        { ...act, account },
        {
          subject,
          trustedIssuerSeq: issuer.seq,
          scope: {
            trustedIssuer: issuer.id,
            role,
            ...(issuer.project !== null && { project: issuer.project }),
            environments: environmentsOf(issuer),
            ...(branch !== undefined && { branch }),
          },
        },
      );
      return { value, role };
    });
  }

  async #grant({ subjectToken, audience }: ExchangeRequest, now: number): Promise<Grant> {
    const trusting = await this.#trusting(unverifiedClaims(subjectToken), audience);
    const claims = await this.#verified(subjectToken, trusting, now);
    // Verified, so the claims may be named.
    if (typeof claims.sub !== "string") throw new ExchangeRejected("invalid_grant", "The token has no subject.");
    const grants: Grant[] = [];
    let reason = "";
    for (const issuer of trusting) {
      const outcome = grantOf(issuer, claims, claims.sub);
      if (typeof outcome === "string") reason ||= outcome;
      else grants.push(outcome);
    }
    if (grants.length === 0) throw new ExchangeRejected("invalid_grant", reason);
    return grants.toSorted((one, other) => reach(other.issuer) - reach(one.issuer))[0]!;
  }

  /** The trusted issuers of one account that accept tokens with this issuer and audience. */
  async #trusting({ iss, aud }: JWTPayload, audience: string | undefined): Promise<store.IssuerOfAccount[]> {
    if (!isStorable(iss)) throw notAccepted();
    const { audienceOf, storage } = this.options;
    const audiences = [aud].flat().filter(isStorable).slice(0, maxAudiences);
    const prefix = audienceOf("");
    const names = audiences.filter((text) => text.startsWith(prefix)).map((text) => text.slice(prefix.length));
    const accepting = (await store.findAccepting(storage.reads, iss, audiences, names)).filter(
      (row) => audience === undefined || audience === audienceOf(row.account_name),
    );
    if (accepting.length === 0) throw notAccepted();
    // The account that trusts the issuer for the longest time: another one must not break its exchanges by registering the same.
    return accepting.filter(({ account_seq }) => account_seq === accepting[0]!.account_seq);
  }

  async #verified(token: string, trusting: store.IssuerOfAccount[], now: number): Promise<JWTPayload> {
    const { account_seq: accountSeq, account_name: accountName, issuer } = trusting[0]!;
    const verifier = new JwtVerifier(this.#sourceOf(accountSeq, issuer), {
      issuer,
      audience: trusting.map((row) => row.audience ?? this.options.audienceOf(accountName)),
      algorithms: asymmetricJwtAlgorithms,
      clockSkewSeconds,
      allowNoExpiry: false,
      rejectsFutureIssue: true,
      maxLifetimeSeconds,
    });
    try {
      return (await verifier.verify(token, now)).claims;
    } catch (error) {
      if (!(error instanceof JwtRejected)) throw error;
      if (error.fault === "keys_unavailable")
        throw new ExchangeRejected("temporarily_unavailable", "The keys of the issuer cannot be fetched.");
      throw error.fault === "expired" ? new ExchangeRejected("invalid_grant", "The token has expired.") : notAccepted();
    }
  }

  #sourceOf(accountSeq: number, issuer: string): JwksSource {
    const key = `${accountSeq} ${issuer}`;
    const known = this.#sources.get(key);
    if (known) return known;
    if (this.#sources.size >= maxSources) this.#sources.delete(this.#sources.keys().next().value!);
    const source = this.options.sources.of(accountSeq, { issuer });
    this.#sources.set(key, source);
    return source;
  }
}

const maxSources = 1000;
/** Tokens of CI services have one or two. */
const maxAudiences = 20;

/** Whether the claim is a text that both engines can compare. */
function isStorable(value: unknown): value is string {
  return typeof value === "string" && value.length <= 2048 && value.isWellFormed() && !value.includes("\0");
}

function notAccepted(): ExchangeRejected {
  return new ExchangeRejected(
    "invalid_grant",
    "The token is not accepted: no trusted issuer has its issuer and audience, or its signature or time is not valid.",
  );
}

/** For finding the trusted issuers. The signature is checked with their keys. */
function unverifiedClaims(token: string): JWTPayload {
  try {
    return decodeJwt(token);
  } catch {
    throw new ExchangeRejected("invalid_request", "`subject_token` is not a JWT.");
  }
}

/** Returns the reason if the trusted issuer does not accept the verified claims. */
function grantOf(issuer: store.IssuerOfAccount, claims: JWTPayload, subject: string): Grant | string {
  if (!matchesPattern(issuer.subject, subject)) return `No trusted issuer accepts the subject ${shown(subject)}.`;
  const claim = unmatchedClaim(claims, claimsOf(issuer) ?? {});
  if (claim !== undefined) return `The claim ${shown(claim)} is missing or has another value.`;
  if (issuer.branch_claim === null) return { issuer, subject, branch: undefined };
  const branch = branchIn(claims, issuer.branch_claim);
  return branch === undefined
    ? `The claim ${shown(issuer.branch_claim)} names no branch.`
    : { issuer, subject, branch };
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 256));
}

/** If several trusted issuers accept a token, it gets the most access: production, then the role, then all projects. */
function reach(issuer: store.IssuerOfAccount): number {
  const isForAll = environmentTypes.every((type) => environmentsOf(issuer).includes(type));
  const isForProduction = environmentsOf(issuer).includes("PRODUCTION");
  const rank = issuerRoles.length - (issuerRoles as readonly string[]).indexOf(issuer.role);
  return (
    (isForProduction ? 100 : 0) +
    (isForAll ? 50 : 0) +
    rank * 4 +
    (issuer.project === null ? 2 : 0) +
    (issuer.branch_claim === null ? 1 : 0)
  );
}
