/** A response instead of the application's own. */
export interface Rejection {
  status: number;
  /** With lower-case names. */
  headers: Record<string, string>;
  body: string;
}

/** Why a request was rejected, as the gateway says it: code, status and text. A test compares them with the server's. */
export const problems = {
  key_missing: [401, "This API requires a key; WWW-Authenticate names the header and its scheme."],
  key_invalid: [401, "The key is not valid for this API."],
  key_expired: [401, "The key has expired."],
  key_disabled: [401, "The key is disabled."],
  payment_required: [402, "An invoice is overdue; access returns when it is paid."],
  credit_exhausted: [402, "The credits are used up; buy more."],
  spend_cap_reached: [402, "The spending cap of this period is reached; raise it."],
  consumer_suspended: [403, "This customer is suspended."],
  ip_not_allowed: [403, "Requests from this address are not allowed."],
  permission_missing: [403, "The key lacks the permission that this needs."],
  no_subscription: [403, "There is no active subscription to this API."],
  meter_not_in_plan: [403, "The plan does not include a meter that this request uses."],
  quota_exceeded: [429, "Quota exceeded; Retry-After is the end of the period."],
  rate_limited: [429, "Too many requests; retry after the time in Retry-After."],
  verification_unavailable: [503, "The key cannot be verified at the moment. Try again shortly."],
} as const satisfies Record<string, readonly [status: number, detail: string]>;

export type ProblemCode = keyof typeof problems;

const titles: Record<number, string> = {
  401: "Unauthorized",
  402: "Payment Required",
  403: "Forbidden",
  429: "Too Many Requests",
  503: "Service Unavailable",
};

export interface RejectedRequest {
  path: string;
  requestId: string | undefined;
}

/** A problem document with the members that the gateway's have. */
export function rejectionOf(
  code: ProblemCode,
  { path, requestId }: RejectedRequest,
  headers: Record<string, string>,
): Rejection {
  const [status, detail] = problems[code];
  const id = requestId !== undefined && /^[\x21-\x7e]{1,128}$/.test(requestId) ? requestId : crypto.randomUUID();
  const body = JSON.stringify({
    type: `https://httpproblems.com/http-status/${status}`,
    title: titles[status],
    status,
    detail,
    instance: path,
    code,
    trace: { requestId: id, timestamp: new Date().toISOString() },
  });
  return {
    status,
    headers: {
      "content-type": "application/problem+json",
      "cache-control": "no-store",
      "x-request-id": id,
      ...headers,
    },
    body,
  };
}
