import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { newBucketPath } from "./support/bucket-path.ts";
import { childrenOf } from "./support/child-processes.ts";
import { type Database, eachEngine } from "./support/engines.ts";
import { createPlan, newMeteringBucket, type PlanNames, subscribe } from "./support/metering.ts";
import { type Deployed, deploy, openApi } from "./support/project.ts";
import { type SpawnedServer, spawnServer } from "./support/spawned-server.ts";
import { tableContent } from "./support/table-content.ts";
import { until } from "./support/until.ts";

eachEngine((engine) => {
  describe("requests in progress of a server with a worker", () => {
    let database: Database;
    let server: SpawnedServer;
    let deployed: Deployed;
    let keys: string;
    let bucket: string;
    let plan: PlanNames;
    /** The requests that wait for a response. */
    const waiting: ((text: string) => void)[] = [];
    const upstream = Bun.serve({
      idleTimeout: 0,
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => new Promise<Response>((resolve) => waiting.push((text) => resolve(new Response(text)))),
    });

    beforeAll(async () => {
      database = await engine.migratedDatabase();
      server = await spawnServer(engine, { database, environment: { TOLLGATE_WORKERS: "1" } });
      const { client } = server;
      keys = newBucketPath();
      bucket = await newMeteringBucket(client);
      plan = await createPlan(client, bucket, { meters: { requests: { max: 100 } } });
      deployed = await deploy(
        server,
        { project: "shop", branch: "main" },
        {
          "openapi.json": openApi({
            "/slow": { "x-tollgate": { policies: ["key", "quota"] } },
            "POST /code": { "x-tollgate": { handler: "modules/code.ts" } },
          }),
          "tollgate.json": {
            upstream: upstream.url.origin,
            policies: {
              key: { type: "api-key", options: { bucket: keys.split("/").at(-1) } },
              quota: { type: "quota", options: { bucketId: bucket.split("/").at(-1), meters: { requests: 3 } } },
            },
          },
          "modules/code.ts": "export default async (request) => new Response(request.body);",
        },
      );
    });
    afterAll(async () => {
      for (const respond of waiting) respond("");
      await server.stop();
      await database.drop();
      upstream.stop(true);
    });

    /** Begins a request of a new customer, and returns its response and the path of the subscription. */
    async function begin(customer: string): Promise<{ called: Promise<Response>; subscription: string }> {
      const { client } = server;
      await client.post(`${keys}/consumers`, { name: customer });
      const { key } = (await client.post(`${keys}/consumers/${customer}/keys?key-format=visible`, {})).body;
      const { id } = await subscribe(client, bucket, [plan], { customerKey: customer });
      const called = deployed.call("/slow", { headers: { authorization: `Bearer ${key}` } });
      await until(() => waiting.length === 1);
      return { called, subscription: `${bucket}/subscriptions/${id}` };
    }

    const logged = (message: string) => server.log.filter(({ msg }) => msg === message);

    test("are counted by the next primary, also if their subscription has ended meanwhile", async () => {
      const { called, subscription } = await begin("ended");
      expect((await server.client.patch(subscription, { status: "canceled" })).status).toBe(200);
      const [killed] = childrenOf(server.processId, "primary-process");
      process.kill(killed!, "SIGKILL");
      await until(() => logged("listening").length === 2);
      await until(async () => (await server.client.get(subscription)).status === 200);
      waiting.pop()!("served");
      expect(await (await called).text()).toBe("served");
      const used = async () => (await server.client.get(`${subscription}/usage`)).body.meters.requests.used;
      await until(async () => (await used()) > 0);
      expect(await used()).toBe(3);
    });

    test("are finished and counted if the supervisor is killed", async () => {
      const { called } = await begin("finished");
      const body = new TransformStream<Uint8Array, Uint8Array>();
      const writer = body.writable.getWriter();
      void writer.write(Buffer.from("first "));
      const code = await deployed.call("/code", { method: "POST", body: body.readable });
      const reader = code.body!.getReader();
      expect(Buffer.from((await reader.read()).value!).toString()).toBe("first ");
      const before = await tableContent(database, "usage_counters");
      process.kill(server.processId, "SIGKILL");
      await until(() => logged("the supervisor has ended, so the process stops").length === 3);
      waiting.pop()!("served");
      expect(await (await called).text()).toBe("served");
      await writer.write(Buffer.from("last"));
      await writer.close();
      expect(Buffer.from((await reader.read()).value!).toString()).toBe("last");
      await server.exited;
      expect(await tableContent(database, "usage_counters")).toHaveLength(before.length + 1);
    });
  });
});
