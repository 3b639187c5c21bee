import { afterAll, beforeAll, expect, test } from "bun:test";
import { eachEngine } from "../../../../test/support/engines.ts";
import { createPlan, newMeteringBucket, subscribe } from "../../../../test/support/metering.ts";
import { type Deployed, deploy, openApi } from "../../../../test/support/project.ts";
import { useServer } from "../../../../test/support/server.ts";
import { account } from "../../../../test/support/server-settings.ts";
import { until } from "../../../../test/support/until.ts";
import { explainRequest, type Request as StoredRequest } from "../../../client/index.ts";

const consumers = `/v1/accounts/${account}/key-buckets/main/consumers`;

const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: (request) => {
    const { pathname } = new URL(request.url);
    if (pathname.endsWith("/hang")) return new Promise<Response>(() => {});
    return new Response("ok", { status: pathname.endsWith("/broken") ? 500 : 200 });
  },
});
afterAll(() => upstream.stop(true));

const thing = { type: "object", required: ["name"], properties: { name: { type: "string" } } };

function project(bucketId: string) {
  const guarded = (...policies: string[]) => ({ "x-tollgate": { policies } });
  const handled = (module: string) => ({ "x-tollgate": { handler: `modules/${module}.ts`, timeoutSeconds: 1 } });
  return {
    "openapi.json": openApi({
      "/keyed": guarded("keys"),
      "/metered": guarded("keys", "plan"),
      "/anonymous": guarded("plan"),
      "/tokens": guarded("keys", "tokens"),
      "/limited": guarded("keys", "limit"),
      "/limited-key": guarded("keys", "key-limit"),
      "/limited-ip": guarded("ip-limit"),
      "/limited-sliding": guarded("keys", "sliding-limit"),
      "/permitted": guarded("keys", "may-write"),
      "/perhaps-permitted": guarded("optional-keys", "may-write"),
      "/guarded": guarded("guard"),
      "/guarded-broken": guarded("broken-guard"),
      "/cached": guarded("cached"),
      "post /things": {
        ...guarded("valid"),
        requestBody: { required: true, content: { "application/json": { schema: thing } } },
      },
      "/broken": {},
      "/hang": { "x-tollgate": { timeoutSeconds: 1 } },
      "/gone": { "x-tollgate": { upstream: "http://127.0.0.1:1" } },
      "/throws": handled("throws"),
      "/waits": handled("waits"),
      "/handled": handled("handled"),
    }),
    "tollgate.json": {
      upstream: `${upstream.url.origin}/base`,
      policies: {
        keys: { type: "api-key", options: { bucket: "main" } },
        "optional-keys": { type: "api-key", options: { bucket: "main", allowAnonymous: true } },
        "may-write": { type: "permission", options: { permission: "orders:write" } },
        plan: { type: "quota", options: { bucketId, meters: { requests: 1 } } },
        tokens: { type: "quota", options: { bucketId, meters: { tokens: 50 } } },
        limit: { type: "rate-limit", options: { requests: 2, windowSeconds: 60 } },
        "key-limit": { type: "rate-limit", options: { requests: 2, windowSeconds: 1, by: "key" } },
        "ip-limit": { type: "rate-limit", options: { requests: 2, windowSeconds: 3600, by: "ip" } },
        "sliding-limit": { type: "rate-limit", options: { requests: 2, windowSeconds: 60, window: "sliding" } },
        valid: { type: "validate" },
        cached: { type: "cache", options: { seconds: 60 } },
        guard: { type: "modules/guard.ts" },
        "broken-guard": { type: "modules/broken-guard.ts" },
      },
    },
    "modules/guard.ts": `export default () => new Response("no", { status: 403 });`,
    "modules/broken-guard.ts": `export default () => { throw new Error("no database"); };`,
    "modules/throws.ts": `export default () => { throw new Error("no stock"); };`,
    "modules/waits.ts": `export default () => new Promise((done) => setTimeout(done, 30_000));`,
    "modules/handled.ts": `export default () => new Response("teapot", { status: 418 });`,
  };
}

