import { expect, test } from "bun:test";
import { contextOf, pass } from "../../../../test/support/request-context.ts";
import { reject } from "../../exchange/rejection.ts";
import { CorsPolicy } from "./cors.ts";
import { corsOptions } from "./schema.ts";

const page = "https://app.example.com";
const policyOf = (options: object) => new CorsPolicy(corsOptions.parse(options));

function preflight(policy: CorsPolicy, headers: Record<string, string>) {
  return policy.preflight(contextOf(new Request("http://shop.localhost/things", { method: "OPTIONS", headers })));
}

const preflightHeaders = {
  origin: page,
  "access-control-request-method": "PUT",
  "access-control-request-headers": "x-a, x-b",
};

test("responds to a preflight", () => {
  const policy = policyOf({ origins: [page], methods: ["GET", "PUT"], headers: ["X-A"], maxAgeSeconds: 60 });
  const response = preflight(policy, preflightHeaders)!;
  expect(response.status).toBe(204);
  expect(response.headers.get("access-control-allow-origin")).toBe(page);
  expect(response.headers.get("access-control-allow-methods")).toBe("GET, PUT");
  expect(response.headers.get("access-control-allow-headers")).toBe("x-a");
  expect(response.headers.get("access-control-max-age")).toBe("60");
  expect(response.headers.get("access-control-allow-credentials")).toBeNull();
  expect(response.headers.get("vary")).toContain("Origin");
});

test("allows the requested headers unless the options list them", () => {
  expect(preflight(policyOf({ origins: "*" }), preflightHeaders)!.headers.get("access-control-allow-headers")).toBe(
    "x-a, x-b",
  );
  expect(
    preflight(policyOf({ origins: "*", headers: [] }), preflightHeaders)!.headers.has("access-control-allow-headers"),
  ).toBe(false);
});

test("ignores an OPTIONS request that is not a preflight", () => {
  expect(preflight(policyOf({ origins: "*" }), {})).toBeUndefined();
  expect(preflight(policyOf({ origins: "*" }), { origin: page })).toBeUndefined();
});

test("sends no allowing headers to other origins", () => {
  const response = preflight(policyOf({ origins: ["https://other.example.com"] }), preflightHeaders)!;
  expect(response.status).toBe(204);
  expect([...response.headers.keys()]).toEqual(["vary"]);
});

test.each([
  [["https://app.example.com"], "https://app.example.com", true],
  [["https://app.example.com"], "http://app.example.com", false],
  [["https://app.example.com"], "https://app.example.com:8443", false],
  [["https://app.example.com"], "https://app.example.com.evil.com", false],
  [["https://*.example.com"], "https://a.example.com", true],
  [["https://*.example.com"], "https://a.b.example.com", true],
  [["https://*.example.com"], "https://example.com", false],
  [["https://*.example.com"], "https://.example.com", false],
  [["https://*.example.com"], "https://evilexample.com", false],
  [["https://*.example.com"], "https://evil.com/.example.com", false],
  [["https://*.example.com"], "https://evil.com?.example.com", false],
  [["https://*.example.com"], "https://a@b.example.com", false],
  [["http://localhost:3000"], "http://localhost:3000", true],
  ["*" as const, "https://anything.at.all", true],
])("%j allows %s: %p", async (origins, origin, allowed) => {
  const request = new Request("http://shop.localhost/", { headers: { origin } });
  const response = await pass([policyOf({ origins })], contextOf(request));
  expect(response.headers.get("access-control-allow-origin")).toBe(allowed ? (origins === "*" ? "*" : origin) : null);
});

test("adds its headers to every response, also to rejections of later policies", async () => {
  const policy = policyOf({ origins: [page], exposeHeaders: ["X-Total", "retry-after"], credentials: true });
  const request = new Request("http://shop.localhost/", { headers: { origin: page } });
  const rejecting = { enter: (context: Parameters<typeof reject>[0]) => reject(context, "rate_limited") };
  for (const policies of [[policy], [policy, rejecting]]) {
    const response = await pass(policies, contextOf(request));
    expect(response.headers.get("access-control-allow-origin")).toBe(page);
    expect(response.headers.get("access-control-allow-credentials")).toBe("true");
    expect(response.headers.get("access-control-expose-headers")).toBe("x-total, retry-after");
  }
});

test("its headers replace the target's, and responses vary by origin", async () => {
  const target = () => new Response("ok", { headers: { "access-control-allow-origin": "*", vary: "accept" } });
  const stranger = new Request("http://shop.localhost/", { headers: { origin: "https://evil.com" } });
  const rejected = await pass([policyOf({ origins: [page] })], contextOf(stranger), target);
  expect(rejected.headers.get("access-control-allow-origin")).toBeNull();
  expect(rejected.headers.get("vary")).toBe("accept, Origin");
  const noPage = await pass([policyOf({ origins: [page] })], contextOf(new Request("http://shop.localhost/")), target);
  expect(noPage.headers.get("vary")).toBe("accept, Origin");
});
