import { expect, test } from "bun:test";
import { amountText } from "./amount-text.ts";
import { causeOf, explainRequest } from "./explain-request.ts";
import type { Decision, Request } from "./transport/schema.gen.ts";

/** Cases that are hard to produce with a server; the others are in src/areas/insight/request-log/why.test.ts. */
const request: Request = {
  id: "req_0QGzNqW81Kx8VhTb3mPcRdZu",
  time: "2026-11-15T10:00:00.000Z",
  deployment: "orders-main-3f9c2a1",
  version: 7,
  requestId: "7b0c4f5e",
  method: "GET",
  path: "/orders",
  route: "/orders",
  status: 500,
  durationMs: 1,
  decisions: [],
};
const upstream = { kind: "upstream" as const, url: "http://10.0.0.1/orders", ms: 3, attempts: 2 };
const handler = { kind: "handler" as const, module: "modules/a.ts", ms: 2500, attempts: 1 };
const rejected = (type: string, detail: Decision["detail"]): Decision[] => [
  { policy: "mine", type, ms: 0.1, outcome: "rejected", ...(detail && { detail }) },
];

test.each<[Partial<Request>, string]>([
  [
    {
      status: 429,
      decisions: rejected("quota", {
        reason: "exceeded",
        consumer: "acme",
        meter: "requests",
        amount: 1,
        used: 1000,
        limit: 1000,
        plans: ["Gold"],
        resetsOn: "2026-12-01T00:00:00.000Z",
      }),
    },
    "429: consumer acme has used 1,000 of 1,000 requests of plan Gold in this period; it resets on 1 December 2026 at 00:00 UTC.",
  ],
  [
    { status: 429, decisions: rejected("api-key", { reason: "rate_limited", maskedKey: "****1", limit: 1 }) },
    "429: the key ****1 has a limit of its own: it has made 1 of 1 request in 0 seconds; the limit resets on an unknown date.",
  ],
  [{ status: 499 }, "499: the client went away before the response."],
  [
    { status: 401, decisions: rejected("api-key", { reason: "bucket_missing", maskedKey: "****1", bucket: "mian" }) },
    "401: the policy names the key bucket mian, which does not exist; its first consumer creates it.",
  ],
  [
    { status: 400, decisions: rejected("validate", { reason: "too_costly" }) },
    "400: the request has too many parts to be validated within the limits.",
  ],
  [
    { status: 503, decisions: rejected("api-key", { reason: "storage_unavailable" }) },
    "503: policy mine (api-key) could not decide, as storage was unavailable.",
  ],
  [
    { status: 502, decisions: rejected("modules/a.ts", { reason: "handler_crashed", message: "It looped" }) },
    "502: the code of policy mine (modules/a.ts) was stopped: It looped.",
  ],
  [
    { status: 504, decisions: rejected("modules/a.ts", { reason: "handler_timeout" }) },
    "504: the code of policy mine (modules/a.ts) did not respond in time.",
  ],
  [
    {
      status: 403,
      decisions: rejected("api-key", { reason: "ip_required", maskedKey: "****01234567", keyId: "key_1" }),
    },
    "403: the key ****01234567 (key_1) has allowed addresses, and the client's is not known.",
  ],
  [
    { status: 403, decisions: rejected("api-key", { reason: "ip_not_allowed", maskedKey: "****01234567" }) },
    "403: the key ****01234567 may not be used from the client's address, which is not one of its allowed addresses.",
  ],
  [
    {
      status: 503,
      decisions: rejected("rate-limit", { reason: "unusable_secret", message: "The secret A is not set." }),
    },
    "503: policy mine (rate-limit) cannot run: The secret A is not set.",
  ],
  [
    { status: 408, decisions: rejected("validate", { reason: "request_timeout", status: 408 }) },
    "408: the client took too long to send its body.",
  ],
  [
    { status: 503, decisions: rejected("modules/a.ts", { reason: "deployment_unavailable" }) },
    "503: the code of policy mine (modules/a.ts) had too many requests at once.",
  ],
  [
    { status: 403, detail: "Not today.", code: "odd", decisions: rejected("new-policy", { reason: "odd" }) },
    "403: policy mine (new-policy) rejected the request: Not today.",
  ],
  [
    {
      status: 502,
      code: "response_too_large",
      detail: "The response is larger than 1048576 bytes.",
      decisions: rejected("json-body", undefined),
    },
    "502: policy mine (json-body) rejected the response: The response is larger than 1048576 bytes.",
  ],
  [
    { status: 403, decisions: rejected("new-policy", undefined) },
    "403: policy mine (new-policy) rejected the request.",
  ],
  [
    { status: 502, code: "upstream_unavailable", error: "connection refused", target: upstream },
    "502: the upstream http://10.0.0.1/orders could not be reached in 2 attempts: connection refused.",
  ],
  [
    { status: 503, code: "all_targets_down", error: "connection refused", target: upstream },
    "503: all targets of the upstream are down, and the upstream http://10.0.0.1/orders failed too: connection refused.",
  ],
  [
    { status: 502, code: "upstream_not_allowed", error: "10.0.0.1 is private.", target: upstream },
    "502: the upstream http://10.0.0.1/orders is not an address that deployments may reach: 10.0.0.1 is private.",
  ],
  [
    { status: 502, code: "handler_crashed", error: "The code kept its process busy", target: handler },
    "502: the handler modules/a.ts was stopped: The code kept its process busy.",
  ],
  [
    { status: 504, code: "handler_timeout", target: handler },
    "504: the handler modules/a.ts did not respond in time; the gateway waited for 2.5 s.",
  ],
  [
    { status: 503, code: "deployment_unavailable", target: handler },
    "503: the handler modules/a.ts had too many requests at once.",
  ],
  [
    { status: 500, code: "internal_error", detail: "Something broke on our side.", target: upstream },
    "500: Something broke on our side.",
  ],
  [
    { status: 400, code: "malformed_path", path: "/%zz" },
    "400: the path /%zz is invalid, or an upstream could read it as that of another route.",
  ],
  [
    { status: 400, code: "malformed_request", target: upstream },
    "400: the client sent a body that breaks the protocol.",
  ],
  [{ status: 204 }, "204: the gateway responded itself."],
])("%#: %j", (parts, sentence) => {
  expect(explainRequest({ ...request, ...parts })).toBe(sentence);
});

