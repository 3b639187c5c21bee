import type { Client } from "./client.ts";
import { createPlan, newMeteringBucket, subscribe } from "./metering.ts";
import { type Deployed, deploy, openApi } from "./project.ts";
import type { TestServer } from "./server.ts";
import { account } from "./server-settings.ts";
import { until } from "./until.ts";

const hour = 3_600_000;
const consumers = `/v1/accounts/${account}/key-buckets/main/consumers`;

/** The resources of a busy account. */
export interface BusyAccount {
  deployed: Deployed;
  /** The path of the metering bucket. */
  metering: string;
  subscriptionId: string;
  requests: number;
  /** When requests of acme failed. */
  failedOn: number[];
  stop(): Promise<void>;
}

const project = (upstream: string, paths: string[]) => ({
  "tollgate.json": {
    policies: { keys: { type: "api-key", options: { bucket: "main" } }, limit: rateLimit },
  },
  "openapi.json": openApi(
    Object.fromEntries(paths.map((path) => [path, { "x-tollgate": { policies: ["keys", "limit"] } }])),
    { "x-tollgate": { upstream } },
  ),
});
const rateLimit = { type: "rate-limit", options: { by: "consumer", requests: 1000, windowSeconds: 60 } };

/**
 * Two days of a small business that end now: two versions of a gateway, three consumers with keys, one of them near its
 * limit, rejections and errors.
 */
export async function fillAccount(server: TestServer): Promise<BusyAccount> {
  const { client, clock } = server;
  const upstream = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ url }) => new Response("{}", { status: url.endsWith("?fail") ? 500 : 200 }),
  });
  // In the middle of the last hour: no request leaves a chart of it during a test.
  const end = Date.now() - hour / 2;
  clock.set(new Date(end - 40 * hour).toISOString());
  const place = { project: "orders", branch: "main" };
  let deployed = await deploy(server, place, project(upstream.url.origin, ["/orders"]));
  const keys = await createConsumers(client, clock.iso(50 * hour));
  const metering = await newMeteringBucket(client);
  const plan = await createPlan(client, metering, { meters: { requests: { label: "Requests", max: 1000 } } });
  const subscription = await subscribe(client, metering, [plan], { customerKey: "acme" });

  let requests = 0;
  const failedOn: number[] = [];
  for (let index = 0; index <= 8; index++) {
    clock.set(new Date(end - (40 - index * 5) * hour).toISOString());
    if (index === 5) deployed = await deploy(server, place, project(upstream.url.origin, ["/orders", "/invoices"]));
    const send = async (path: string, key?: string) => {
      requests += 1;
      await (await deployed.call(path, key ? { headers: { authorization: `Bearer ${key}` } } : {})).arrayBuffer();
    };
    for (const [at, key] of keys.entries())
      for (let count = 0; count < 6 - 2 * at + (index % 3); count++) await send("/orders", key);
    await send("/orders");
    if (index > 5) await send("/invoices", keys[0]);
    if (index % 4 === 3) {
      failedOn.push(clock.now());
      await send("/orders?fail", keys[0]);
    }
    await sendUsage(client, metering, `step-${index}`, clock.iso());
    await counted(server, requests);
  }
  clock.set(new Date().toISOString());
  return {
    deployed,
    metering,
    subscriptionId: subscription.id,
    requests,
    failedOn,
    stop: () => upstream.stop(true),
  };
}

async function createConsumers(client: Client, expiresOn: string): Promise<string[]> {
  const keys: string[] = [];
  for (const name of ["acme", "globex", "initech"]) {
    const { body } = await client.post(consumers, { name, tags: { plan: "gold" }, apiKeys: [{ expiresOn }] });
    keys.push(body.apiKeys[0].key);
  }
  return keys;
}

async function sendUsage(client: Client, metering: string, id: string, time: string): Promise<void> {
  const event = { specversion: "1.0", id, source: "test", type: "request", subject: "acme", time };
  await client.post(`${metering}/events`, { ...event, data: { requests: 100 } });
}

/** Counts are written after the responses, with the current time of the clock. */
async function counted(server: TestServer, requests: number): Promise<void> {
  const from = new Date(Date.now() - 60 * hour).toISOString();
  await until(async () => {
    await server.catchUp();
    const { body } = await server.client.get(`/v1/accounts/${account}/analytics?step=1h&from=${from}`);
    return body.series[0]?.totals.requests >= requests || undefined;
  });
}