eachEngine((engine) => {
  const server = useServer(engine);
  const { client, clock } = server;
  const keys: Record<string, string> = {};
  const holders: Record<string, { consumer: string; consumerId: string; keyId: string }> = {};
  let deployed: Deployed;
  let count = 0;

  const consumerWithKey = async (name: string, apiKey: object = {}) => {
    const created = await client.post(consumers, { name, apiKeys: [apiKey] });
    expect(created.status).toBe(200);
    keys[name] = created.body.apiKeys[0].key;
    holders[name] = { consumer: name, consumerId: created.body.id, keyId: created.body.apiKeys[0].id };
  };

  beforeAll(async () => {
    for (const name of ["acme", "stranger", "small", "limited"]) await consumerWithKey(name);
    await consumerWithKey("late", { expiresOn: clock.iso(1000) });
    const bucket = await newMeteringBucket(client);
    const gold = await createPlan(client, bucket, { meters: { requests: { max: 2 } } });
    const silver = await createPlan(client, bucket, { label: "Silver", meters: { tokens: { max: 1980 } } });
    const quotaResetAnchor = "2026-01-01T00:00:00.000Z";
    await subscribe(client, bucket, [gold], { customerKey: "acme", quotaResetAnchor });
    await subscribe(client, bucket, [silver], { customerKey: "small", quotaResetAnchor });
    deployed = await deploy(server, { project: "why", branch: "main" }, project(bucket.split("/").at(-1)!));
    clock.advance(2000);
  });

  const kept = async (requestId: string): Promise<StoredRequest> =>
    until(
      async () => {
        await server.catchUp();
        return (await client.get(`/v1/accounts/${account}/requests?requestId=${requestId}`)).body.data[0];
      },
      { what: "the request to be kept" },
    );

  const send = async (path: string, init: RequestInit & { key?: string | undefined } = {}) => {
    const requestId = `why-${++count}`;
    const headers = new Headers(init.headers);
    headers.set("x-request-id", requestId);
    if (init.key !== undefined) headers.set("authorization", `Bearer ${init.key}`);
    const response = await deployed.call(path, { ...init, headers });
    await response.arrayBuffer();
    return { response, requestId };
  };

  const explained = async (path: string, init: RequestInit & { key?: string | undefined } = {}) =>
    explainRequest(await kept((await send(path, init)).requestId));

  const masked = (name: string) => `****${keys[name]!.slice(-8)}`;
  const malformed = "tg_0123456789abcdef0123456789abcdef_00000000";
  const unknown = "unknown-key-of-somebody-else";
  const json = (body: string, type = "application/json") => ({
    method: "POST",
    body,
    headers: { "content-type": type },
  });

  test("api-key: missing, malformed, unknown, expired", async () => {
    expect(await explained("/keyed")).toBe("401: the request had no API key; send it in the header authorization.");
    expect(await explained("/keyed", { key: malformed })).toBe(
      "401: the key ****00000000 is mistyped, or it is no key of bucket main.",
    );
    expect(await explained("/keyed", { key: unknown })).toBe(
      "401: the key ****dy-else is not in bucket main: it was deleted or changed, or never existed.",
    );
    expect(await explained("/keyed", { key: keys.late })).toMatch(
      /^401: the key \*{4}[0-9a-f]{8} \(key_\w{24}\) of consumer late expired on \d+ \w+ \d{4} at \d\d:\d\d:\d\d UTC\.$/,
    );
    expect(await explained("/keyed", { key: keys.acme })).toMatch(
      /^200: the upstream http:\/\/127\.0\.0\.1:\d+\/base\/keyed responded with 200 after [\d.]+ ms\.$/,
    );
  });

  test("api-key: disabled, another address, over the key's own limit", async () => {
    const key = (name: string) => `\\*{4}${keys[name]!.slice(-8)} \\(key_\\w{24}\\) of consumer ${name}`;
    await consumerWithKey("off", { isEnabled: false });
    expect(await explained("/keyed", { key: keys.off })).toMatch(
      new RegExp(`^401: the key ${key("off")} is disabled\\.$`),
    );
    await consumerWithKey("office", { allowedIps: ["192.0.2.0/24"] });
    expect(await explained("/keyed", { key: keys.office })).toMatch(
      new RegExp(
        `^403: the key ${key("office")} may not be used from 127\\.0\\.0\\.1, which is not one of its allowed addresses\\.$`,
      ),
    );
    await consumerWithKey("slow", { rateLimit: { requests: 2, windowSeconds: 3600 } });
    for (const _ of [1, 2]) expect((await send("/keyed", { key: keys.slow })).response.status).toBe(200);
    const { requestId } = await send("/keyed", { key: keys.slow });
    const request = await kept(requestId);
    expect(request.decisions[0]!.detail as unknown).toEqual({
      reason: "rate_limited",
      maskedKey: masked("slow"),
      bucket: "main",
      keyId: expect.stringMatching(/^key_/),
      consumer: "slow",
      used: 2,
      limit: 2,
      windowSeconds: 3600,
      resetsOn: new Date((Math.floor(clock.now() / 3_600_000) + 1) * 3_600_000).toISOString(),
    });
    expect(explainRequest(request)).toMatch(
      new RegExp(
        `^429: the key ${key("slow")} has a limit of its own: it has made 2 of 2 requests in 3,600 seconds; ` +
          "the limit resets on \\d+ \\w+ \\d{4} at \\d\\d:00 UTC\\.$",
      ),
    );
  });

  test("a key that was recognised and rejected has its consumer in the record, another key has none", async () => {
    await consumerWithKey("ended", { isEnabled: false });
    await consumerWithKey("elsewhere", { allowedIps: ["192.0.2.0/24"] });
    await consumerWithKey("once", { rateLimit: { requests: 1, windowSeconds: 3600 } });
    await send("/keyed", { key: keys.once });
    for (const [name, status, path = "/keyed"] of [
      ["late", 401],
      ["ended", 401],
      ["elsewhere", 403],
      ["once", 429],
      ["stranger", 403, "/permitted"],
      ["stranger", 403, "/metered"],
    ] as const) {
      const { requestId } = await send(path, { key: keys[name] });
      const request = await kept(requestId);
      expect(request).toMatchObject({ status, ...holders[name]! });
      const { body } = await client.get(`/v1/accounts/${account}/requests?consumer=${name}&limit=1`);
      expect(body.data[0]).toEqual(request);
    }
    for (const key of [undefined, malformed, unknown]) {
      const request = await kept((await send("/keyed", { key })).requestId);
      expect(request.status).toBe(401);
      for (const field of ["consumer", "consumerId", "keyId"]) expect(request).not.toHaveProperty(field);
    }
  });

  test("permission: missing, none at all, no key", async () => {
    await consumerWithKey("clerk", { permissions: ["orders:read", "stock:*"] });
    expect(await explained("/permitted", { key: keys.clerk })).toMatch(
      /^403: key key_\w{24} of consumer clerk lacks the permission orders:write; it has orders:read, stock:\*\.$/,
    );
    expect(await explained("/permitted", { key: keys.acme })).toMatch(
      /^403: key key_\w{24} of consumer acme lacks the permission orders:write; it has none\.$/,
    );
    expect(await explained("/perhaps-permitted")).toBe(
      "403: the route needs a key with the permission orders:write, and the request had no key.",
    );
    await consumerWithKey("writer", { permissions: ["orders:*"] });
    expect(await explained("/permitted", { key: keys.writer })).toMatch(/^200: /);
  });

  test("quota: exceeded, too little left, anonymous, no subscription, meter not in plan", async () => {
    for (const _ of [1, 2]) await send("/metered", { key: keys.acme });
    const { resetsOn } = (await kept((await send("/metered", { key: keys.acme })).requestId)).decisions[1]!.detail!;
    expect(resetsOn).toMatch(/-01T00:00:00\.000Z$/);
    expect(await explained("/metered", { key: keys.acme })).toMatch(
      /^429: consumer acme has used 2 of 2 requests of plan Gold in this period; it resets on 1 \w+ \d{4} at 00:00 UTC\.$/,
    );
    for (let at = 0; at < 39; at++) await send("/tokens", { key: keys.small });
    expect(await explained("/tokens", { key: keys.small })).toMatch(
      /^429: consumer small has used 1,950 of 1,980 tokens of plan Silver in this period, and this request takes 50; it resets on 1 \w+ \d{4} at 00:00 UTC\.$/,
    );
    expect(await explained("/anonymous")).toBe(
      "403: the quota of policy plan is for consumers, and the request had no key.",
    );
    expect(await explained("/metered", { key: keys.stranger })).toMatch(
      /^403: consumer stranger has no active subscription in metering bucket mtr_\w{24}\.$/,
    );
    expect(await explained("/tokens", { key: keys.acme })).toBe("403: plan Gold of consumer acme has no meter tokens.");
  });

  test("rate-limit: by consumer, by key, by address", async () => {
    for (const path of ["/limited", "/limited-key", "/limited-ip"])
      for (const _ of [1, 2]) await send(path, { key: keys.limited });
    expect(await explained("/limited", { key: keys.limited })).toMatch(
      /^429: consumer limited has made 2 of 2 requests in 60 seconds; the limit resets on \d+ \w+ \d{4} at \d\d:\d\d UTC\.$/,
    );
    expect(await explained("/limited-key", { key: keys.limited })).toMatch(
      /^429: key key_\w{24} of consumer limited has made 2 of 2 requests in a second; the limit resets on .+ UTC\.$/,
    );
    for (const _ of [1, 2]) await send("/limited-sliding", { key: keys.limited });
    expect(await explained("/limited-sliding", { key: keys.limited })).toMatch(
      /^429: consumer limited has made 2 of 2 requests in a sliding window of 60 seconds; it can make the next on .+ UTC\.$/,
    );
    expect(await explained("/limited-ip")).toMatch(
      /^429: the client's address has made 2 of 2 requests in 3,600 seconds; the limit resets on .+ UTC\.$/,
    );
  });

  test("validate: rules, media type, compressed, too large", async () => {
    expect(await explained("/things", json("{}"))).toBe(
      "400: the request does not match its operation: /name is required.",
    );
    expect(await explained("/things", json('{"name":1}'))).toBe(
      "400: the request does not match its operation: /name must be string.",
    );
    expect(await explained("/things", json("{", "text/csv"))).toBe(
      "415: the body has a media type that the operation does not take. This operation accepts application/json.",
    );
    const compressed = json("{}");
    expect(
      await explained("/things", { ...compressed, headers: { ...compressed.headers, "content-encoding": "gzip" } }),
    ).toBe("415: the body is compressed, and the operation takes no compressed bodies.");
    expect(await explained("/things", json(JSON.stringify({ name: "x".repeat(1024 * 1024) })))).toBe(
      "413: the body is larger than 1,048,576 bytes.",
    );
  });

  test("code: a policy responds or fails, a handler fails or is late", async () => {
    expect(await explained("/guarded")).toBe("403: policy guard (modules/guard.ts) responded with 403.");
    expect(await explained("/guarded-broken")).toBe(
      "500: the code of policy broken-guard (modules/broken-guard.ts) failed: Error: no database.",
    );
    expect(await explained("/throws")).toBe("500: the handler modules/throws.ts failed: Error: no stock.");
    expect(await explained("/waits")).toMatch(
      /^504: the handler modules\/waits\.ts did not respond in time; the gateway waited for \d\.\d s\.$/,
    );
    expect(await explained("/handled")).toMatch(
      /^418: the handler modules\/handled\.ts responded with 418 after [\d.]+ m?s\.$/,
    );
  });

  test("upstreams: broken, late, gone; routes that are not there", async () => {
    expect(await explained("/broken")).toMatch(
      /^500: the upstream http:\/\/127\.0\.0\.1:\d+\/base\/broken responded with 500 after [\d.]+ ms\.$/,
    );
    expect(await explained("/hang")).toMatch(
      /^504: the upstream http:\/\/127\.0\.0\.1:\d+\/base\/hang did not respond in time; the gateway waited for 1\.\d s\.$/,
    );
    expect(await explained("/gone")).toMatch(
      /^502: the upstream http:\/\/127\.0\.0\.1:1\/gone could not be reached: .+\.$/,
    );
    expect(await explained("/nothing")).toBe("404: the deployment has no route for /nothing.");
    expect(await explained("/keyed", { method: "DELETE" })).toBe("405: the route of /keyed does not take DELETE.");
    await send("/cached");
    expect(await explained("/cached")).toBe("200: policy cached (cache) responded, and the request went no further.");
  });

  test("a request has each decision, its target and its version, and no secret, query or body", async () => {
    const { requestId } = await send("/limited?token=the-query", { key: keys.stranger });
    const request = await kept(requestId);
    expect(request as unknown).toEqual({
      id: expect.stringMatching(/^req_[0-9A-Za-z]{24}$/),
      time: clock.iso(),
      deployment: deployed.name,
      version: 1,
      requestId,
      method: "GET",
      path: "/limited",
      route: "/limited",
      status: 200,
      durationMs: expect.any(Number),
      ip: "127.0.0.1",
      consumer: "stranger",
      consumerId: expect.stringMatching(/^csmr_/),
      keyId: expect.stringMatching(/^key_/),
      decisions: [
        { policy: "keys", type: "api-key", ms: expect.any(Number), outcome: "passed" },
        { policy: "limit", type: "rate-limit", ms: expect.any(Number), outcome: "passed" },
      ],
      target: {
        kind: "upstream",
        url: `${upstream.url.origin}/base/limited`,
        ms: expect.any(Number),
        attempts: 1,
      },
    });
    const { body, status } = await client.get(`/v1/accounts/${account}/requests/${request.id}`);
    expect({ body, status }).toEqual({ body: request, status: 200 });
    const rejected = await kept((await send("/metered", { key: unknown })).requestId);
    expect(rejected.decisions.map(({ outcome }) => outcome)).toEqual(["rejected", "skipped"]);
    const all = (await client.get(`/v1/accounts/${account}/requests?limit=1000`)).text;
    for (const secret of [...Object.values(keys), malformed, unknown, "the-query", "xxxxxxxx"])
      expect(all).not.toContain(secret);
    expect(all).not.toContain(masked("acme"));
  });

  test("the client learns no more than before", async () => {
    const { response } = await send("/keyed", { key: keys.late });
    const text = await (await deployed.call("/keyed", { headers: { authorization: `Bearer ${keys.late}` } })).text();
    expect(response.status).toBe(401);
    for (const hidden of ["late", "key_0", masked("late")]) expect(text).not.toContain(hidden);
    expect(Object.keys(JSON.parse(text)).sort()).toEqual(
      ["code", "detail", "instance", "status", "title", "trace", "type"].sort(),
    );
  });
});
