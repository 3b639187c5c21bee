import { amountText } from "./amount-text.ts";
import type { Decision, DecisionDetail, Request as WholeRequest } from "./transport/schema.gen.ts";

/** The part of a request that explains its outcome. */
type Request = Pick<WholeRequest, "status" | "method" | "path" | "decisions"> &
  Partial<Omit<WholeRequest, "status" | "method" | "path" | "decisions">>;

/**
 * Explains the outcome of a request in one sentence.
 *
 * @example
 * ```ts
 * const { data } = await client.requests.list({ status: "429", limit: 1 });
 * for (const request of data) console.log(explainRequest(request));
 * // 429: consumer acme has used 1,000 of 1,000 requests of plan Gold in this period; it resets on 1 December 2026 at 00:00 UTC.
 * ```
 */
export function explainRequest(request: Request): string {
  return `${request.status}: ${reasonOf(request)}.`;
}

function reasonOf(request: Request): string {
  if (request.status === 499) return "the client went away before the response";
  const stopped = request.decisions.find(({ outcome }) => outcome === "rejected" || outcome === "answered");
  if (stopped?.outcome === "rejected") return rejectionOf(stopped, request);
  if (stopped) return `${nameOf(stopped)} responded, and the request went no further`;
  return request.target ? targetReason(request) : withoutTarget(request);
}

function rejectionOf(decision: Decision, request: Request): string {
  const detail = decision.detail ?? { reason: request.code ?? "unknown" };
  const { type } = decision;
  const explain =
    rejections[`${type} ${detail.reason}`] ??
    rejections[`${sameReasons[type]} ${detail.reason}`] ??
    anyPolicy[detail.reason];
  return explain?.(detail, decision, request) ?? otherRejection(decision, request);
}

type Explanation = (detail: DecisionDetail, decision: Decision, request: Request) => string;

