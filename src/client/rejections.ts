import { amountText } from "./amount-text.ts";
import type { Decision, DecisionDetail, Request as WholeRequest } from "./transport/schema.gen.ts";

/** The part of a request that explains its outcome. */
export type ExplainedRequest = Pick<WholeRequest, "status" | "method" | "path" | "decisions"> & {
  [Name in keyof Omit<WholeRequest, "status" | "method" | "path" | "decisions">]?: WholeRequest[Name] | undefined;
};

/** Why a request had its outcome: the cause in a few words, and the reason as a part of a sentence. */
export type Reason = [cause: string, reason: string];

type Explanation = (detail: DecisionDetail, decision: Decision, request: ExplainedRequest) => string;
type Rejection = [cause: string | Explanation, reason: Explanation];

/** Why a policy rejected a request. */
export function rejectionOf(decision: Decision, request: ExplainedRequest): Reason {
  const detail = decision.detail ?? { reason: request.code ?? "unknown" };
  const { type } = decision;
  const rejection =
    rejections[`${type} ${detail.reason}`] ??
    rejections[`${sameReasons[type]} ${detail.reason}`] ??
    anyPolicy[detail.reason];
  if (!rejection) return otherRejection(decision, request);
  const [cause, reason] = rejection;
  return [typeof cause === "string" ? cause : cause(detail, decision, request), reason(detail, decision, request)];
}

