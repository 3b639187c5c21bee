import { afterAll, beforeAll, expect, test } from "bun:test";
import { eachEngine } from "../support/engines.ts";
import { exampleProject } from "../support/example-project.ts";
import { deploy } from "../support/project.ts";
import { useServer } from "../support/server.ts";
import { TestTarget } from "../support/target.ts";

eachEngine((engine) => {
  let targets: TestTarget[];
  beforeAll(async () => {
    targets = await Promise.all(["one", "two", "three", "four"].map((name) => TestTarget.start(name)));
  });
  afterAll(() => Promise.all(targets.map((target) => target.stop())));
  const server = useServer(engine);

  test("the REST API with two upstreams survives one of its machines", async () => {
    const replacements = Object.fromEntries(targets.map(({ url }, at) => [`http://127.0.0.1:900${at + 1}`, url]));
    const files = await exampleProject("two-upstreams", replacements);
    const { call, name } = await deploy(server, { project: "shop", branch: "main" }, files);
    const consumer = { name: "acme", apiKeys: [{}] };
    const created = await server.client.post("/v1/accounts/default/key-buckets/main/consumers", consumer);
    const headers = { authorization: `Bearer ${created.body.apiKeys[0].key}`, "x-customer": "7" };
    const send = async (path: string) => (await call(path, { headers })).text();
    expect((await call("/orders", {})).status).toBe(401);

    const [one, two] = targets;
    const orders = new Set(await Promise.all(Array.from({ length: 12 }, () => send("/orders"))));
    expect(orders).toEqual(new Set(["one", "two"]));
    const products = new Set(await Promise.all(Array.from({ length: 12 }, (_, id) => send(`/products/${id}`))));
    expect(products.size).toBe(1);

    await one!.kill();
    const left = new Set(await Promise.all(Array.from({ length: 12 }, () => send("/orders"))));
    await one!.revive();
    expect(left).toEqual(new Set([two!.name]));

    const { body } = await server.client.get(`/v1/deployments/${name}/upstreams`);
    expect(body.data).toMatchObject([
      {
        balance: "least-requests",
        hasHealthChecks: true,
        hasRetries: true,
        maxConnections: 100,
        routes: 5,
        targets: [{ url: one!.url, weight: 2 }, { url: two!.url }],
      },
      { balance: "hash", hashBy: "header:x-customer", routes: 1, targets: [{ state: "unchecked" }, {}] },
    ]);
  });
});
