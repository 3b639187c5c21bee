import { expect, test } from "bun:test";
import { contextOf, pass, route } from "../../../../test/support/request-context.ts";
import { until } from "../../../../test/support/until.ts";
import type { RequestContext } from "../../exchange/policy.ts";
import { reject } from "../../exchange/rejection.ts";
import { CachePolicy } from "./cache.ts";
import { CachedResponses } from "./cached-responses.ts";
import { cacheOptions } from "./schema.ts";

const start = Date.parse("2026-01-15T10:00:00.000Z");

interface Sent extends Partial<Omit<RequestContext, "request" | "search" | "headers">> {
  path?: string;
  method?: string;
  headers?: Record<string, string>;
}

/** A target that counts its requests, with a cache before it. */
function scene(options: object = {}, headers: Record<string, string> = {}, status = 200) {
  const responses = new CachedResponses();
  const policy = new CachePolicy(responses, cacheOptions.parse({ seconds: 60, ...options }));
  let calls = 0;
  const target = () => {
    calls += 1;
    return new Response(`response ${calls}`, { status, headers });
  };
  const respond = (
    { path = "/things", method = "GET", headers: sent = {}, ...parts }: Sent = {},
    from: () => Response | Promise<Response> = target,
  ) => {
    const request = new Request(`http://shop.localhost${path}`, { method, headers: sent });
    return pass([policy], contextOf(request, { now: start, ...parts }), from);
  };
  /** `hit response 1`, or another outcome. */
  const send = async (sent: Sent = {}) => {
    const response = await respond(sent);
    return `${response.headers.get("x-cache") ?? "past"} ${await response.text()}`;
  };
  return { responses, respond, send };
}

test("serves a response again while it is fresh, with its age", async () => {
  const { respond, send } = scene({}, { "content-type": "text/x", etag: '"1"', "x-more": "yes" });
  expect(await send()).toBe("miss response 1");
  const again = await respond({ now: start + 59_999 });
  expect(again.status).toBe(200);
  expect(again.headers.get("x-cache")).toBe("hit");
  expect(again.headers.get("age")).toBe("59");
  expect(again.headers.get("content-type")).toBe("text/x");
  expect(again.headers.get("x-more")).toBe("yes");
  expect(await again.text()).toBe("response 1");
  expect(await send({ now: start + 60_000 })).toBe("miss response 2");
});

test("URLs have separate responses", async () => {
  const { send } = scene();
  expect(await send({ path: "/a" })).toBe("miss response 1");
  expect(await send({ path: "/a/" })).toBe("miss response 2");
  expect(await send({ path: "/a?x=1" })).toBe("miss response 3");
  expect(await send({ path: "/a?x=1" })).toBe("hit response 3");
});

test("no consumer gets the response of another, unless they share them", async () => {
  const own = scene();
  expect(await own.send({ consumerId: "csmr_1" })).toBe("miss response 1");
  expect(await own.send({ consumerId: "csmr_2" })).toBe("miss response 2");
  expect(await own.send()).toBe("miss response 3");
  expect(await own.send({ consumerId: "csmr_1" })).toBe("hit response 1");
  const shared = scene({ by: "everyone" });
  expect(await shared.send({ consumerId: "csmr_1" })).toBe("miss response 1");
  expect(await shared.send({ consumerId: "csmr_2" })).toBe("hit response 1");
});

test("responses vary by the configured headers, and by those that their Vary names", async () => {
  const varied = scene({ vary: ["Accept-Language"] });
  expect(await varied.send({ headers: { "accept-language": "de" } })).toBe("miss response 1");
  expect(await varied.send({ headers: { "accept-language": "fr" } })).toBe("miss response 2");
  expect(await varied.send({ headers: { "accept-language": "de" } })).toBe("hit response 1");
  const named = scene({}, { vary: "Accept" });
  expect(await named.send({ headers: { accept: "a/a" } })).toBe("miss response 1");
  expect(await named.send({ headers: { accept: "a/a" } })).toBe("hit response 1");
  expect(await named.send({ headers: { accept: "b/b" } })).toBe("miss response 2");
});

test("responses vary by the requested host, and by headers that name another address or method", async () => {
  for (const name of [
    "x-forwarded-host",
    "x-forwarded-proto",
    "X-Forwarded-Prefix",
    "X-Original-URL",
    "x_rewrite_url",
    "Forwarded",
  ]) {
    const { send } = scene();
    expect(await send({ headers: { [name]: "shop.localhost:666" } })).toBe("miss response 1");
    expect(await send()).toBe("miss response 2");
    expect(await send({ headers: { [name]: "shop.localhost:666" } })).toBe("hit response 1");
  }
  const { send } = scene();
  await send({ headers: { "x-host": "a", "x-forwarded-port": "b" } });
  expect(await send({ headers: { "x-host": "b", "x-forwarded-port": "a" } })).toBe("miss response 2");
});

test("no header and an empty one are different", async () => {
  const { send } = scene({ vary: ["x-part"] });
  expect(await send({ headers: { "x-part": "" } })).toBe("miss response 1");
  expect(await send()).toBe("miss response 2");
});