/** By the policy's type and the reason. */
const rejections: Record<string, Rejection> = {
  "api-key missing": ["No key", ({ header }) => `the request had no API key; send it in the header ${header}`],
  "api-key two_keys": [
    "Two different keys",
    ({ header }) => `the request had two different keys, in ${header}; send one`,
  ],
  "api-key bucket_missing": [
    "No key bucket",
    ({ bucket }) => `the policy names the key bucket ${bucket}, which does not exist; its first consumer creates it`,
  ],
  "api-key malformed": [
    "Invalid key",
    ({ maskedKey: key, bucket }) => `the key ${key} is mistyped, or it is no key of bucket ${bucket}`,
  ],
  "api-key unknown": [
    "Unknown key",
    ({ maskedKey: key, bucket }) =>
      `the key ${key} is not in bucket ${bucket}: it was deleted or changed, or never existed`,
  ],
  "api-key expired": ["Key expired", (detail) => `${knownKey(detail)} expired on ${moment(detail.expiredOn)}`],
  "api-key disabled": ["Key disabled", (detail) => `${knownKey(detail)} is disabled`],
  "api-key ip_required": [
    "Client address not known",
    (detail) => `${knownKey(detail)} has allowed addresses, and the client's is not known`,
  ],
  "api-key ip_not_allowed": [
    "Key not allowed from this address",
    (detail, _, { ip }) =>
      `${knownKey(detail)} may not be used from ${ip ?? "the client's address"}, which is not one of its allowed addresses`,
  ],
  "api-key rate_limited": [
    "Rate limit of the key reached",
    (detail) => `${knownKey(detail)} has a limit of its own: it ${rateOf(detail)}`,
  ],
  "permission missing": [
    ({ permission }) => `Permission ${permission} missing`,
    ({ keyId, consumer, permission, permissions = [] }) =>
      `key ${keyId}${consumer === undefined ? "" : ` of consumer ${consumer}`} lacks the permission ${permission}; ` +
      `it has ${permissions.length === 0 ? "none" : permissions.join(", ")}`,
  ],
  "permission anonymous": [
    "No key",
    ({ permission }) => `the route needs a key with the permission ${permission}, and the request had no key`,
  ],
  "quota exceeded": [
    ({ meter, used = 0, limit = 0 }) => `Quota of ${meter} ${used >= limit ? "used up" : "too low for this request"}`,
    ({ consumer, meter = "", used = 0, limit = 0, amount = 0, plans, resetsOn }) =>
      `consumer ${consumer} has used ${number(used)} of ${amountText(limit, meter)} of ${planNames(plans)} in this period` +
      `${used >= limit ? "" : `, and this request takes ${number(amount)}`}; it resets on ${moment(resetsOn)}`,
  ],
  "quota anonymous": [
    "No key",
    (_, { policy }) => `the quota of policy ${policy} is for consumers, and the request had no key`,
  ],
  "quota no_subscription": [
    "No active subscription",
    ({ consumer, bucket, keyBucket, customersKeyBucket }) =>
      customersKeyBucket === undefined
        ? `consumer ${consumer} has no active subscription in metering bucket ${bucket}`
        : `consumer ${consumer} is in key bucket ${keyBucket}, and the customers of metering bucket ${bucket} are the consumers of key bucket ${customersKeyBucket}`,
  ],
  "quota meter_not_in_plan": [
    ({ meter }) => `Plan without ${meter}`,
    ({ consumer, meter, plans }) => `${planNames(plans)} of consumer ${consumer} has no meter ${meter}`,
  ],
  "basic-auth missing": [
    "No key",
    () => "the request had no password that is an API key; send it with Basic authentication",
  ],
  "concurrency exceeded": [
    "Too many requests at once",
    (detail) => `${limited(detail)} has ${inProgress(detail.used ?? 0)}, which is the limit`,
  ],
  "ip-filter address_unknown": [
    "Client address not known",
    () => "the route allows only some addresses, and the client's is not known",
  ],
  "ip-filter denied": [
    "Address denied",
    ({ network }, _, { ip }) => `the route denies ${ip ?? "the client's address"}, which is in ${network}`,
  ],
  "ip-filter not_allowed": [
    "Address not allowed",
    (_, __, { ip }) => `the route does not allow ${ip ?? "the client's address"}`,
  ],
  "oauth missing": [
    "No access token",
    ({ header }) => `the request had no access token; send it in the header ${header}`,
  ],
  "api-key token_malformed": ["Invalid access token", () => "the access token is not one of a portal"],
  "api-key token_unknown_key": [
    "Invalid access token",
    () => "the access token is signed with a key that the portal does not use, or no longer",
  ],
  "api-key token_signature": ["Invalid access token", () => "the access token's signature is wrong"],
  "api-key token_expired": ["Access token expired", () => "the access token has expired; its client has to refresh it"],
  "api-key token_audience": ["Access token for another deployment", () => "the access token is for another deployment"],
  "api-key token_bucket": [
    "Access token of another portal",
    ({ bucket }) => `the access token is of another portal than that of bucket ${bucket}`,
  ],
  "api-key token_ended": ["Authorization ended", () => "the authorization of the access token has ended"],
  "api-key oauth_off": ["OAuth is off", ({ bucket }) => `OAuth, or the portal of bucket ${bucket}, is off`],
  "jwt missing": ["No token", ({ header }) => `the request had no token; send it in the header ${header}`],
  "jwt malformed": ["Invalid token", () => "the token is not a signed JWT that can be read"],
  "jwt too_large": ["Token too large", () => "the token is too large"],
  "jwt algorithm": [
    "Token algorithm not accepted",
    () => "the token is signed with an algorithm that the policy does not accept",
  ],
  "jwt unknown_key": ["Invalid token", () => "the token is signed with a key that its issuer does not publish"],
  "jwt signature": ["Invalid token", () => "the token's signature is wrong"],
  "jwt expired": ["Token expired", () => "the token has expired"],
  "jwt not_yet_valid": ["Token not valid yet", () => "the token is not valid yet"],
  "jwt no_expiry": ["Token without expiry", () => "the token never expires, and the policy does not accept that"],
  "jwt issuer": ["Token of another issuer", () => "the token is of another issuer"],
  "jwt audience": ["Token for another audience", () => "the token is for another audience"],
  "jwt claim": [
    ({ claim }) => `Claim ${claim} not accepted`,
    ({ claim }) => `the token's claim ${claim} is missing or has a value that is not allowed`,
  ],
  "jwt scope": [
    ({ permission }) => `Scope ${permission} missing`,
    ({ permission }) => `the token lacks the scope ${permission}`,
  ],
  "jwt consumer_unknown": [
    "Unknown consumer",
    ({ claim, consumer, bucket }) =>
      `the token's claim ${claim} names ${consumer === undefined ? "no consumer" : `${consumer}, which is no consumer`} of bucket ${bucket}`,
  ],
  "jwt issuer_not_listed": [
    "Issuer not listed",
    ({ bucket }) =>
      `a caller whose role is limited built the policy, and bucket ${bucket} does not list its issuer in tokenIssuers`,
  ],
  "jwt keys_unavailable": [
    "Keys of the issuer unavailable",
    ({ message }) => `the issuer's keys could not be fetched: ${sentence(message)}`,
  ],
  "json-body compressed": ["Compressed body", () => "the body is compressed, and it has to be changed"],
  "json-body body_too_large": ["Body too large", ({ limit = 0 }) => `the body is larger than ${number(limit)} bytes`],
  "json-body invalid_json": ["Invalid JSON", () => "the body is not valid JSON, and it has to be changed"],
  "rewrite dot_segments": [
    "Path not allowed",
    () => "a parameter of the path would lead the request to another path of the upstream",
  ],
  "redirect dot_segments": [
    "Path not allowed",
    () => "a parameter of the path would lead the redirect to another path",
  ],
  "size-limit request_too_large": [
    "Body too large",
    ({ limit = 0 }) => `the body is larger than ${number(limit)} bytes`,
  ],
  "size-limit response_too_large": [
    "Response too large",
    ({ limit = 0 }) => `the response is larger than ${number(limit)} bytes`,
  ],
  "rate-limit exceeded": ["Rate limit reached", (detail) => `${limited(detail)} ${rateOf(detail)}`],
  "secrets unusable_secret": [
    "Upstream unusable",
    ({ message }) => `the upstream of the route cannot be used: ${sentence(message)}`,
  ],
  "usage invalid": [
    "Usage cannot be estimated",
    ({ errors = [] }) =>
      `what the request will use cannot be estimated: ${errors.map(({ pointer, detail }) => `${pointer || "the body"} ${detail}`).join("; ")}`,
  ],
  "usage body_too_large": ["Body too large", ({ limit = 0 }) => `the body is larger than ${number(limit)} bytes`],
  "validate invalid": [
    "Invalid request",
    ({ errors = [] }) =>
      `the request does not match its operation: ${errors.map(({ pointer, detail }) => `${pointer || "the body"} ${detail}`).join("; ")}`,
  ],
  "validate too_costly": [
    "Request too complex",
    () => "the request has too many parts to be validated within the limits",
  ],
  "validate media_type": [
    "Media type not accepted",
    ({ message }) => `the body has a media type that the operation does not take. ${sentence(message)}`,
  ],
  "validate compressed": [
    "Compressed body",
    () => "the body is compressed, and the operation takes no compressed bodies",
  ],
  "validate body_too_large": ["Body too large", ({ limit = 0 }) => `the body is larger than ${number(limit)} bytes`],
};

