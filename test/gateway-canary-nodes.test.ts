import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type CanaryScene, putTraffic, useCanaryUpstream, weights } from "./support/canary-scene.ts";
import { type Database, type Engine, postgres } from "./support/engines.ts";
import { PostgresProxy } from "./support/postgres-proxy.ts";
import { callHost } from "./support/project.ts";
import { startServer, type TestServer } from "./support/server.ts";
import { account } from "./support/server-settings.ts";
import { until } from "./support/until.ts";

const { broken, newCanaryScene } = useCanaryUpstream();

describe("two nodes on one database", () => {
  let database: Database;
  let proxy: PostgresProxy;
  let nodes: TestServer[];

  beforeAll(async () => {
    database = await (postgres as Engine).migratedDatabase();
    nodes = [await startServer(postgres, { database })];
    proxy = await PostgresProxy.start(database.environment.DATABASE_URL!);
    const environment = { DATABASE_URL: proxy.url };
    nodes.push(await startServer(postgres, { database, environment, clock: nodes[0]!.clock }));
  });
  afterAll(async () => {
    for (const node of nodes) await node.stop();
    await proxy.stop();
    await database.drop();
  });

  const callOn = async (node: TestServer, { deployed }: CanaryScene, key = "none") => {
    const headers = { authorization: `Bearer ${key}` };
    return (await callHost(node.url, new URL(deployed.url).hostname, "/forwarded", { headers })).text();
  };

  test("nodes assign clients to the same version without communication", async () => {
    const [one, other] = nodes as [TestServer, TestServer];
    const scene = await newCanaryScene(one);
    await callOn(other, scene);
    await putTraffic(one.client, scene, { splits: weights(1, 1), stickyBy: "credential" });
    const keys = Array.from({ length: 30 }, (_, at) => `key-${at}`);
    const assignedBy = (node: TestServer) => Promise.all(keys.map((key) => callOn(node, scene, key)));
    const assigned = await assignedBy(one);
    expect(new Set(assigned).size).toBe(2);
    await until(async () => Bun.deepEquals(await assignedBy(other), assigned));
  });

  test("nodes add up their counts, and one of them aborts for all, once", async () => {
    const [one, other] = nodes as [TestServer, TestServer];
    const scene = await newCanaryScene(one);
    await callOn(other, scene);
    await putTraffic(one.client, scene, { splits: weights(0, 1), abort: { errorShare: 0.5, minimumRequests: 60 } });
    await until(async () => (await callOn(other, scene)).endsWith("v2"));
    broken.add(`${scene.name}-v2`);
    await Promise.all(nodes.map((node) => node.runTasks()));
    one.clock.advance(61_000);
    // A node serves the canary until it knows of the abort, and those requests count too.
    let failed = 0;
    const isCanary = async (node: TestServer) => {
      const isServed = (await callOn(node, scene)).endsWith("v2");
      if (isServed) failed++;
      return isServed;
    };
    // Neither node alone has enough requests.
    for (const node of nodes) for (let at = 0; at < 40; at++) await isCanary(node);
    await until(async () => {
      await Promise.all(nodes.map((node) => node.runTasks()));
      return (await one.client.get(scene.traffic)).body.lastCanary;
    });
    for (const node of nodes) await until(async () => !(await isCanary(node)));
    await Promise.all(nodes.map((node) => node.runTasks()));
    const { body } = await one.client.get(scene.traffic);
    expect(failed).toBeGreaterThanOrEqual(60);
    expect(body.lastCanary).toMatchObject({ outcome: "aborted", counts: { errors: failed } });
    const { data } = (await one.client.get(`/v1/accounts/${account}/audit-log?resource=${scene.deployed.name}`)).body;
    expect(data.filter(({ action }: { action: string }) => action === "deployment.canary_aborted")).toHaveLength(1);
  });

  test("a node without storage serves the split that it knows, and follows an abort when it is back", async () => {
    const [one, other] = nodes as [TestServer, TestServer];
    const scene = await newCanaryScene(one);
    await callOn(other, scene);
    await putTraffic(one.client, scene, { splits: weights(0, 1), abort: { errorShare: 0.5, minimumRequests: 10 } });
    await until(async () => (await callOn(other, scene)).endsWith("v2"));
    proxy.faultOf = () => ({ kind: "drop" });
    await until(async () => (await other.client.get("/v1/accounts")).status === 503);

    broken.add(`${scene.name}-v2`);
    for (let at = 0; at < 10; at++) await callOn(one, scene);
    await one.runTasks();
    expect((await one.client.get(scene.traffic)).body.lastCanary).toMatchObject({ outcome: "aborted" });
    expect(await callOn(one, scene)).toBe(`${scene.name}-v1`);
    expect(await callOn(other, scene)).toBe(`${scene.name}-v2`);

    proxy.clearFaults();
    await until(async () => (await callOn(other, scene)).endsWith("v1"));
  });
});
