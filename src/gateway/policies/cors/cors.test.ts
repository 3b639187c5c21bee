import { expect, test } from "bun:test";
import { contextOf, pass } from "../../../../test/support/request-context.ts";
import { reject } from "../../rejection.ts";
import { CorsPolicy } from "./cors.ts";
import { corsOptions } from "./schema.ts";

const page = "https://app.example.com";
const policyOf = (options: object) => new CorsPolicy(corsOptions.parse(options));

function preflight(policy: CorsPolicy, headers: Record<string, string>) {
  return policy.preflight(contextOf(new Request("http://shop.localhost/things", { method: "OPTIONS", headers })));
}

const asking = { origin: page, "access-control-request-method": "PUT", "access-control-request-headers": "x-a, x-b" };

test("answers what a browser asks beforehand", () => {
  const policy = policyOf({ origins: [page], methods: ["GET", "PUT"], headers: ["X-A"], maxAgeSeconds: 60 });
  const answer = preflight(policy, asking)!;
  expect(answer.status).toBe(204);
  expect(answer.headers.get("access-control-allow-origin")).toBe(page);
  expect(answer.headers.get("access-control-allow-methods")).toBe("GET, PUT");
  expect(answer.headers.get("access-control-allow-headers")).toBe("x-a");
  expect(answer.headers.get("access-control-max-age")).toBe("60");
  expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
  expect(answer.headers.get("vary")).toContain("Origin");
});

test("allows the headers that are asked for unless it names them", () => {
  expect(preflight(policyOf({ origins: "*" }), asking)!.headers.get("access-control-allow-headers")).toBe("x-a, x-b");
  expect(preflight(policyOf({ origins: "*", headers: [] }), asking)!.headers.has("access-control-allow-headers")).toBe(
    false,
  );
});

test("an OPTIONS request that no browser asks beforehand is not its business", () => {
  expect(preflight(policyOf({ origins: "*" }), {})).toBeUndefined();
  expect(preflight(policyOf({ origins: "*" }), { origin: page })).toBeUndefined();
});

test("allows nothing to an origin that may not call", () => {
  const answer = preflight(policyOf({ origins: ["https://other.example.com"] }), asking)!;
  expect(answer.status).toBe(204);
  expect([...answer.headers.keys()]).toEqual(["vary"]);
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
  const answer = await pass([policyOf({ origins })], contextOf(request));
  expect(answer.headers.get("access-control-allow-origin")).toBe(allowed ? (origins === "*" ? "*" : origin) : null);
});

test("puts its headers on every answer, also on rejections of later policies", async () => {
  const policy = policyOf({ origins: [page], exposeHeaders: ["X-Total", "retry-after"], credentials: true });
  const request = new Request("http://shop.localhost/", { headers: { origin: page } });
  const rejecting = { enter: (context: Parameters<typeof reject>[0]) => reject(context, "rate_limited") };
  for (const policies of [[policy], [policy, rejecting]]) {
    const answer = await pass(policies, contextOf(request));
    expect(answer.headers.get("access-control-allow-origin")).toBe(page);
    expect(answer.headers.get("access-control-allow-credentials")).toBe("true");
    expect(answer.headers.get("access-control-expose-headers")).toBe("x-total, retry-after");
  }
});

test("its word counts, not the target's; and answers say that they depend on the origin", async () => {
  const target = () => new Response("ok", { headers: { "access-control-allow-origin": "*", vary: "accept" } });
  const stranger = new Request("http://shop.localhost/", { headers: { origin: "https://evil.com" } });
  const rejected = await pass([policyOf({ origins: [page] })], contextOf(stranger), target);
  expect(rejected.headers.get("access-control-allow-origin")).toBeNull();
  expect(rejected.headers.get("vary")).toBe("accept, Origin");
  const noPage = await pass([policyOf({ origins: [page] })], contextOf(new Request("http://shop.localhost/")), target);
  expect(noPage.headers.get("vary")).toBe("accept, Origin");
});