test("routes have separate responses, even if code sends them to one URL", async () => {
  const { send } = scene();
  expect(await send({ route })).toBe("miss response 1");
  expect(await send({ route: { ...route, path: "/others" } })).toBe("miss response 2");
});

test("a GET with a body bypasses it", async () => {
  const { send } = scene();
  await send();
  expect(await send({ body: Buffer.from("x") })).toBe("past response 2");
});

test("HEAD is served from the response to GET, and stores nothing itself", async () => {
  const { respond, send } = scene();
  expect((await respond({ method: "HEAD" })).headers.get("x-cache")).toBe("miss");
  expect(await send()).toBe("miss response 2");
  const head = await respond({ method: "HEAD" });
  expect(head.headers.get("x-cache")).toBe("hit");
  expect(head.headers.get("content-length")).toBe("10");
  expect(await head.text()).toBe("");
});

test("other methods, ranges and upgrades bypass it", async () => {
  const { send } = scene();
  expect(await send({ method: "POST" })).toBe("past response 1");
  expect(await send()).toBe("miss response 2");
  expect(await send({ headers: { range: "bytes=0-1" } })).toBe("past response 3");
  expect(await send({ headers: { upgrade: "websocket" } })).toBe("past response 4");
});

test.each(["PUT", "POST", "PATCH", "DELETE"])(
  "a successful %s invalidates all responses of its URL",
  async (method) => {
    const { respond, send } = scene({ vary: ["accept"] });
    const read: Sent[] = [
      { consumerId: "csmr_1" },
      { consumerId: "csmr_2" },
      { headers: { accept: "a/a" } },
      { headers: { "x-host": "b" } },
      { route: { ...route, path: "/{any}" } },
    ];
    for (const sent of read) await send(sent);
    await send({ path: "/things?page=2" });
    for (const status of [400, 404, 500]) await respond({ method }, () => new Response("", { status }));
    for (const [at, sent] of read.entries()) expect(await send(sent)).toBe(`hit response ${at + 1}`);
    for (const status of [200, 204, 303]) {
      const changed = await respond({ method }, () => new Response(null, { status }));
      expect(changed.headers.get("x-cache")).toBeNull();
      for (const sent of read) expect(await send(sent)).toStartWith("miss ");
      for (const sent of read) expect(await send(sent)).toStartWith("hit ");
    }
    expect(await send({ path: "/things?page=2" })).toBe("hit response 6");
  },
);

test("a response that was requested before a change is not served after it", async () => {
  const { respond, send } = scene();
  const old = Promise.withResolvers<Response>();
  const reading = respond({}, () => old.promise);
  await respond({ method: "PUT" }, () => new Response("changed"));
  old.resolve(new Response("old"));
  expect(await (await reading).text()).toBe("old");
  expect(await send()).toBe("miss response 1");
});

test.each<[Record<string, string>, boolean]>([
  [{}, true],
  [{ "cache-control": "no-store" }, false],
  [{ "cache-control": "max-age=10, Private" }, false],
  [{ "cache-control": "no-cache" }, false],
  [{ "cache-control": "max-age=0" }, false],
  [{ "cache-control": "max-age=nonsense" }, false],
  [{ "cache-control": "max-age=0, s-maxage=10" }, true],
  [{ "cache-control": "max-age=10", age: "10" }, false],
  [{ expires: "Thu, 15 Jan 2026 10:00:05 GMT" }, true],
  [{ expires: "Thu, 15 Jan 2026 09:00:00 GMT" }, false],
  [{ expires: "0" }, false],
  [{ expires: "Thu, 15 Jan 2026 11:00:00 GMT", date: "Thu, 15 Jan 2026 11:00:05 GMT" }, false],
  [{ expires: "Thu, 15 Jan 2026 09:00:05 GMT", date: "Thu, 15 Jan 2026 09:00:00 GMT" }, true],
  [{ expires: "Thu, 15 Jan 2026 09:00:05 GMT", date: "Thu, 15 Jan 2026 09:00:00 GMT", age: "5" }, false],
  [{ expires: "Thu, 15 Jan 2026 10:00:05 GMT", date: "yesterday" }, true],
  [{ "set-cookie": "a=b" }, false],
  [{ vary: "*" }, false],
])("a response with %j is stored: %p", async (headers, stored) => {
  const { send } = scene({}, headers);
  expect(await send()).toBe("miss response 1");
  expect(await send()).toBe(stored ? "hit response 1" : "miss response 2");
});

test("a response's own freshness lifetime is used", async () => {
  const { send } = scene({ seconds: 60 }, { "cache-control": "max-age=5" });
  await send();
  expect(await send({ now: start + 4999 })).toBe("hit response 1");
  expect(await send({ now: start + 5000 })).toBe("miss response 2");
});

test.each([
  [200, true],
  [203, true],
  [301, true],
  [404, true],
  [410, true],
  [201, false],
  [302, false],
  [400, false],
  [500, false],
  [503, false],
])("a response of status %d is stored: %p", async (status, stored) => {
  const { send } = scene({}, {}, status);
  await send();
  expect(await send()).toBe(stored ? "hit response 1" : "miss response 2");
});

