import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Policy } from "../src/gateway/exchange/policy.ts";
import { reject } from "../src/gateway/exchange/rejection.ts";
import { CachePolicy } from "../src/gateway/policies/cache/cache.ts";
import { CachedResponses } from "../src/gateway/policies/cache/cached-responses.ts";
import { cacheOptions } from "../src/gateway/policies/cache/schema.ts";
import { artifactOf, TestGateway } from "./support/gateway.ts";
import { rawRequest, talk } from "./support/raw-http.ts";
import { RawUpstream, responseText } from "./support/upstream.ts";

/** A fake authentication policy: these tests have no buckets. */
const apiKey = (): Policy => ({
  enter(passage) {
    return passage.headers.has("x-key") ? undefined : reject(passage, "key_missing");
  },
});

let gateway: TestGateway;
let upstream: RawUpstream;

beforeAll(async () => {
  const responses = new CachedResponses();
  upstream = await RawUpstream.start(({ socket, headers }) =>
    socket.write(responseText(`for ${headers.get("x-key") ?? "nobody"} at ${headers.get("x-forwarded-host")}.`)),
  );
  gateway = new TestGateway({
    policies: { cache: (options) => new CachePolicy(responses, cacheOptions.parse(options)), "api-key": apiKey },
  });
  const target = { upstream: upstream.url };
  await gateway.deploy(
    "shop",
    artifactOf(
      [
        { path: "/good", target, policies: ["key", "cache"] },
        { path: "/open", target, policies: ["cache"] },
        { path: "/open", method: "PUT", target, policies: ["cache"], validation: { parameters: [] } },
      ],
      {
        policies: {
          cache: { type: "cache", options: { seconds: 60 } },
          key: { type: "api-key", options: {} },
        },
      },
    ),
  );
});

beforeEach(() => {
  upstream.requests.length = 0;
});

afterAll(async () => {
  await gateway?.stop();
  await upstream?.stop();
});

test("is checked after the policies that guard the route", async () => {
  const states: (string | null)[] = [];
  for (const _ of [1, 2])
    states.push((await gateway.fetch("shop", "/good", { headers: { "x-key": "mine" } })).headers.get("x-cache"));
  expect(states).toEqual(["miss", "hit"]);
  expect((await gateway.fetch("shop", "/good")).status).toBe(401);
});

test("the port in one caller's Host header is not in responses to others", async () => {
  const get = async (host: string) =>
    (await talk(gateway.port, rawRequest("GET", host, "/open"), (text) => /\.$/.test(text))).text;
  expect(await get("shop.localhost:666")).toEndWith("for nobody at shop.localhost:666.");
  expect(await get("shop.localhost")).toEndWith("for nobody at shop.localhost.");
  expect(upstream.requests).toHaveLength(2);
});

test("a change through another route of the path removes the stored response", async () => {
  const states: (string | null)[] = [];
  for (const method of ["GET", "GET", "PUT", "GET", "GET"]) {
    const response = await gateway.fetch("shop", "/open?page=1", { method });
    expect(await response.text()).toStartWith("for nobody ");
    states.push(response.headers.get("x-cache"));
  }
  expect(states).toEqual(["miss", "hit", null, "miss", "hit"]);
  expect(upstream.requests).toHaveLength(3);
});
