import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { eachEngine } from "../../../../test/support/engines.ts";
import { createPlan, newMeteringBucket, subscribe } from "../../../../test/support/metering.ts";
import { type Deployed, deploy, openApi } from "../../../../test/support/project.ts";
import { useServer } from "../../../../test/support/server.ts";
import { account } from "../../../../test/support/server-settings.ts";
import { TestTarget } from "../../../../test/support/target.ts";

eachEngine((engine) => {
  let targets: TestTarget[];
  // Before the server starts, whose deployment names their addresses.
  beforeAll(async () => {
    targets = await Promise.all(["a", "b"].map((name) => TestTarget.start(name)));
  });
  afterAll(() => Promise.all(targets.map((target) => target.stop())));
  afterEach(() => {
    for (const target of targets) target.treatment = 200;
  });

  const server = useServer(engine);
  const { client } = server;
  let deployed: Deployed;
  let bucket: string;
  let count = 0;

  beforeAll(async () => {
    bucket = await newMeteringBucket(client);
    const bucketId = bucket.split("/").at(-1);
    const metered = { "x-tollgate": { policies: ["key", "requests", "tokens"] } };
    deployed = await deploy(
      server,
      { project: "retries", branch: "main" },
      {
        "openapi.json": openApi({ "/get": metered, "post /post": metered }),
        "tollgate.json": {
          upstream: {
            targets: targets.map(({ url }) => ({ url })),
            balance: "round-robin",
            retries: { attempts: 2, on: ["connect", "reset", "503"], methods: ["GET", "POST"] },
          },
          policies: {
            key: { type: "api-key", options: { bucket: "main" } },
            requests: { type: "quota", options: { bucketId, meters: { requests: 1 }, statuses: ["2xx"] } },
            tokens: {
              type: "usage",
              options: {
                bucketId,
                meters: { tokens: { header: "x-tokens", default: 5 } },
                reserve: { tokens: { amount: 20 } },
                statuses: ["2xx"],
              },
            },
          },
        },
      },
    );
  });

  async function customer() {
    const name = `customer-${++count}`;
    const created = await client.post(`/v1/accounts/${account}/key-buckets/main/consumers?with-api-key=true`, { name });
    const authorization = `Bearer ${created.body.apiKeys[0].key}`;
    // Enough for four requests, if each is metered once.
    const meters = { requests: { max: 4 }, tokens: { max: 35 } };
    const plan = await createPlan(client, bucket, { planExternalId: name, meters });
    const subscription = await subscribe(client, bucket, [plan], { customerKey: name, subscriptionExternalId: name });
    const send = async (path: string, init: RequestInit = {}) => {
      const response = await deployed.call(path, { ...init, headers: { authorization } });
      await response.text();
      return response.status;
    };
    const used = async () => {
      await server.catchUp();
      const { meters } = (await client.get(`${bucket}/subscriptions/${subscription.id}/usage`)).body;
      return [meters.requests.used, meters.tokens.used];
    };
    return { name, send, used };
  }

  test.each([
    ["503", 503],
    ["reset", "reset"],
  ] as const)("a request whose first target fails with %s is metered once", async (_, treatment) => {
    const { name, send, used } = await customer();
    targets[0]!.treatment = treatment;
    const before = targets.map(({ requests }) => requests.length);
    for (const [path, init] of [
      ["/get", {}],
      ["/post", { method: "POST", body: "order" }],
    ] as const)
      for (let round = 0; round < 2; round++) expect(await send(path, init)).toBe(200);
    const received = targets.map(({ requests }, index) => requests.length - before[index]!);
    expect(received[0]).toBeGreaterThan(0);
    expect(received[1]).toBe(4);
    expect(await used()).toEqual([4, 20]);
    const { body } = await client.get(`/v1/accounts/${account}/requests?consumer=${name}`);
    expect(body.data).toHaveLength(4);
  });

  test("a request that fails at both targets is not metered, and reserves nothing afterwards", async () => {
    const { send, used } = await customer();
    for (const target of targets) target.treatment = 503;
    for (let round = 0; round < 3; round++) expect(await send("/get")).toBe(503);
    expect(await used()).toEqual([0, 0]);
    for (const target of targets) target.treatment = 200;
    expect(await send("/get")).toBe(200);
    expect(await used()).toEqual([1, 5]);
  });
});
