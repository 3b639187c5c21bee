import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Database, postgres } from "../../../../test/support/engines.ts";
import { FakeClock } from "../../../../test/support/fake-clock.ts";
import { startServer, type TestServer } from "../../../../test/support/server.ts";
import { account } from "../../../../test/support/server-settings.ts";
import { tableContent } from "../../../../test/support/table-content.ts";
import { until } from "../../../../test/support/until.ts";
import { useWebhookReceiver, verifySignature } from "../../../../test/support/webhook-receiver.ts";

const webhooks = `/v1/accounts/${account}/webhooks`;
const consumers = `/v1/accounts/${account}/key-buckets/main/consumers`;
const day = 24 * 60 * 60 * 1000;

const clock = new FakeClock();
let database: Database;
let nodes: TestServer[];
const receiver = useWebhookReceiver();

beforeAll(async () => {
  database = await postgres.migratedDatabase();
  nodes = [await startServer(postgres, { database, clock }), await startServer(postgres, { database, clock })];
});
afterAll(async () => {
  for (const node of nodes) await node.stop();
  await database.drop();
});

async function hook(events: string[]) {
  receiver.received.length = 0;
  const { body } = await nodes[0]!.client.post(webhooks, { url: receiver.url(), events });
  return body as { id: string; secret: string };
}

test("what either node changes has one message, whichever delivers it", async () => {
  const { id, secret } = await hook(["consumer.created"]);
  const names = Array.from({ length: 60 }, (_, index) => `acme-${index}`);
  await Promise.all(
    nodes.map(async ({ client }, node) => {
      for (const name of names.filter((_, index) => index % 2 === node))
        expect((await client.post(consumers, { name })).status).toBe(200);
    }),
  );
  await receiver.wait(names.length, 20_000);
  for (const one of receiver.received) verifySignature(secret, one);
  expect(new Set(receiver.received.map(({ message }) => message.data.name))).toEqual(new Set(names));
  expect(new Set(receiver.received.map((one) => one.id)).size).toBe(names.length);
  const finished = async () =>
    (await nodes[1]!.client.get(`${webhooks}/${id}/deliveries?status=succeeded`)).body.data.length === names.length;
  await until(finished);
  await nodes[0]!.client.delete(`${webhooks}/${id}`);
});

test("a timed event has one message, although both nodes scan for it", async () => {
  const { id } = await hook(["key.*"]);
  const { client } = nodes[0]!;
  await client.post(consumers, { name: "expiring" });
  for (let count = 0; count < 20; count++)
    await client.post(`${consumers}/expiring/keys`, { expiresOn: clock.iso(3 * day + count) });
  clock.advance(2 * day + 20);
  await receiver.waitForType("key.expiring", 20, 20_000);
  for (const node of nodes) await node.catchUp();
  const expiring = receiver.ofType("key.expiring");
  expect(new Set(expiring.map(({ message }) => message.data.id)).size).toBe(20);
  expect(new Set(expiring.map((one) => one.id)).size).toBe(20);
  const messages = (await tableContent(database, "webhook_messages")).filter((row) => row.type === "key.expiring");
  expect(messages).toHaveLength(20);
  await client.delete(`${webhooks}/${id}`);
});

test("what a node was at when it stopped is delivered by the other", async () => {
  const { id } = await hook(["consumer.updated"]);
  let hangs = true;
  receiver.respond = () => (hangs ? new Promise<never>(() => {}) : new Response());
  await nodes[0]!.client.patch(`${consumers}/expiring`, { description: "changed" });
  await receiver.wait(1);
  hangs = false;
  // Either node may have claimed it: after a restart of both, it is delivered.
  for (const node of nodes) await node.restart();
  await receiver.wait(2);
  expect(new Set(receiver.received.map((one) => one.id)).size).toBe(1);
  await nodes[0]!.client.delete(`${webhooks}/${id}`);
});

test("a thousand deliveries that wait for an endpoint that hangs delay no other", async () => {
  const { client } = nodes[0]!;
  const { id } = await hook(["consumer.updated"]);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  receiver.respond = async ({ path }) => {
    if (path === "/hook") await released;
    return new Response();
  };
  for (let count = 0; count < 20; count++) await client.patch(`${consumers}/expiring`, { description: `${count}` });
  const range = { from: clock.iso(-1), to: clock.iso(1), newIds: true };
  const count = async () => (await client.get(`${webhooks}/${id}/deliveries?limit=1000`)).body.data.length;
  await until(async () => (await count()) >= 20);
  while ((await count()) < 1000) await client.post(`${webhooks}/${id}/replay`, range);
  const other = (await client.post(webhooks, { url: receiver.url("/quick"), events: ["plan.created"] })).body;
  const sent = performance.now();
  await client.post(`${webhooks}/${other.id}/test`);
  await receiver.waitForType("webhook.test", 1, 5000);
  // Five at once from each node, and the next after 15 s.
  const max = 10 * Math.ceil((performance.now() - sent + 30_000) / 15_000);
  expect(receiver.received.filter(({ path }) => path === "/hook").length).toBeLessThanOrEqual(max);
  release();
  await client.delete(`${webhooks}/${id}`);
  await client.delete(`${webhooks}/${other.id}`);
});
