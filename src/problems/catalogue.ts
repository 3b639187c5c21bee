/**
 * Every way in which Tollgate refuses, in one place. The code is stable: clients switch on it. The text
 * is for the person who reads the answer and never holds anything secret.
 */
export const catalogue = {
  invalid_json: { status: 400, text: "The body is not valid JSON." },
  validation_failed: { status: 400, text: "The request does not fit the interface; `errors` names each mistake." },
  unauthenticated: { status: 401, text: "Send a token of this service as `Authorization: Bearer <token>`." },
  token_expired: { status: 401, text: "The token has expired." },
  forbidden: { status: 403, text: "The token's role does not allow this." },
  not_found: { status: 404, text: "There is nothing here." },
  route_not_found: { status: 404, text: "There is no such path in this interface; /docs lists them." },
  method_not_allowed: {
    status: 405,
    text: "The path exists, but not with this method; the Allow header names the others.",
  },
  account_exists: { status: 409, text: "An account of that name exists." },
  bucket_exists: { status: 409, text: "A key bucket of that name exists." },
  bucket_not_empty: { status: 409, text: "The bucket still holds consumers; `?force=true` deletes them with it." },
  consumer_exists: { status: 409, text: "A consumer of that name exists in the bucket." },
  key_exists: { status: 409, text: "That key value is in use in the bucket." },
  keys_not_retrievable: { status: 409, text: "This bucket stores no retrievable keys; ask for `masked` or `none`." },
  manager_exists: { status: 409, text: "The consumer has a manager with that sub." },
  invite_exists: { status: 409, text: "The consumer has an invite for that e-mail address." },
  invite_expired: { status: 409, text: "The invite has expired; make a new one." },
  metering_bucket_not_empty: {
    status: 409,
    text: "The bucket still holds subscriptions; `?force=true` deletes them with it.",
  },
  plan_exists: { status: 409, text: "A plan with that planExternalId exists in the bucket." },
  plan_has_subscriptions: { status: 409, text: "Subscriptions have this plan; change or delete those first." },
  request_in_progress: { status: 409, text: "A request with this Idempotency-Key is still under way; try again." },
  conflict: {
    status: 409,
    text: "What this request builds on was changed or removed at the same time; read it and try again.",
  },
  precondition_failed: { status: 412, text: "The resource is not in the state that If-Match names; read it again." },
  body_too_large: { status: 413, text: "The body is larger than this operation takes." },
  idempotency_key_reused: { status: 422, text: "This Idempotency-Key was sent before with another request." },
  internal_error: { status: 500, text: "Something broke on our side. The request id leads the operator to it." },
  storage_unavailable: {
    status: 503,
    text: "Storage does not answer, and nothing was acknowledged. Try again shortly.",
  },
} as const;

export type ProblemCode = keyof typeof catalogue;

export const titles: Record<number, string> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  412: "Precondition Failed",
  413: "Content Too Large",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable",
};
