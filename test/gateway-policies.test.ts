import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { ClientResponse } from "./support/client.ts";
import { eachEngine, postgres } from "./support/engines.ts";
import { createPlan, newMeteringBucket, subscribe } from "./support/metering.ts";
import { callHost, type Deployed, deploy, openApi } from "./support/project.ts";
import { startServer, type TestServer, useServer } from "./support/server.ts";
import { until } from "./support/until.ts";

const consumers = "/v1/accounts/default/key-buckets/main/consumers";

/** An upstream that returns the request that it received. */
const echo = () =>
  Bun.serve({
    idleTimeout: 0,
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) =>
      Response.json(
        { headers: Object.fromEntries(request.headers), body: await request.text() },
        { headers: { "x-inside": "1" } },
      ),
  });

async function consumerWithKey(server: TestServer, name: string): Promise<string> {
  const created = await server.client.post(`${consumers}?with-api-key=true`, { name, metadata: { seats: 3 } });
  expect(created.status).toBe(200);
  return created.body.apiKeys[0].key;
}

const bearer = (key: string, more: Record<string, string> = {}) => ({
  headers: { authorization: `Bearer ${key}`, ...more },
});

async function problemOf(response: Response): Promise<[number, string]> {
  const body = (await response.json()) as { code: string };
  return [response.status, body.code];
}

/** A deployment with a route for each policy on a separate server, and a customer with a plan. */
class Scene {
  upstream!: ReturnType<typeof echo>;
  deployed!: Deployed;
  bucket!: string;
  plan!: ClientResponse["body"];
  subscription!: ClientResponse["body"];
  key!: string;

  async start(server: TestServer, max = 5): Promise<void> {
    this.upstream = echo();
    this.key = await consumerWithKey(server, "acme");
    this.bucket = await newMeteringBucket(server.client);
    this.plan = await createPlan(server.client, this.bucket, { meters: { requests: { max } } });
    this.subscription = await subscribe(server.client, this.bucket, [this.plan]);
    const guarded = (...policies: string[]) => ({ "x-tollgate": { policies } });
    const item = { type: "object", required: ["item"], properties: { item: { type: "string" } } };
    this.deployed = await deploy(
      server,
      { project: "policies", branch: "main" },
      {
        "openapi.json": openApi({
          "/open": guarded(),
          "/keyed": guarded("key"),
          "/bare-key": guarded("bare"),
          "/metered": guarded("key", "quota"),
          "/limited": guarded("key", "limit"),
          "/limited-burst": guarded("burst"),
          "/limited-twice": guarded("key", "sliding", "burst"),
          "/shared": guarded("key", "cors", "headers"),
          "/kept": guarded("key", "kept"),
          "post /valid": {
            ...guarded("key", "valid"),
            requestBody: { required: true, content: { "application/json": { schema: item } } },
          },
        }),
        "tollgate.json": {
          upstream: this.upstream.url.origin,
          policies: {
            key: { type: "api-key", options: { bucket: "main" } },
            bare: {
              type: "api-key",
              options: { bucket: "main", header: "x-api-key", scheme: "", allowAnonymous: true },
            },
            quota: { type: "quota", options: { bucketId: this.bucket.split("/").at(-1), meters: { requests: 1 } } },
            limit: { type: "rate-limit", options: { requests: 3, windowSeconds: 60 } },
            sliding: { type: "rate-limit", options: { requests: 4, windowSeconds: 3600, window: "sliding" } },
            burst: {
              type: "rate-limit",
              options: { by: "ip", requests: 100, windowSeconds: 1, legacyHeaders: false },
            },
            cors: { type: "cors", options: { origins: ["https://app.example.com"] } },
            headers: {
              type: "headers",
              options: { request: { set: { "x-added": "yes" } }, response: { remove: ["x-inside"] } },
            },
            kept: { type: "cache", options: { seconds: 60 } },
            valid: { type: "validate" },
          },
        },
      },
    );
  }

  used(server: TestServer): Promise<number> {
    const usage = `${this.bucket}/subscriptions/${this.subscription.id}/usage`;
    return server.client.get(usage).then(({ body }) => body.meters.requests.used);
  }
}

