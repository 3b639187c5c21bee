import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eachEngine } from "./support/engines.ts";
import { createPlan, newMeteringBucket, subscribe } from "./support/metering.ts";
import { type Deployed, deploy, openApi } from "./support/project.ts";
import { useServer } from "./support/server.ts";

const consumers = "/v1/accounts/default/key-buckets/main/consumers";
const verifyPath = "/v1/accounts/default/key-buckets/main/verify-key";

/** A connection for each request, so that the kernel distributes requests among the workers. */
const ownConnection = { connection: "close" };

eachEngine((engine) => {
  describe("frequent customers of two workers", () => {
    const server = useServer(engine, { workers: 2 });
    const { client } = server;
    const upstream = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("") });
    let deployed: Deployed;
    let bucket: string;

    const files = () => ({
      "openapi.json": openApi({
        "/metered": { "x-tollgate": { policies: ["key", "quota"] } },
        "/both": { "x-tollgate": { policies: ["key", "limit", "quota"] } },
        "/sliding": { "x-tollgate": { policies: ["key", "sliding"] } },
      }),
      "tollgate.json": {
        upstream: upstream.url.origin,
        policies: {
          key: { type: "api-key", options: { bucket: "main" } },
          quota: { type: "quota", options: { bucketId: bucket.split("/").at(-1), meters: { requests: 1 } } },
          limit: { type: "rate-limit", options: { requests: 300, windowSeconds: 3600 } },
          sliding: { type: "rate-limit", options: { requests: 200, windowSeconds: 3600, window: "sliding" } },
        },
      },
    });

    async function newKey(name: string, max: number, rules: object = {}) {
      expect((await client.post(consumers, { name })).status).toBe(200);
      const { body } = await client.post(`${consumers}/${name}/keys?key-format=visible`, rules);
      const plan = await createPlan(client, bucket, { meters: { requests: { max } } });
      const subscription = await subscribe(client, bucket, [plan], { customerKey: name });
      return { key: body.key as string, plan, subscription: `${bucket}/subscriptions/${subscription.id}` };
    }

    /** The number of requests by status, of so many at a time. */
    async function statuses(path: string, key: string, ...rounds: number[]): Promise<Record<number, number>> {
      const counts: Record<number, number> = {};
      const headers = { ...ownConnection, authorization: `Bearer ${key}` };
      const send = async () => {
        const response = await deployed.call(path, { headers });
        await response.arrayBuffer();
        counts[response.status] = (counts[response.status] ?? 0) + 1;
      };
      for (const count of rounds) await Promise.all(Array.from({ length: count }, send));
      return counts;
    }

    beforeAll(async () => {
      const created = await client.post("/v1/accounts/default/key-buckets", { name: "main", isRetrievable: true });
      expect(created.status).toBe(200);
      bucket = await newMeteringBucket(client);
      deployed = await deploy(server, { project: "shop", branch: "main" }, files());
    });
    afterAll(() => upstream.stop(true));

    test("a quota and a limit are used up exactly, and unused leases are not in the way of the API", async () => {
      const { key, subscription } = await newKey("frequent", 400);
      // What the limit rejects does not count in the quota.
      expect(await statuses("/both", key, 100, 100, 100, 100)).toEqual({ 200: 300, 429: 100 });
      expect(await statuses("/metered", key, 50)).toEqual({ 200: 50 });
      const consume = (requests: number) => client.post(`${subscription}/quotas/consume`, { meters: { requests } });
      expect((await consume(51)).body.allowed).toBe(false);
      expect((await consume(50)).body.allowed).toBe(true);
      expect(await statuses("/metered", key, 1)).toEqual({ 429: 1 });
      await server.catchUp();
      expect((await client.get(`${subscription}/usage`)).body.meters.requests.used).toBe(400);
    });

    test("a lowered quota is in effect for every next request", async () => {
      const { key, plan } = await newKey("lowered", 1000);
      expect(await statuses("/metered", key, 100, 50)).toEqual({ 200: 150 });
      const lowered = await client.patch(`${bucket}/plans/${plan.id}`, { meters: { requests: { max: 160 } } });
      expect(lowered.status).toBe(200);
      expect(await statuses("/metered", key, 60)).toEqual({ 200: 10, 429: 50 });
    });

    test("a sliding limit is used up exactly", async () => {
      const { key } = await newKey("sliding", 1);
      expect(await statuses("/sliding", key, 80, 80, 80)).toEqual({ 200: 200, 429: 40 });
    });

    test("the limit of a key is used up exactly", async () => {
      const { key } = await newKey("verified", 1, { rateLimit: { requests: 150, windowSeconds: 3600 } });
      const results: unknown[] = [];
      const verify = async () => {
        const { body } = await client.post(verifyPath, { key }, ownConnection);
        results.push(body.valid ? "valid" : body.code);
      };
      for (let round = 0; round < 3; round++) await Promise.all(Array.from({ length: 70 }, verify));
      expect(results.filter((result) => result === "valid")).toHaveLength(150);
      expect(results.filter((result) => result === "rate_limited")).toHaveLength(60);
    });
  });
});