/** By the policy's type and the reason. */
const rejections: Record<string, Explanation> = {
  "api-key missing": ({ header }) => `the request had no API key; send it in the header ${header}`,
  "api-key malformed": ({ maskedKey: key, bucket }) =>
    `the key ${key} is mistyped, or it is no key of bucket ${bucket}`,
  "api-key unknown": ({ maskedKey: key, bucket }) =>
    `the key ${key} is not in bucket ${bucket}: it was deleted or changed, or never existed`,
  "api-key expired": (detail) => `${knownKey(detail)} expired on ${moment(detail.expiredOn)}`,
  "api-key disabled": (detail) => `${knownKey(detail)} is disabled`,
  "api-key ip_required": (detail) => `${knownKey(detail)} has allowed addresses, and the client's is not known`,
  "api-key ip_not_allowed": (detail, _, { ip }) =>
    `${knownKey(detail)} may not be used from ${ip ?? "the client's address"}, which is not one of its allowed addresses`,
  "api-key rate_limited": (detail) => `${knownKey(detail)} has a limit of its own: it ${rateOf(detail)}`,
  "permission missing": ({ keyId, consumer, permission, permissions = [] }) =>
    `key ${keyId}${consumer === undefined ? "" : ` of consumer ${consumer}`} lacks the permission ${permission}; ` +
    `it has ${permissions.length === 0 ? "none" : permissions.join(", ")}`,
  "permission anonymous": ({ permission }) =>
    `the route needs a key with the permission ${permission}, and the request had no key`,
  "quota exceeded": ({ consumer, meter = "", used = 0, limit = 0, amount = 0, plans, resetsOn }) =>
    `consumer ${consumer} has used ${number(used)} of ${amountText(limit, meter)} of ${planNames(plans)} in this period` +
    `${used >= limit ? "" : `, and this request takes ${number(amount)}`}; it resets on ${moment(resetsOn)}`,
  "quota anonymous": (_, { policy }) => `the quota of policy ${policy} is for consumers, and the request had no key`,
  "quota no_subscription": ({ consumer, bucket }) =>
    `consumer ${consumer} has no active subscription in metering bucket ${bucket}`,
  "quota meter_not_in_plan": ({ consumer, meter, plans }) =>
    `${planNames(plans)} of consumer ${consumer} has no meter ${meter}`,
  "basic-auth missing": () => "the request had no password that is an API key; send it with Basic authentication",
  "concurrency exceeded": (detail) => `${limited(detail)} has ${inProgress(detail.used ?? 0)}, which is the limit`,
  "ip-filter address_unknown": () => "the route allows only some addresses, and the client's is not known",
  "ip-filter denied": ({ network }, _, { ip }) =>
    `the route denies ${ip ?? "the client's address"}, which is in ${network}`,
  "ip-filter not_allowed": (_, __, { ip }) => `the route does not allow ${ip ?? "the client's address"}`,
  "oauth missing": ({ header }) => `the request had no access token; send it in the header ${header}`,
  "api-key token_malformed": () => "the access token is not one of a portal",
  "api-key token_unknown_key": () => "the access token is signed with a key that the portal does not use, or no longer",
  "api-key token_signature": () => "the access token's signature is wrong",
  "api-key token_expired": () => "the access token has expired; its client has to refresh it",
  "api-key token_audience": () => "the access token is for another deployment",
  "api-key token_bucket": ({ bucket }) => `the access token is of another portal than that of bucket ${bucket}`,
  "api-key token_ended": () => "the authorization of the access token has ended",
  "api-key oauth_off": ({ bucket }) => `OAuth, or the portal of bucket ${bucket}, is off`,
  "jwt missing": ({ header }) => `the request had no token; send it in the header ${header}`,
  "jwt malformed": () => "the token is not a signed JWT that can be read",
  "jwt too_large": () => "the token is too large",
  "jwt algorithm": () => "the token is signed with an algorithm that the policy does not accept",
  "jwt unknown_key": () => "the token is signed with a key that its issuer does not publish",
  "jwt signature": () => "the token's signature is wrong",
  "jwt expired": () => "the token has expired",
  "jwt not_yet_valid": () => "the token is not valid yet",
  "jwt no_expiry": () => "the token never expires, and the policy does not accept that",
  "jwt issuer": () => "the token is of another issuer",
  "jwt audience": () => "the token is for another audience",
  "jwt claim": ({ claim }) => `the token's claim ${claim} is missing or has a value that is not allowed`,
  "jwt scope": ({ permission }) => `the token lacks the scope ${permission}`,
  "jwt consumer_unknown": ({ claim, consumer, bucket }) =>
    `the token's claim ${claim} names ${consumer === undefined ? "no consumer" : `${consumer}, which is no consumer`} of bucket ${bucket}`,
  "jwt issuer_not_listed": ({ bucket }) =>
    `a caller whose role is limited built the policy, and bucket ${bucket} does not list its issuer in tokenIssuers`,
  "jwt keys_unavailable": ({ message }) => `the issuer's keys could not be fetched: ${sentence(message)}`,
  "json-body compressed": () => "the body is compressed, and it has to be changed",
  "json-body body_too_large": ({ limit = 0 }) => `the body is larger than ${number(limit)} bytes`,
  "json-body invalid_json": () => "the body is not valid JSON, and it has to be changed",
  "rewrite dot_segments": () => "a parameter of the path would lead the request to another path of the upstream",
  "redirect dot_segments": () => "a parameter of the path would lead the redirect to another path",
  "size-limit request_too_large": ({ limit = 0 }) => `the body is larger than ${number(limit)} bytes`,
  "rate-limit exceeded": (detail) => `${limited(detail)} ${rateOf(detail)}`,
  "secrets unusable_secret": ({ message }) => `the upstream of the route cannot be used: ${sentence(message)}`,
  "usage invalid": ({ errors = [] }) =>
    `what the request will use cannot be estimated: ${errors.map(({ pointer, detail }) => `${pointer || "the body"} ${detail}`).join("; ")}`,
  "usage body_too_large": ({ limit = 0 }) => `the body is larger than ${number(limit)} bytes`,
  "validate invalid": ({ errors = [] }) =>
    `the request does not match its operation: ${errors.map(({ pointer, detail }) => `${pointer || "the body"} ${detail}`).join("; ")}`,
  "validate too_costly": () => "the request has too many parts to be validated within the limits",
  "validate media_type": ({ message }) =>
    `the body has a media type that the operation does not take. ${sentence(message)}`,
  "validate compressed": () => "the body is compressed, and the operation takes no compressed bodies",
  "validate body_too_large": ({ limit = 0 }) => `the body is larger than ${number(limit)} bytes`,
};