eachEngine((engine) => {
  const server = useServer(engine);
  const scene = new Scene();
  const { client, clock } = server;
  const call = (path: string, init?: RequestInit) => scene.deployed.call(path, init);

  beforeAll(() => scene.start(server));
  afterAll(() => scene.upstream?.stop(true));

  describe("api-key", () => {
    test("names the caller to the upstream, never the key, and drops such headers from outside", async () => {
      const response = await call(
        "/keyed",
        bearer(scene.key, { "x-consumer-name": "somebody-else", "x-consumer-role": "admin" }),
      );
      const { headers } = (await response.json()) as { headers: Record<string, string> };
      expect(response.status).toBe(200);
      expect(headers).toMatchObject({ "x-consumer-name": "acme", "x-consumer-metadata": '{"seats":3}' });
      expect(headers["x-consumer-role"]).toBeUndefined();
      expect(JSON.stringify(headers)).not.toContain(scene.key);
    });

    test("drops headers about the caller on open routes, too", async () => {
      const response = await call("/open", { headers: { "x-consumer-name": "somebody" } });
      const { headers } = (await response.json()) as { headers: Record<string, string> };
      expect(headers["x-consumer-name"]).toBeUndefined();
    });

    test("rejects a missing key, an invalid key and one of another bucket, and describes how to send a key", async () => {
      const missing = await call("/keyed");
      expect(missing.headers.get("www-authenticate")).toStartWith("Bearer ");
      expect(await problemOf(missing)).toEqual([401, "key_missing"]);
      expect(await problemOf(await call("/keyed", bearer("not-a-key-at-all")))).toEqual([401, "key_invalid"]);
      const other = await client.post("/v1/accounts/default/key-buckets/other/consumers?with-api-key=true", {
        name: "acme",
      });
      const stranger = other.body.apiKeys[0].key;
      expect(await problemOf(await call("/keyed", bearer(stranger)))).toEqual([401, "key_invalid"]);
    });

    test("accepts a bare key in another header, and no key if that is allowed", async () => {
      const keyed = (await (await call("/bare-key", { headers: { "x-api-key": scene.key } })).json()) as {
        headers: Record<string, string>;
      };
      expect(keyed.headers["x-consumer-name"]).toBe("acme");
      expect(keyed.headers["x-api-key"]).toBeUndefined();
      expect((await call("/bare-key")).status).toBe(200);
      expect(await problemOf(await call("/bare-key", { headers: { "x-api-key": "wrong-wrong-wrong" } }))).toEqual([
        401,
        "key_invalid",
      ]);
    });

    test("a revoked or expired key is rejected with the next request", async () => {
      const name = "leaver";
      const key = await consumerWithKey(server, name);
      expect((await call("/keyed", bearer(key))).status).toBe(200);
      const { body } = await client.get(`${consumers}/${name}/keys`);
      const path = `${consumers}/${name}/keys/${body.data[0].id}`;
      await client.patch(path, { expiresOn: new Date(clock.now() + 60_000).toISOString() });
      expect((await call("/keyed", bearer(key))).status).toBe(200);
      clock.advance(60_000);
      expect(await problemOf(await call("/keyed", bearer(key)))).toEqual([401, "key_expired"]);
      await client.patch(path, { expiresOn: null });
      expect((await call("/keyed", bearer(key))).status).toBe(200);
      await client.delete(path);
      expect(await problemOf(await call("/keyed", bearer(key)))).toEqual([401, "key_invalid"]);
    });
  });

  describe("quota", () => {
    test("accepts exactly as many concurrent requests as the plan allows, and counts them in the usage", async () => {
      const responses = await Promise.all(Array.from({ length: 20 }, () => call("/metered", bearer(scene.key))));
      const statuses = responses.map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(5);
      expect(statuses.filter((status) => status === 429)).toHaveLength(15);
      const rejected = responses.find(({ status }) => status === 429)!;
      expect(Number(rejected.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(await problemOf(rejected)).toEqual([429, "quota_exceeded"]);
      await until(async () => (await scene.used(server)) === 5);
    });

    test("a larger plan and used-up usage from elsewhere apply to the next request", async () => {
      const plan = `${scene.bucket}/plans/${scene.plan.id}`;
      await client.patch(plan, { meters: { requests: { max: 8 } } });
      expect((await call("/metered", bearer(scene.key))).status).toBe(200);
      const subscription = `${scene.bucket}/subscriptions/${scene.subscription.id}`;
      await until(async () => (await scene.used(server)) === 6);
      const consumed = await client.post(`${subscription}/quotas/consume`, { meters: { requests: 2 } });
      expect(consumed.body.allowed).toBe(true);
      expect(await problemOf(await call("/metered", bearer(scene.key)))).toEqual([429, "quota_exceeded"]);
      await client.patch(subscription, { status: "canceled" });
      expect(await problemOf(await call("/metered", bearer(scene.key)))).toEqual([403, "no_subscription"]);
      await client.patch(subscription, { status: "active" });
    });

    test("requests and quotas/consume together consume exactly what the plan allows", async () => {
      await client.patch(`${scene.bucket}/plans/${scene.plan.id}`, { meters: { requests: { max: 100 } } });
      const subscription = `${scene.bucket}/subscriptions/${scene.subscription.id}`;
      await until(async () => (await scene.used(server)) === 8);
      let passed = 0;
      let count = 0;
      const clients = Array.from({ length: 32 }, async (_, index) => {
        // Repeated until both are rejected, so that flushes happen in between.
        for (let isLeft = true; isLeft; ) {
          count += 1;
          if (index % 2) isLeft = (await call("/metered", bearer(scene.key))).status === 200;
          else {
            const headers: Record<string, string> = index % 4 ? {} : { "idempotency-key": `${engine.name} ${count}` };
            const consumed = await client.post(`${subscription}/quotas/consume`, { meters: { requests: 1 } }, headers);
            isLeft = consumed.body.allowed;
          }
          if (isLeft) passed += 1;
        }
      });
      await Promise.all(clients);
      expect(passed).toBe(92);
      await until(async () => (await scene.used(server)) === 100);
    });

    test("a consumer without a subscription is rejected, and nothing is counted", async () => {
      const before = await scene.used(server);
      const key = await consumerWithKey(server, "nobody");
      expect(await problemOf(await call("/metered", bearer(key)))).toEqual([403, "no_subscription"]);
      expect(await scene.used(server)).toBe(before);
    });

    test("a new period begins with the whole quota", async () => {
      expect((await call("/metered", bearer(scene.key))).status).toBe(429);
      clock.advance(32 * 24 * 60 * 60 * 1000);
      expect((await call("/metered", bearer(scene.key))).status).toBe(200);
    });
  });

  test("rate-limit counts down, rejects, and resets with the next window", async () => {
    clock.advance(60_000 - (clock.now() % 60_000));
    const responses = [];
    for (let i = 0; i < 4; i++) responses.push(await call("/limited", bearer(scene.key)));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    expect(responses.map(({ headers }) => headers.get("ratelimit-remaining"))).toEqual(["2", "1", "0", "0"]);
    expect(responses[3]!.headers.get("retry-after")).toBe("60");
    clock.advance(60_000);
    expect((await call("/limited", bearer(scene.key))).status).toBe(200);
  });

  const limitsOf = ({ status, headers }: Response) => ({
    status,
    fields: [headers.get("ratelimit-policy"), headers.get("ratelimit")],
    legacy: [headers.get("ratelimit-limit"), headers.get("ratelimit-remaining"), headers.get("ratelimit-reset")],
    retryAfter: headers.get("retry-after"),
  });

  test("a sliding rate-limit counts the previous window by its share, over a restart; the fields list all limits", async () => {
    const send = async () => limitsOf(await callHost(server.url, host(), "/limited-twice", bearer(scene.key)));
    const host = () => `${scene.deployed.name}.localhost`;
    clock.advance(3_600_000 - (clock.now() % 3_600_000) + 1_800_000);
    const policies = '"sliding";q=4;w=3600, "burst";q=100;w=1';
    expect(await send()).toEqual({
      status: 200,
      fields: [policies, '"sliding";r=3;t=1800, "burst";r=99;t=1'],
      legacy: ["4", "3", "1800"],
      retryAfter: null,
    });
    for (let count = 0; count < 3; count++) expect((await send()).status).toBe(200);
    await server.restart();
    clock.advance(1_800_000);
    expect(await send()).toEqual({
      status: 429,
      fields: ['"sliding";q=4;w=3600', '"sliding";r=0;t=900'],
      legacy: ["4", "0", "900"],
      retryAfter: "900",
    });
    clock.advance(900_000);
    expect(await send()).toMatchObject({
      status: 200,
      fields: [policies, '"sliding";r=0;t=900, "burst";r=99;t=1'],
    });
  });

  test("without legacyHeaders only the structured fields are sent", async () => {
    expect(limitsOf(await call("/limited-burst"))).toMatchObject({
      status: 200,
      fields: ['"burst";q=100;w=1', expect.stringMatching(/^"burst";r=\d+;t=1$/)],
      legacy: [null, null, null],
    });
  });

  test("cors responds to preflights without a key, and its headers are on rejections too", async () => {
    const origin = "https://app.example.com";
    const headers = { origin, "access-control-request-method": "GET" };
    const preflight = await call("/shared", { method: "OPTIONS", headers });
    expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([204, origin]);
    const rejected = await call("/shared", { headers: { origin } });
    expect([rejected.status, rejected.headers.get("access-control-allow-origin")]).toEqual([401, origin]);
    const stranger = await call("/shared", bearer(scene.key, { origin: "https://evil.example" }));
    expect(stranger.headers.get("access-control-allow-origin")).toBeNull();
  });

  test("headers are set for the upstream and removed from the response", async () => {
    const response = await call("/shared", bearer(scene.key));
    expect(response.headers.get("x-inside")).toBeNull();
    expect(((await response.json()) as { headers: object }).headers).toMatchObject({ "x-added": "yes" });
  });

  test("cache serves a stored response only to the same consumer", async () => {
    const first = await call("/kept", bearer(scene.key));
    const again = await call("/kept", bearer(scene.key));
    expect([first.headers.get("x-cache"), again.headers.get("x-cache")]).toEqual(["miss", "hit"]);
    expect(await again.text()).toBe(await first.text());
    const other = await call("/kept", bearer(await consumerWithKey(server, "another")));
    expect(other.headers.get("x-cache")).toBe("miss");
    clock.advance(61_000);
    expect((await call("/kept", bearer(scene.key))).headers.get("x-cache")).toBe("miss");
  });

  test("validate names the error, and a valid body reaches the upstream unchanged", async () => {
    const post = (body: string) =>
      call("/valid", { method: "POST", body, ...bearer(scene.key, { "content-type": "application/json" }) });
    const rejected = await post('{"item": 1}');
    const problem = (await rejected.json()) as { code: string; errors: { pointer: string }[] };
    expect([rejected.status, problem.code, problem.errors[0]?.pointer]).toEqual([400, "request_invalid", "/item"]);
    const taken = (await (await post('{ "item": "tea" }')).json()) as { body: string };
    expect(taken.body).toBe('{ "item": "tea" }');
  });
});

describe("two nodes", () => {
  let one: TestServer;
  let other: TestServer;
  const scene = new Scene();

  beforeAll(async () => {
    one = await startServer(postgres);
    other = await startServer(postgres, { database: one.database, clock: one.clock });
    await scene.start(one, 50);
  });
  afterAll(async () => {
    scene.upstream?.stop(true);
    await other?.stop();
    await one?.stop();
  });

  const callOn = (server: TestServer, path: string) =>
    callHost(server.url, `${scene.deployed.name}.localhost`, path, bearer(scene.key));

  test("a version built on one serves on the other, and a key revoked on one is rejected by the other", async () => {
    expect((await callOn(other, "/keyed")).status).toBe(200);
    const key = await consumerWithKey(one, "leaver");
    const asLeaver = () => callHost(other.url, `${scene.deployed.name}.localhost`, "/keyed", bearer(key));
    expect((await asLeaver()).status).toBe(200);
    await one.client.delete(`${consumers}/leaver`);
    await until(async () => (await asLeaver()).status === 401);
  });

  test("a quota exhausted on one node is rejected by the other within a second, and the usage is the sum of both", async () => {
    let allowed = 0;
    for (let i = 0; i < 60; i++) if ((await callOn(one, "/metered")).status === 200) allowed += 1;
    expect(allowed).toBe(50);
    const isRejected = async () => {
      if ((await callOn(other, "/metered")).status === 429) return true;
      allowed += 1;
      return false;
    };
    await until(isRejected);
    await until(async () => (await scene.used(one)) === allowed);
  });

  test("what one node let through in the previous window of a sliding limit, the other counts within a second", async () => {
    one.clock.advance(3_600_000 - (one.clock.now() % 3_600_000));
    for (let i = 0; i < 4; i++) expect((await callOn(one, "/limited-twice")).status).toBe(200);
    expect((await callOn(one, "/limited-twice")).status).toBe(429);
    await one.catchUp();
    // In the next window 3.6 of the 4 still count: nothing is left on either node.
    one.clock.advance(3_600_000 + 360_000);
    expect((await callOn(one, "/limited-twice")).status).toBe(429);
    expect((await callOn(other, "/limited-twice")).status).toBe(200);
    await until(async () => (await callOn(other, "/limited-twice")).status === 429);
  });
});