/** Types that have the reasons of another type. */
const sameReasons: Record<string, string> = { "basic-auth": "api-key", oauth: "api-key", usage: "quota" };

const anyPolicy: Record<string, Rejection> = {
  consumer_suspended: ["Consumer suspended", ({ consumer }) => `consumer ${consumer} is suspended`],
  storage_unavailable: [
    "Storage unavailable",
    (_, decision) => `${nameOf(decision)} could not decide, as storage was unavailable`,
  ],
  handler_failed: [
    "Code failed",
    ({ message }, decision) => `the code of ${nameOf(decision)} failed: ${sentence(message)}`,
  ],
  handler_crashed: [
    "Code was stopped",
    ({ message }, decision) => `the code of ${nameOf(decision)} was stopped: ${sentence(message)}`,
  ],
  handler_timeout: ["Code timed out", (_, decision) => `the code of ${nameOf(decision)} did not respond in time`],
  deployment_unavailable: [
    "Too many requests at once",
    (_, decision) => `the code of ${nameOf(decision)} had too many requests at once`,
  ],
  unusable_secret: [
    "Policy cannot run",
    ({ message }, decision) => `${nameOf(decision)} cannot run: ${sentence(message)}`,
  ],
  malformed_request: ["Malformed request", () => "the client sent a body that breaks the protocol"],
  request_timeout: ["Client too slow", () => "the client took too long to send its body"],
  response: [
    (_, { policy }) => `Rejected by ${policy}`,
    ({ status }, decision) => `${nameOf(decision)} responded with ${status}`,
  ],
};

function otherRejection(decision: Decision, { code, detail }: ExplainedRequest): Reason {
  const why = detail ?? code;
  const rejected = code?.startsWith("response_") ? "response" : "request";
  const reason = `${nameOf(decision)} rejected the ${rejected}${why === undefined ? "" : `: ${sentence(why)}`}`;
  return [`Rejected by ${decision.policy}`, reason];
}

export function nameOf({ policy, type }: Decision): string {
  return `policy ${policy} (${type})`;
}

function inProgress(requests: number): string {
  return `${amountText(requests, "requests")} in progress`;
}

function planNames(plans: string[] | undefined): string {
  const names = plans ?? [];
  return `${names.length === 1 ? "plan" : "plans"} ${names.join(" and ")}`;
}

/** An existing key; its consumer may not be recorded. */
function knownKey({ maskedKey, keyId, consumer }: DecisionDetail): string {
  return `the key ${maskedKey}${keyId ? ` (${keyId})` : ""}${consumer ? ` of consumer ${consumer}` : ""}`;
}

function rateOf({ limit = 0, used = limit, windowSeconds = 0, window, resetsOn }: DecisionDetail): string {
  const time = windowSeconds === 1 ? "a second" : `${number(windowSeconds)} seconds`;
  const rate = `has made ${number(used)} of ${amountText(limit, "requests")} in`;
  if (window === "sliding") return `${rate} a sliding window of ${time}; it can make the next on ${moment(resetsOn)}`;
  return `${rate} ${time}; the limit resets on ${moment(resetsOn)}`;
}

function limited({ by, consumer, keyId }: DecisionDetail): string {
  if (by === "consumer" && consumer !== undefined) return `consumer ${consumer}`;
  if (by === "key" && keyId !== undefined)
    return `key ${keyId}${consumer === undefined ? "" : ` of consumer ${consumer}`}`;
  return "the client's address";
}

const months = "January February March April May June July August September October November December".split(" ");

/** `1 December 2026 at 00:00 UTC`; with seconds where there are any. */
function moment(time: string | undefined): string {
  if (time === undefined) return "an unknown date";
  const [year = "", month = "", day = ""] = time.slice(0, 10).split("-");
  const seconds = time.slice(17, 19);
  const clock = seconds === "00" ? time.slice(11, 16) : time.slice(11, 19);
  return `${Number(day)} ${months[Number(month) - 1]} ${year} at ${clock} UTC`;
}

function number(value: number): string {
  return value.toLocaleString("en-US");
}

/** Without the final period, which the whole sentence adds. */
export function sentence(text: string | undefined): string {
  return (text ?? "no reason was recorded").split("\n")[0]!.replace(/\.$/, "");
}