/** Types that have the reasons of another type. */
const sameReasons: Record<string, string> = { "basic-auth": "api-key", oauth: "api-key", usage: "quota" };

const anyPolicy: Record<string, Explanation> = {
  storage_unavailable: (_, decision) => `${nameOf(decision)} could not decide, as storage was unavailable`,
  handler_failed: ({ message }, decision) => `the code of ${nameOf(decision)} failed: ${sentence(message)}`,
  handler_crashed: ({ message }, decision) => `the code of ${nameOf(decision)} was stopped: ${sentence(message)}`,
  handler_timeout: (_, decision) => `the code of ${nameOf(decision)} did not respond in time`,
  deployment_unavailable: (_, decision) => `the code of ${nameOf(decision)} had too many requests at once`,
  unusable_secret: ({ message }, decision) => `${nameOf(decision)} cannot run: ${sentence(message)}`,
  malformed_request: () => "the client sent a body that breaks the protocol",
  request_timeout: () => "the client took too long to send its body",
  response: ({ status }, decision) => `${nameOf(decision)} responded with ${status}`,
};

function otherRejection(decision: Decision, { code, detail }: Request): string {
  const why = detail ?? code;
  return `${nameOf(decision)} rejected the request${why === undefined ? "" : `: ${sentence(why)}`}`;
}

function targetReason({ code, detail, status, error, target }: Request): string {
  const { kind, url, module, ms, attempts } = target!;
  const what = kind === "upstream" ? `the upstream ${url}` : `the handler ${module}`;
  switch (code) {
    case undefined:
      return `${what} responded with ${status} after ${milliseconds(ms)}`;
    case "upstream_unavailable":
      return `${what} could not be reached${attempts > 1 ? ` in ${attempts} attempts` : ""}: ${sentence(error)}`;
    case "all_targets_down":
      return `all targets of the upstream are down, and ${what} failed too: ${sentence(error)}`;
    case "upstream_not_allowed":
      return `${what} is not an address that deployments may reach: ${sentence(error)}`;
    case "upstream_timeout":
      return `${what} did not respond in time; the gateway waited for ${milliseconds(ms)}`;
    case "handler_timeout":
      return `${what} did not respond in time; the gateway waited for ${milliseconds(ms)}`;
    case "handler_failed":
      return `${what} failed: ${sentence(error)}`;
    case "handler_crashed":
      return `${what} was stopped: ${sentence(error)}`;
    case "deployment_unavailable":
      return `${what} had too many requests at once`;
    default:
      return withoutTarget({ code, detail } as Request);
  }
}

function withoutTarget({ code, detail, method, path }: Request): string {
  switch (code) {
    case "no_such_route":
      return `the deployment has no route for ${path}`;
    case "method_not_allowed":
      return `the route of ${path} does not take ${method}`;
    case "malformed_path":
      return `the path ${path} is invalid, or an upstream could read it as that of another route`;
    case "malformed_request":
      return "the client sent a body that breaks the protocol";
    case undefined:
      return "the gateway responded itself";
    default:
      return sentence(detail ?? code);
  }
}

function nameOf({ policy, type }: Decision): string {
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

function milliseconds(value: number): string {
  return value < 1000 ? `${Math.round(value * 10) / 10} ms` : `${(value / 1000).toFixed(1)} s`;
}

/** Without the final period, which the whole sentence adds. */
function sentence(text: string | undefined): string {
  return (text ?? "no reason was recorded").split("\n")[0]!.replace(/\.$/, "");
}
