import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { PrimaryLink } from "../src/server/worker-process/primary-link.ts";
import { eachEngine } from "./support/engines.ts";
import { createPlan, newMeteringBucket, subscribe } from "./support/metering.ts";
import { type Deployed, deploy, openApi } from "./support/project.ts";
import { startServer, useServer } from "./support/server.ts";
import { operatorToken } from "./support/server-settings.ts";
import { until } from "./support/until.ts";

const consumers = "/v1/accounts/default/key-buckets/main/consumers";
const verifyPath = "/v1/accounts/default/key-buckets/main/verify-key";

const metricsToken = "metrics-token-of-the-tests-91c3";

/** A connection for each request, so that the kernel distributes requests among the workers. */
const ownConnection = { connection: "close" };

eachEngine((engine) => {
  describe("with two workers", () => {
    const server = useServer(engine, {
      workers: 2,
      environment: { TOLLGATE_METRICS_TOKEN: metricsToken, TOLLGATE_TRUSTED_PROXIES: "loopback" },
    });
    const { client } = server;
    /** Responses that wait until the gate opens. */
    let gate = Promise.withResolvers<void>();
    const upstream = Bun.serve({
      idleTimeout: 0,
      port: 0,
      hostname: "127.0.0.1",
      fetch: async ({ url, headers }) => {
        if (url.endsWith("/slow")) await gate.promise;
        return Response.json({ for: headers.get("x-forwarded-for") });
      },
    });
    let deployed: Deployed;
    let bucket: string;
    let subscription: { id: string };
    let plan: { id: string; planExternalId: string };

    const files = (version: string) => ({
      "openapi.json": openApi({
        "/open": { "x-tollgate": { policies: ["version"] } },
        "/metered": { "x-tollgate": { policies: ["key", "quota"] } },
        "/limited": { "x-tollgate": { policies: ["key", "limit"] } },
        "/slow": { "x-tollgate": { policies: ["key", "two"] } },
        "/counted": { "x-tollgate": { policies: ["key", "limit", "quota", "two"] } },
      }),
      "tollgate.json": {
        upstream: upstream.url.origin,
        policies: {
          version: { type: "headers", options: { response: { set: { "x-version": version } } } },
          key: { type: "api-key", options: { bucket: "main" } },
          quota: { type: "quota", options: { bucketId: bucket.split("/").at(-1), meters: { requests: 1 } } },
          limit: { type: "rate-limit", options: { requests: 7, windowSeconds: 3600 } },
          two: { type: "concurrency", options: { by: "consumer", requests: 2 } },
        },
      },
    });

    async function newKey(name: string, rules: object = {}): Promise<{ key: string; path: string }> {
      const created = await client.post(consumers, { name });
      expect(created.status).toBe(200);
      const { body } = await client.post(`${consumers}/${name}/keys?key-format=visible`, rules);
      return { key: body.key, path: `${consumers}/${name}/keys/${body.id}` };
    }

    const call = (path: string, key?: string) =>
      deployed.call(path, { headers: { ...ownConnection, ...(key && { authorization: `Bearer ${key}` }) } });

    /** The statuses of so many requests at once, with their counts. */
    async function statusesOf(count: number, request: () => Promise<Response>): Promise<Record<number, number>> {
      const statuses = await Promise.all(
        Array.from({ length: count }, async () => {
          const response = await request();
          await response.arrayBuffer();
          return response.status;
        }),
      );
      return Object.fromEntries(
        Map.groupBy(statuses, (status) => status)
          .entries()
          .map(([status, all]) => [status, all.length]),
      );
    }

    const verify = async (key: string) => {
      const { body } = await client.post(verifyPath, { key }, ownConnection);
      return body.valid ? "valid" : body.code;
    };

    beforeAll(async () => {
      expect(
        (await client.post("/v1/accounts/default/key-buckets", { name: "main", isRetrievable: true })).status,
      ).toBe(200);
      bucket = await newMeteringBucket(client);
      plan = await createPlan(client, bucket, { meters: { requests: { max: 10 } } });
      deployed = await deploy(server, { project: "shop", branch: "main" }, files("1"));
    });
    afterAll(() => upstream.stop(true));

    test("a quota is used up exactly, and written", async () => {
      const { key } = await newKey("metered");
      subscription = await subscribe(client, bucket, [plan], { customerKey: "metered" });
      expect(await statusesOf(40, () => call("/metered", key))).toEqual({ 200: 10, 429: 30 });
      await server.catchUp();
      const usage = await client.get(`${bucket}/subscriptions/${subscription.id}/usage`);
      expect(usage.body.meters.requests.used).toBe(10);
    });

    test("a quota that the API consumes and a quota that deployments consume are the same", async () => {
      const { key } = await newKey("both");
      const { id } = await subscribe(client, bucket, [plan], { customerKey: "both" });
      expect(await statusesOf(6, () => call("/metered", key))).toEqual({ 200: 6 });
      const consume = (requests: number) =>
        client.post(`${bucket}/subscriptions/${id}/quotas/consume`, { meters: { requests } });
      expect((await consume(5)).body.allowed).toBe(false);
      expect((await consume(4)).body.allowed).toBe(true);
      expect((await call("/metered", key)).status).toBe(429);
    });

    test("a key bucket of the customers is seen at once, also by a worker that has a lease", async () => {
      const { key } = await newKey("elsewhere");
      await subscribe(client, bucket, [plan], { customerKey: "elsewhere" });
      expect(await statusesOf(4, () => call("/metered", key))).toEqual({ 200: 4 });
      expect((await client.patch(bucket, { keyBucket: "another" })).status).toBe(200);
      expect(await statusesOf(4, () => call("/metered", key))).toEqual({ 403: 4 });
      await client.patch(bucket, { keyBucket: null });
      expect(await statusesOf(8, () => call("/metered", key))).toEqual({ 200: 6, 429: 2 });
    });

    test("rejections have the same reasons as without workers", async () => {
      const { key } = await newKey("nobody");
      const response = await call("/metered", key);
      expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([403, "no_subscription"]);
    });

    test("rate limits and limits of keys are never exceeded, and never reject too early", async () => {
      const { key } = await newKey("limited");
      expect(await statusesOf(30, () => call("/limited", key))).toEqual({ 200: 7, 429: 23 });
      const own = await newKey("own-limit", { rateLimit: { requests: 5, windowSeconds: 3600 } });
      const results = await Promise.all(Array.from({ length: 20 }, () => verify(own.key)));
      expect(results.filter((result) => result === "valid")).toHaveLength(5);
      expect(results.filter((result) => result === "rate_limited")).toHaveLength(15);
    });

    test("concurrency counts requests of all workers until they end", async () => {
      const { key } = await newKey("busy");
      const statuses: number[] = [];
      const waiting = Promise.all(
        Array.from({ length: 10 }, async () => statuses.push((await call("/slow", key)).status)),
      );
      await until(async () => statuses.length === 8);
      gate.resolve();
      await waiting;
      expect(Map.groupBy(statuses, (status) => status).get(200)).toHaveLength(2);
      gate = Promise.withResolvers<void>();
      gate.resolve();
      await until(async () => (await call("/slow", key)).status === 200);
    });

    test("a worker without leases asks for all policies in one message", async () => {
      const { key } = await newKey("once");
      const { id } = await subscribe(client, bucket, [plan], { customerKey: "once" });
      const events: string[] = [];
      const { ask } = PrimaryLink.prototype;
      const spy = spyOn(PrimaryLink.prototype, "ask").mockImplementation(function (this: PrimaryLink, message) {
        events.push(`ask ${message[0]}`);
        const response = ask.call(this, message);
        void response.then(() => events.push(`response ${message[0]}`));
        return response;
      });
      const statuses: number[] = [];
      // The seventh request is the last of the limit, which comes first: the others take nothing of the quota.
      for (let index = 0; index < 9; index++) statuses.push((await call("/counted", key)).status);
      spy.mockRestore();
      expect(statuses).toEqual([...Array.from({ length: 7 }, () => 200), 429, 429]);
      expect(events.slice(0, 3)).toEqual(["ask limit", "ask hold", "ask begin"]);
      await server.catchUp();
      const usage = await client.get(`${bucket}/subscriptions/${id}/usage`);
      expect(usage.body.meters.requests.used).toBe(7);
      gate.resolve();
      // Nothing is left in progress.
      await until(async () => (await call("/slow", key)).status === 200);
    });

    test("a successful write is in effect for every next request, whichever worker gets it", async () => {
      for (let round = 0; round < 5; round++) {
        const { key, path } = await newKey(`revoked-${round}`);
        const before = await Promise.all(Array.from({ length: 8 }, () => verify(key)));
        expect(new Set(before)).toEqual(new Set(["valid"]));
        expect((await client.delete(path)).status).toBe(204);
        const after = await Promise.all(Array.from({ length: 8 }, () => verify(key)));
        expect(after).not.toContain("valid");
      }
    });

    test("a deployment switches all workers before it is reported", async () => {
      for (const version of ["2", "3"]) {
        await deploy(server, { project: "shop", branch: "main" }, files(version));
        const versions = await Promise.all(
          Array.from({ length: 12 }, async () => (await call("/open")).headers.get("x-version")),
        );
        expect(new Set(versions)).toEqual(new Set([version]));
      }
    });

    test("every worker serves, and metrics are those of the machine", async () => {
      const count = async () => {
        const headers = { authorization: `Bearer ${metricsToken}` };
        const text = await (await fetch(`${server.url}/metrics`, { headers })).text();
        return Number(/^tollgate_requests_total\{operation="verifyKey",status="200"\} (\d+)$/m.exec(text)?.[1] ?? 0);
      };
      const { key } = await newKey("counted");
      const before = await count();
      await Promise.all(Array.from({ length: 30 }, () => verify(key)));
      expect(await count()).toBe(before + 30);
    });

    test("records of requests, analytics and last uses of keys reach storage", async () => {
      const { key, path } = await newKey("recorded");
      expect(await statusesOf(5, () => call("/limited", key))).toEqual({ 200: 5 });
      await server.catchUp();
      const { body } = await client.get("/v1/accounts/default/requests?consumer=recorded");
      expect(body.data).toHaveLength(5);
      expect((await client.get(path)).body.lastUsedOn).not.toBeNull();
      const analytics = await client.get("/v1/accounts/default/analytics?consumer=recorded");
      expect(analytics.status).toBe(200);
      expect(JSON.stringify(analytics.body)).toContain('"requests":5');
    });

    test("the primary sees the client's address, and headers of the connection cannot forge it", async () => {
      const response = await client.post(
        "/v1/accounts/default/key-buckets",
        { name: "from-elsewhere", isRetrievable: true },
        { "x-forwarded-for": "203.0.113.9" },
      );
      expect(response.status).toBe(200);
      await server.catchUp();
      const { body } = await client.get("/v1/accounts/default/audit-log?limit=5");
      const entry = body.data.find((each: { action: string }) => each.action === "bucket.created");
      expect(entry.ip ?? entry.context?.ip ?? JSON.stringify(entry)).toContain("203.0.113.9");
    });

    test("/v1/system adds up the workers", async () => {
      const operator = client.as(operatorToken);
      const lookups = async () => {
        const { caches } = (await operator.get("/v1/system")).body as { caches: Record<string, number | string>[] };
        const { hits, misses } = caches.find(({ name }) => name === "keys") as { hits: number; misses: number };
        return hits + misses;
      };
      const { key } = await newKey("looked-up");
      const before = await lookups();
      await Promise.all(Array.from({ length: 20 }, () => verify(key)));
      expect(await lookups()).toBe(before + 20);
    });

    test("requests of every worker are recorded, each once", async () => {
      const called = await Promise.all(Array.from({ length: 12 }, () => call("/open")));
      await server.catchUp();
      const ids = called.map(({ headers }) => headers.get("x-request-id"));
      const { body } = await client.get("/v1/accounts/default/requests?limit=100");
      const recorded = (body.data as { id: string; requestId?: string }[]).map(({ id, requestId }) => requestId ?? id);
      expect(recorded.filter((id) => ids.includes(id)).sort()).toEqual([...ids].sort() as string[]);
    });

    test("connections are limited for the machine", async () => {
      const limited = await startServer(engine, { workers: 2, environment: { TOLLGATE_MAX_CONNECTIONS: "6" } });
      const { hostname, port } = new URL(limited.url);
      const head = `POST ${verifyPath} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n`;
      const busy = await Promise.all(
        Array.from({ length: 6 }, () =>
          Bun.connect({
            hostname,
            port: Number(port),
            socket: { open: (socket) => void socket.write(head), data: () => {} },
          }),
        ),
      );
      const status = async () => (await fetch(`${limited.url}/v1/accounts`, { headers: ownConnection })).status;
      // Each worker has less than six.
      await until(async () => (await status()) === 503);
      for (const socket of busy) socket.end();
      await until(async () => (await status()) === 401);
      await limited.stop();
    });

    test("failed credentials are limited for the machine", async () => {
      const attempt = () =>
        fetch(server.url + verifyPath, {
          method: "POST",
          headers: { ...ownConnection, authorization: "Bearer wrong", "x-forwarded-for": "203.0.113.77" },
          body: "{}",
        });
      expect(await statusesOf(110, attempt)).toEqual({ 401: 100, 429: 10 });
    });
  });
});