test("what the gateway itself rejects is not stored", async () => {
  const policy = new CachePolicy(new CachedResponses(), cacheOptions.parse({ seconds: 60 }));
  const rejecting = { enter: (context: RequestContext) => reject(context, "not_found") };
  const context = () => contextOf(new Request("http://shop.localhost/"), { now: start });
  expect((await pass([policy, rejecting], context())).status).toBe(404);
  expect(await (await pass([policy], context(), () => new Response("found"))).text()).toBe("found");
});

test("a response to the caller's own credentials is stored only if it is public", async () => {
  for (const name of ["authorization", "cookie"]) {
    const headers = { [name]: "secret" };
    const silent = scene();
    await silent.send({ headers });
    expect(await silent.send({ headers })).toBe("miss response 2");
    expect(await silent.send()).toBe("miss response 3");
    const open = scene({}, { "cache-control": "public" });
    await open.send({ headers });
    expect(await open.send()).toBe("hit response 1");
    const varied = scene({ vary: [name] });
    await varied.send({ headers });
    expect(await varied.send({ headers })).toBe("hit response 1");
    expect(await varied.send({ headers: { [name]: "another" } })).toBe("miss response 2");
  }
});

test("callers can bypass the cache, and prevent storing", async () => {
  const { send } = scene();
  await send();
  expect(await send({ headers: { "cache-control": "no-cache" } })).toBe("miss response 2");
  expect(await send()).toBe("hit response 2");
  expect(await send({ headers: { "cache-control": "no-store" } })).toBe("miss response 3");
  expect(await send()).toBe("hit response 2");
});

test("a client that has the response gets 304", async () => {
  const { respond, send } = scene({}, { etag: 'W/"a"', "content-type": "text/x" });
  await send();
  for (const tag of ['"a"', 'W/"a"', '"x", "a"', "*"]) {
    const known = await respond({ headers: { "if-none-match": tag } });
    expect({ tag, status: known.status, body: await known.text() }).toEqual({ tag, status: 304, body: "" });
    expect(known.headers.get("etag")).toBe('W/"a"');
    expect(known.headers.get("content-type")).toBeNull();
  }
  expect((await respond({ headers: { "if-none-match": '"b"' } })).status).toBe(200);
});

test("another version of the deployment begins with an empty cache", async () => {
  const { responses, send } = scene();
  await send();
  const next = new CachePolicy(responses, cacheOptions.parse({ seconds: 60 }));
  const context = contextOf(new Request("http://shop.localhost/things"), { now: start });
  expect((await pass([next], context)).headers.get("x-cache")).toBe("miss");
});

test("streams a response, and stores it once it is complete", async () => {
  const { responses, respond, send } = scene();
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const source = writable.getWriter();
  const response = await respond({}, () => new Response(readable));
  const reader = response.body!.getReader();
  void source.write(new TextEncoder().encode("first "));
  expect(new TextDecoder().decode((await reader.read()).value)).toBe("first ");
  expect(responses.size).toBe(0);
  void source.write(new TextEncoder().encode("second"));
  expect(new TextDecoder().decode((await reader.read()).value)).toBe("second");
  void source.close();
  expect((await reader.read()).done).toBe(true);
  await until(() => responses.size === 1);
  expect(await send()).toBe("hit first second");
});

test("an incomplete or too large response is not stored", async () => {
  const { responses, respond, send } = scene();
  const broken = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode("half")),
    pull: (controller) => controller.error(new Error("broken off")),
  });
  const response = await respond({}, () => new Response(broken));
  await expect(response.text()).rejects.toThrow("broken off");
  const large = await respond({}, () => new Response(new Blob(["x".repeat(1024 * 1024 + 1)]).stream()));
  expect((await large.text()).length).toBe(1024 * 1024 + 1);
  expect(await send()).toBe("miss response 1");
  expect(responses.size).toBe(1);
});

test("stays within its limit with caller-chosen keys and Vary headers", async () => {
  const responses = new CachedResponses();
  const stored = { status: 200, headers: [], body: Buffer.alloc(0), age: 0, storedOn: start, expiresOn: start + 1000 };
  const long = "x".repeat(30_000);
  for (let count = 0; count < 6000; count++) {
    responses.store(`${long}${count}`, { ...stored, varies: [] });
    responses.store(String(count), { ...stored, varies: [["accept", long]] });
  }
  expect(responses.bytes).toBeLessThanOrEqual(64 * 1024 * 1024);
  expect(responses.size * long.length).toBeLessThanOrEqual(64 * 1024 * 1024);
});

test("stays within its limit", async () => {
  const responses = new CachedResponses();
  const body = Buffer.alloc(1024 * 1024);
  const stored = { status: 200, headers: [], body, age: 0, storedOn: start, expiresOn: start + 1000, varies: [] };
  for (let count = 0; count < 200; count++) responses.store(String(count), { ...stored, headers: [] });
  expect(responses.size).toBeLessThanOrEqual(64);
  expect(responses.size).toBeGreaterThan(60);
});
