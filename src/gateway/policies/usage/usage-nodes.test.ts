import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { postgres } from "../../../../test/support/engines.ts";
import { createPlan, newMeteringBucket, subscribe } from "../../../../test/support/metering.ts";
import { callHost, type Deployed, deploy, openApi } from "../../../../test/support/project.ts";
import { startServer, type TestServer, useServer } from "../../../../test/support/server.ts";
import { account } from "../../../../test/support/server-settings.ts";
import { spawnServer } from "../../../../test/support/spawned-server.ts";
import { tableContent } from "../../../../test/support/table-content.ts";
import { until } from "../../../../test/support/until.ts";
import { amountOf } from "../../../lib/amount.ts";

const estimate = 10;

let release = Promise.withResolvers<void>();
let arrived = 0;
let aborted = 0;
/** What each response reports. */
let units: number;

/** Responds when the test says so, with the amount in a header. */
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  async fetch(request) {
    arrived += 1;
    request.signal.addEventListener("abort", () => {
      aborted += 1;
    });
    await release.promise;
    return new Response("done", { headers: { "x-units": String(units) } });
  },
});
afterAll(() => upstream.stop(true));

let other: TestServer;
// Stopped before the first, which drops the database.
afterAll(() => other.stop());
const one = useServer(postgres);

let deployed: Deployed;
let bucket: string;
let count = 0;

beforeAll(async () => {
  bucket = await newMeteringBucket(one.client);
  deployed = await deploy(
    one,
    { project: "models", branch: "main" },
    {
      "openapi.json": openApi({ "/units": { "x-tollgate": { policies: ["key", "units"] } } }),
      "tollgate.json": {
        upstream: upstream.url.origin,
        policies: {
          key: { type: "api-key", options: { bucket: "main" } },
          units: {
            type: "usage",
            options: {
              bucketId: bucket.split("/").at(-1),
              meters: { units: { header: "x-units" } },
              reserve: { units: { amount: estimate } },
            },
          },
        },
      },
    },
  );
  other = await startServer(postgres, { database: one.database, clock: one.clock });
});

beforeEach(() => {
  release = Promise.withResolvers();
  arrived = 0;
  aborted = 0;
});

/** A customer with a budget. */
async function customer(max: number) {
  const name = `customer-${++count}`;
  const created = await one.client.post(`/v1/accounts/${account}/key-buckets/main/consumers?with-api-key=true`, {
    name,
  });
  const authorization = `Bearer ${created.body.apiKeys[0].key}`;
  const plan = await createPlan(one.client, bucket, { planExternalId: name, meters: { units: { max } } });
  const subscription = await subscribe(one.client, bucket, [plan], { customerKey: name, subscriptionExternalId: name });
  const host = new URL(deployed.url).hostname;
  const send = async (node: { url: string }, signal?: AbortSignal) => {
    const response = await callHost(node.url, host, "/units", { headers: { authorization }, signal: signal ?? null });
    await response.text();
    return response.status;
  };
  const used = async (): Promise<number> => {
    for (const node of [one, other]) await node.catchUp();
    return (await one.client.get(`${bucket}/subscriptions/${subscription.id}/usage`)).body.meters.units.used;
  };
  return { send, used };
}

/** Each node writes what it holds and reads what the other holds. */
async function flushTwice() {
  for (let round = 0; round < 2; round++) for (const node of [one, other]) await node.catchUp();
}

test("500 concurrent requests on a budget for 10 exceed it by what the other node admits in two flushes", async () => {
  const { send, used } = await customer(10 * estimate);
  units = estimate + 2;
  const nodes = [one, other];
  const statuses = Array.from({ length: 500 }, (_, index) => send(nodes[index % 2]!));
  const rejected = async () =>
    (await Promise.all(statuses.map((sent) => Promise.race([sent, 0])))).filter(Boolean).length;
  await until(async () => (await rejected()) + arrived === 500);
  const admitted = arrived;
  // At most ten on each, as long as neither knows of the other.
  expect(admitted).toBeWithin(10, 21);
  await flushTwice();
  for (const node of nodes) expect(await send(node)).toBe(429);
  release.resolve();
  const byStatus = Object.groupBy(await Promise.all(statuses), String);
  const counts = Object.entries(byStatus).map(([status, all]) => [status, all!.length]);
  expect(Object.fromEntries(counts)).toEqual({ 200: admitted, 429: 500 - admitted });
  await until(async () => (await used()) === admitted * units);
  for (const node of nodes) expect(await send(node)).toBe(429);
});

test("what a node reserved returns to the other when requests end with less, and when clients cancel", async () => {
  const { send, used } = await customer(12 * estimate);
  const controllers = Array.from({ length: 12 }, () => new AbortController());
  const sent = controllers.map(({ signal }) => send(one, signal).catch(() => 499));
  await until(() => arrived === 12);
  await flushTwice();
  expect(await send(other)).toBe(429);
  for (const controller of controllers.slice(0, 4)) controller.abort();
  await until(() => aborted === 4);
  units = 5;
  release.resolve();
  expect(await Promise.all(sent)).toEqual([...Array(4).fill(499), ...Array(8).fill(200)]);
  // A client that disconnects before the amount is known owes the estimate.
  await until(async () => (await used()) === 4 * estimate + 8 * units);
  await flushTwice();
  const later = Array.from({ length: 12 }, () => send(other));
  expect((await Promise.all(later)).filter((status) => status === 200).length).toBeWithin(4, 9);
});

test("what a killed process reserved returns to the other nodes when its lease ends, and not before", async () => {
  // The process has the real clock.
  one.clock.set(new Date().toISOString());
  const { send, used } = await customer(2 * estimate);
  const killed = await spawnServer(postgres, { database: one.database });
  const sent = [send(killed), send(killed)].map((status) => status.catch(() => "lost"));
  const held = async () => {
    const rows = await tableContent(one.database, "quota_holds WHERE amount <> '0' ORDER BY expires_on DESC");
    // A flush between the two requests publishes the first alone.
    return rows[0]?.amount === String(amountOf(2 * estimate)) ? rows[0] : undefined;
  };
  await until(held);
  await killed.kill("SIGKILL");
  expect(await Promise.all(sent)).toEqual(["lost", "lost"]);
  await killed.stop();
  const end = Number((await until(held)).expires_on);

  release.resolve();
  units = estimate;
  one.clock.set(new Date(end - 1).toISOString());
  await flushTwice();
  for (const node of [one, other]) expect(await send(node)).toBe(429);
  one.clock.set(new Date(end).toISOString());
  await flushTwice();
  expect(await send(other)).toBe(200);
  await until(async () => (await used()) === estimate);
});
