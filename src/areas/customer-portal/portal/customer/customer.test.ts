import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { ClientResponse } from "../../../../../test/support/client.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { subscribe } from "../../../../../test/support/metering.ts";
import { customerBrowser, type PortalBrowser, setPortal } from "../../../../../test/support/portal.ts";
import { type Deployed, deploy, openApi } from "../../../../../test/support/project.ts";
import { runSql } from "../../../../../test/support/run-sql.ts";
import { useServer } from "../../../../../test/support/server.ts";
import { account } from "../../../../../test/support/server-settings.ts";
import { firstIdOf } from "../../../../lib/ids.ts";

const upstream = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => Response.json({ ok: true }) });
afterAll(() => upstream.stop(true));

const target = { upstream: upstream.url.origin };
const filesOf = (title: string) => ({
  "openapi.json": {
    ...(openApi({
      "/forecasts/{place}": {
        parameters: [{ name: "place", in: "path", required: true, schema: { type: "string" }, example: "new york" }],
        "x-tollgate": { ...target, policies: ["key", "plan"] },
      },
      "POST /orders": { "x-tollgate": { ...target, policies: ["key"] } },
      "/failing/{id}": {
        parameters: [{ name: "id", in: "path", required: true, schema: { type: "integer" } }],
        "x-tollgate": { upstream: "http://127.0.0.1:1", policies: ["key"] },
      },
      "/open": { "x-tollgate": target },
    }) as object),
    info: { title, version: "1" },
  },
  "tollgate.json": {
    policies: {
      key: { type: "api-key", options: { bucket: "main", header: "x-api-key", scheme: "" } },
      plan: { type: "quota", options: { bucketId: "plans", meters: { requests: 1 } } },
    },
  },
});