test.each([
  [1, "requests", "1 request"],
  [1, "api_calls", "1 api_call"],
  [1, "queries", "1 query"],
  [1, "batches", "1 batch"],
  [1, "images", "1 image"],
  [1, "access", "1 access"],
  [1, "status", "1 status"],
  [1, "time series", "1 time series"],
  [0, "requests", "0 requests"],
  [0.5, "tokens", "0.5 tokens"],
  [1234, "tokens", "1,234 tokens"],
])("amountText(%p, %p) is %p", (amount, name, text) => {
  expect(amountText(amount, name)).toBe(text);
});

test.each<[Partial<Request>, string]>([
  [{ status: 401, decisions: rejected("api-key", { reason: "missing" }) }, "No key"],
  [{ status: 401, decisions: rejected("basic-auth", { reason: "disabled" }) }, "Key disabled"],
  [
    { status: 429, decisions: rejected("usage", { reason: "exceeded", meter: "API requests", used: 3, limit: 3 }) },
    "Quota of API requests used up",
  ],
  [
    { status: 429, decisions: rejected("quota", { reason: "exceeded", meter: "tokens", used: 90, limit: 100 }) },
    "Quota of tokens too low for this request",
  ],
  [{ status: 403, decisions: rejected("modules/a.ts", { reason: "response", status: 403 }) }, "Rejected by mine"],
  [{ status: 403, decisions: rejected("new-type", { reason: "new_reason" }) }, "Rejected by mine"],
  [{ status: 502, code: "upstream_unavailable", target: upstream }, "Upstream unreachable"],
  [{ status: 404, target: handler }, "Response of the handler"],
  [{ status: 404, code: "no_such_route" }, "No such route"],
  [{ status: 500, code: "internal_error", target: upstream }, "Internal error"],
])("the cause of %j is %j", (parts, cause) => {
  expect(causeOf({ ...request, ...parts })).toBe(cause);
});

test("the rejections of policies in observe follow the reason of the response", () => {
  const detail = { reason: "missing", permission: "orders:write", consumer: "acme", keyId: "key_1" };
  const observed = {
    policy: "may",
    type: "permission",
    ms: 0.1,
    outcome: "observed" as const,
    code: "permission_missing",
  };
  const code = { policy: "own", type: "modules/a.ts", ms: 0.1, outcome: "observed" as const, code: "policy_response" };
  const decisions = [
    { ...observed, detail },
    { ...code, detail: { reason: "response", status: 403 } },
  ];
  expect(explainRequest({ ...request, status: 200, target: upstream, decisions })).toBe(
    "200: the upstream http://10.0.0.1/orders responded with 200 after 3 ms. Policy may (permission) would have rejected it with permission_missing: key key_1 of consumer acme lacks the permission orders:write; it has none. Policy own (modules/a.ts) would have rejected it with policy_response: policy own (modules/a.ts) responded with 403.",
  );
});
