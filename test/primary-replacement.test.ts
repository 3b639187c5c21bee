import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { newBucketPath } from "./support/bucket-path.ts";
import { childrenOf } from "./support/child-processes.ts";
import { eachEngine } from "./support/engines.ts";
import { createPlan, newMeteringBucket, subscribe } from "./support/metering.ts";
import { type Deployed, deploy, openApi } from "./support/project.ts";
import { type SpawnedServer, spawnServer } from "./support/spawned-server.ts";
import { until } from "./support/until.ts";

eachEngine((engine) => {
  describe("a primary that replaces a killed one", () => {
    let server: SpawnedServer;
    let deployed: Deployed;
    let key: string;
    let subscription: string;
    let isUpstreamCalled = false;
    const response = Promise.withResolvers<Response>();
    const upstream = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => {
        isUpstreamCalled = true;
        return response.promise;
      },
    });

    beforeAll(async () => {
      server = await spawnServer(engine, { environment: { TOLLGATE_WORKERS: "1" } });
      const { client } = server;
      const keys = newBucketPath();
      await client.post(`${keys}/consumers`, { name: "busy" });
      key = (await client.post(`${keys}/consumers/busy/keys?key-format=visible`, {})).body.key;
      const bucket = await newMeteringBucket(client);
      const plan = await createPlan(client, bucket, { meters: { requests: { max: 100 } } });
      const { id } = await subscribe(client, bucket, [plan], { customerKey: "busy" });
      subscription = `${bucket}/subscriptions/${id}`;
      deployed = await deploy(
        server,
        { project: "shop", branch: "main" },
        {
          "openapi.json": openApi({ "/slow": { "x-tollgate": { policies: ["key", "quota"] } } }),
          "tollgate.json": {
            upstream: upstream.url.origin,
            policies: {
              key: { type: "api-key", options: { bucket: keys.split("/").at(-1) } },
              quota: { type: "quota", options: { bucketId: bucket.split("/").at(-1), meters: { requests: 3 } } },
            },
          },
        },
      );
    }, 120_000);
    afterAll(async () => {
      response.resolve(new Response());
      await server.stop();
      upstream.stop(true);
    });

    test("counts requests in progress, also of a subscription that has ended meanwhile", async () => {
      const called = deployed.call("/slow", { headers: { authorization: `Bearer ${key}` } });
      await until(() => isUpstreamCalled);
      expect((await server.client.patch(subscription, { status: "canceled" })).status).toBe(200);
      const [killed] = childrenOf(server.processId, "primary-process");
      process.kill(killed!, "SIGKILL");
      await until(() => server.log.filter(({ msg }) => msg === "listening").length === 2);
      // The next primary has the state of the worker when it serves a request that the worker forwards.
      await until(async () => (await server.client.get(subscription)).status === 200);
      response.resolve(new Response("served"));
      expect(await (await called).text()).toBe("served");
      const used = async () => (await server.client.get(`${subscription}/usage`)).body.meters.requests.used;
      await until(async () => (await used()) > 0);
      expect(await used()).toBe(3);
    }, 60_000);
  });
});