eachEngine((engine) => {
  const server = useServer(engine, { environment: { TOLLGATE_EGRESS: "any" } });
  const { client, clock } = server;
  const bucketsPath = `/v1/accounts/${account}/key-buckets`;
  const consumers = `${bucketsPath}/main/consumers`;
  let api: Deployed;
  let hidden: Deployed;
  let url: string;
  let acme: PortalBrowser;
  let globex: PortalBrowser;
  const subscriptions: Record<string, string> = {};
  const call = (to: Deployed, path: string, key: string) => to.call(path, { headers: { "x-api-key": key } });

  beforeAll(async () => {
    for (const name of ["acme", "globex"]) await client.post(consumers, { name });
    await client.post("/v1/metering", { name: "plans" });
    const meters = { requests: { label: "Requests", max: 2 } };
    const gold = { label: "Gold", planExternalId: "gold", meters };
    const { body: plan } = await client.post("/v1/metering/plans/plans", gold);
    for (const customerKey of ["acme", "globex"])
      subscriptions[customerKey] = (await subscribe(client, "/v1/metering/plans", [plan], { customerKey })).id;
    api = await deploy(server, { project: "weather", branch: "main" }, filesOf("Weather API"));
    hidden = await deploy(server, { project: "internal", branch: "main" }, filesOf("Internal API"));
    url = (await setPortal(client, { deployments: [api.name], meteringBucket: "plans", keyLimit: 2 })).url;
    acme = await customerBrowser(server, url, "acme");
    globex = await customerBrowser(server, url, "globex");
  });

  const deleteKeys = async (browser: PortalBrowser) => {
    for (const { id } of (await browser.get("/keys")).body.data) await browser.delete(`/keys/${id}`);
  };

  describe("keys", () => {
    beforeEach(() => Promise.all([deleteKeys(acme), deleteKeys(globex)]));

    test("are created with a value that is shown once, listed masked, named, disabled, enabled and deleted", async () => {
      const created = await acme.post("/keys", { description: "laptop", expiresOn: clock.iso(1000) });
      expect(created.body).toEqual({
        id: expect.stringMatching(/^key_/),
        description: "laptop",
        createdOn: clock.iso(),
        expiresOn: clock.iso(1000),
        isEnabled: true,
        lastUsedOn: null,
        key: expect.stringMatching(/^tg_[0-9a-f]{32}_[0-9a-f]{8}$/),
      });
      expect(created.headers.get("cache-control")).toBe("no-store");
      const { id, key } = created.body;
      const listed = await acme.get("/keys");
      expect(listed.body).toMatchObject({ data: [{ id, key: `****${key.slice(-8)}` }], keyLimit: 2 });
      expect(listed.text).not.toContain(key);
      expect((await call(api, "/forecasts/x", key)).status).toBe(200);
      const disabled = await acme.patch(`/keys/${id}`, { description: "server", isEnabled: false });
      expect(disabled.body).toMatchObject({ id, description: "server", isEnabled: false });
      expect((await call(api, "/forecasts/x", key)).status).toBe(401);
      await acme.patch(`/keys/${id}`, { isEnabled: true, description: null });
      expect((await call(api, "/failing/1", key)).status).toBe(502);
      expect((await acme.delete(`/keys/${id}`)).status).toBe(204);
      expect((await call(api, "/failing/1", key)).status).toBe(401);
      expect((await acme.get("/keys")).body.data).toEqual([]);
    });

    test("a rolled key is followed by one of the same name, and works until the end of its grace period", async () => {
      const { body: old } = await acme.post("/keys", { description: "laptop" });
      const { body: next } = await acme.post(`/keys/${old.id}/$roll`, { graceHours: 1 });
      expect(next).toMatchObject({ description: "laptop", expiresOn: null });
      expect(next.key).not.toBe(old.key);
      for (const { key } of [old, next]) expect((await call(api, "/failing/1", key)).status).toBe(502);
      clock.advance(3_600_000);
      expect((await call(api, "/failing/1", old.key)).status).toBe(401);
      expect((await call(api, "/failing/1", next.key)).status).toBe(502);
      const { body: last } = await acme.post(`/keys/${next.id}/$roll`, { graceHours: 0 });
      expect((await call(api, "/failing/1", next.key)).status).toBe(401);
      expect((await call(api, "/failing/1", last.key)).status).toBe(502);
      expectProblem(await acme.post(`/keys/${next.id}/$roll`, { graceHours: 0 }), 409, "key_not_rollable");
    });

    test("the limit holds for concurrent requests; expired keys do not count, and rolling stays possible", async () => {
      const created = await Promise.all(Array.from({ length: 5 }, () => acme.post("/keys", {})));
      expect(created.map(({ status }) => status).sort()).toEqual([200, 200, 409, 409, 409]);
      expectProblem(await acme.post("/keys", {}), 409, "key_limit_reached");
      const { body } = await acme.get("/keys");
      expect(body).toMatchObject({ isLimitReached: true, keyLimit: 2 });
      // Another customer has a limit of its own.
      expect((await globex.post("/keys", {})).status).toBe(200);
      const roll = (id: string) => acme.post(`/keys/${id}/$roll`, { graceHours: 1 });
      const [{ id: first }, { id: second }] = body.data;
      const { body: third } = await roll(first);
      expect((await roll(second)).status).toBe(200);
      expectProblem(await roll(third.id), 409, "key_limit_reached");
      clock.advance(3_600_000);
      expect((await roll(third.id)).status).toBe(200);
      expectProblem(await acme.post("/keys", {}), 409, "key_limit_reached");
      clock.advance(3_600_000);
      expectProblem(await acme.post("/keys", {}), 409, "key_limit_reached");
      await acme.delete(`/keys/${third.id}`);
      await deleteKeys(acme);
      expect((await acme.post("/keys", {})).status).toBe(200);
    });

    test("a new key has the rules of the newest valid one, or of the newest that was deleted", async () => {
      await client.post(consumers, { name: "initech" });
      const initech = await customerBrowser(server, url, "initech");
      const keys = `${consumers}/initech/keys`;
      const expectRules = async ({ body }: ClientResponse, rules: object) => {
        expect((await client.get(`${keys}/${body.id}`)).body).toMatchObject(rules);
        await initech.delete(`/keys/${body.id}`);
      };
      const former = await client.post(keys, { expiresOn: clock.iso(1000) });
      clock.advance(1000);
      const rules = {
        rateLimit: { requests: 1, windowSeconds: 60 },
        permissions: ["orders:read"],
        allowedIps: ["10.0.0.0/8"],
        metadata: { team: "a" },
      };
      const { body: limited } = await client.post(keys, rules);
      const like = await initech.post("/keys", {});
      expect(like.body.permissions).toEqual(["orders:read"]);
      await expectRules(like, rules);
      await initech.patch(`/keys/${limited.id}`, { isEnabled: false });
      await expectRules(await initech.post("/keys", {}), rules);
      await initech.delete(`/keys/${limited.id}`);
      await expectRules(await initech.post("/keys", {}), rules);
      await client.delete(`${keys}/${former.body.id}`);
      await expectRules(await initech.post("/keys", {}), rules);
      // A key that the business creates afterwards replaces what was stored.
      clock.advance(1);
      const lifted = { rateLimit: { requests: 9, windowSeconds: 60 } };
      const { body: other } = await client.post(keys, lifted);
      await initech.patch(`/keys/${other.id}`, { isEnabled: false });
      const { body: last } = await initech.post("/keys", {});
      const { body: stored } = await client.get(`${keys}/${last.id}`);
      expect(stored).toMatchObject(lifted);
      expect(stored.permissions).toBeUndefined();
    });

    test("a key that is newer than a deleted one has its rules used, also if the id of that is years ahead", async () => {
      await client.post(consumers, { name: "hooli" });
      const hooli = await customerBrowser(server, url, "hooli");
      const keys = `${consumers}/hooli/keys`;
      const { body: former } = await client.post(keys, { permissions: ["orders:read"] });
      const ahead = firstIdOf("key", clock.now() + 4 * 365 * 24 * 60 * 60 * 1000) + former.id.slice(12);
      await runSql(server.database, `UPDATE api_keys SET id = '${ahead}' WHERE id = '${former.id}'`);
      expect((await hooli.delete(`/keys/${ahead}`)).status).toBe(204);
      clock.advance(1000);
      const { body: newer } = await client.post(keys, { permissions: ["orders:write"] });
      await hooli.patch(`/keys/${newer.id}`, { isEnabled: false });
      expect((await hooli.post("/keys", {})).body.permissions).toEqual(["orders:write"]);
    });

    test.each([
      ["POST", "/keys", { key: "chosen-by-the-customer" }, "/key"],
      ["POST", "/keys", { permissions: ["*"] }, "/permissions"],
      ["POST", "/keys", { consumerName: "globex" }, "/consumerName"],
      ["POST", "/keys", { description: "x".repeat(201) }, "/description"],
      ["POST", "/keys", { expiresOn: "tomorrow" }, "/expiresOn"],
    ])("%s %s with %p is rejected, and nothing changes", async (method, path, body, pointer) => {
      expectProblem(await acme.send(method, path, body), 400, "validation_failed", { pointer });
      expect((await acme.get("/keys")).body.data).toEqual([]);
    });

    test.each([
      [{ graceHours: -1 }, "/graceHours"],
      [{ graceHours: 721 }, "/graceHours"],
      [{}, "/graceHours"],
    ])("a roll with %p is rejected", async (body, pointer) => {
      const { body: key } = await acme.post("/keys", {});
      expectProblem(await acme.post(`/keys/${key.id}/$roll`, body), 400, "validation_failed", { pointer });
      expectProblem(await acme.patch(`/keys/${key.id}`, { rateLimit: null }), 400, "validation_failed", {
        pointer: "/rateLimit",
      });
      expect((await acme.get("/keys")).body.data).toHaveLength(1);
    });
  });

  test("usage by meter and day, with plan, forecast and reset; none without a subscription", async () => {
    const sent = await client.post("/v1/metering/plans/events", {
      specversion: "1.0",
      id: "usage-1",
      source: "test",
      type: "request",
      subject: "acme",
      time: clock.iso(),
      data: { requests: 1 },
    });
    expect(sent.body.accepted).toBe(1);
    const { body } = await acme.get("/usage");
    const managed = await client.get(`/v1/metering/plans/subscriptions/${subscriptions.acme}/usage-series?step=1d`);
    const { label, used, max, forecast, points } = managed.body.meters.requests;
    expect(used).toBeGreaterThan(0);
    expect(body.subscription).toMatchObject({ status: "active", plans: ["Gold"] });
    expect(Date.parse(body.subscription.periodEnd)).toBeGreaterThan(clock.now());
    expect(body.meters).toEqual({ requests: { label, used, max, forecast, points } });
    await client.post(consumers, { name: "free" });
    const free = await customerBrowser(server, url, "free");
    const models = { from: expect.any(String), data: [] };
    expect((await free.get("/usage")).body).toEqual({ subscription: null, meters: {}, models });
  });

  test("requests of the customer to the portal's deployments, with reasons and without the business's own facts", async () => {
    await deleteKeys(acme);
    const { body: mine } = await acme.post("/keys", {});
    const { body: theirs } = await globex.post("/keys", {});
    // A consumer of the same name in another bucket is another customer.
    await client.post(`${bucketsPath}/second/consumers`, { name: "acme" });
    await call(api, "/failing/1", mine.key);
    await call(api, "/failing/1", theirs.key);
    await call(hidden, "/failing/1", mine.key);
    for (let count = 0; count < 3; count++) await call(api, "/forecasts/x", mine.key);
    await server.catchUp();
    const { body, text } = await acme.get("/requests?limit=100");
    const ofKey = body.data.filter(({ keyId }: ClientResponse["body"]) => keyId === mine.id);
    expect(ofKey[0]).toMatchObject({
      method: "GET",
      path: "/forecasts/x",
      status: 429,
      code: "quota_exceeded",
      api: "Weather API",
      decisions: [{ type: "quota", outcome: "rejected", detail: { meter: "requests", limit: 2, used: 2 } }],
    });
    expect(ofKey.at(-1)).toMatchObject({ path: "/failing/1", status: 502 });
    expect(text).not.toContain(theirs.id);
    expect(text).not.toContain("127.0.0.1:1");
    expect(text).not.toContain("target");
    expect(text).not.toContain("Internal API");
    const failed = (await acme.get("/requests?outcome=failed")).body.data;
    expect(failed.every(({ status }: { status: number }) => status >= 400)).toBe(true);
    const older = (await acme.get(`/requests?limit=1&before=${ofKey[0].id}`)).body.data;
    expect(older).toHaveLength(1);
    expect(older[0].id < ofKey[0].id).toBe(true);
    expectProblem(await acme.get("/requests?consumer=globex"), 400, "validation_failed", { pointer: "?consumer" });
  });

  test("the APIs of the portal, with a request that a key may send as it is", async () => {
    const { body } = await acme.get("/apis");
    const base = (await client.get(`/v1/deployments/${api.name}`)).body.url;
    const example = { method: "GET", url: `${base}/forecasts/new%20york`, keyHeader: "x-api-key", keyPrefix: "" };
    expect(body).toEqual({ data: [{ title: "Weather API", url: base, example }] });
  });
});
