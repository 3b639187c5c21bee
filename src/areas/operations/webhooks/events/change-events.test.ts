import { afterEach, beforeEach, expect, test } from "bun:test";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { createPlan, newMeteringBucket, subscriptionInput } from "../../../../../test/support/metering.ts";
import { build, openApi } from "../../../../../test/support/project.ts";
import { useServer } from "../../../../../test/support/server.ts";
import { account, operatorToken } from "../../../../../test/support/server-settings.ts";
import { useWebhookReceiver, verifySignature } from "../../../../../test/support/webhook-receiver.ts";

const webhooks = `/v1/accounts/${account}/webhooks`;
const consumers = `/v1/accounts/${account}/key-buckets/main/consumers`;

eachEngine((engine) => {
  const server = useServer(engine);
  const { client, clock } = server;
  const receiver = useWebhookReceiver();
  let hook: { id: string; secret: string };

  beforeEach(async () => {
    hook = (await client.post(webhooks, { url: receiver.url(), events: ["*"] })).body;
    receiver.received.length = 0;
  });
  afterEach(() => client.delete(`${webhooks}/${hook.id}`));

  test("consumers and keys, as the API shows them and without a secret", async () => {
    const { body: acme } = await client.post(consumers, { name: "acme", metadata: { seats: 12 } });
    const [created] = await receiver.waitForType("consumer.created");
    verifySignature(hook.secret, created!);
    expect(created!.message).toEqual({
      type: "consumer.created",
      timestamp: clock.iso(),
      data: { ...acme, bucket: { id: expect.stringMatching(/^bckt_/), name: "main" } },
    });

    await client.patch(`${consumers}/acme`, { description: "known" });
    expect((await receiver.waitForType("consumer.updated"))[0]!.message.data).toMatchObject({ description: "known" });

    const { body: key } = await client.post(`${consumers}/acme/keys`, { description: "first" });
    const bucket = created!.message.data.bucket;
    const owner = { consumer: { id: acme.id, name: "acme" }, bucket };
    const [keyCreated] = await receiver.waitForType("key.created");
    expect(keyCreated!.message.data).toMatchObject({ id: key.id, description: "first", expiresOn: null, ...owner });

    await client.patch(`${consumers}/acme/keys/${key.id}`, { key: "another-value-of-my-own" });
    const [keyUpdated] = await receiver.waitForType("key.updated");
    expect(keyUpdated!.message.data).toMatchObject({ id: key.id, description: "first", ...owner });
    const expiresOn = clock.iso(3_600_000);
    const rolled = await client.post(`${consumers}/acme/roll-key`, { expiresOn });
    const keyId = rolled.headers.get("location")!.split("/").at(-1);
    const [roll] = await receiver.waitForType("key.rolled");
    expect(roll!.message.data).toEqual({ ...owner, keyId, expiring: [key.id], expiresOn });

    await client.delete(`${consumers}/acme/keys/${key.id}`);
    expect((await receiver.waitForType("key.deleted"))[0]!.message.data).toMatchObject({ id: key.id, ...owner });
    for (const { body } of receiver.received) {
      expect(body).not.toContain(key.key);
      expect(body).not.toContain("another-value-of-my-own");
    }
  });

  test("concurrent changes have one message each", async () => {
    const names = Array.from({ length: 40 }, (_, index) => `at-once-${index}`);
    await Promise.all(names.map((name) => client.post(consumers, { name })));
    const updates = names.map((name) => client.patch(`${consumers}/${name}`, { description: `of ${name}` }));
    const updated = (await Promise.all(updates)).map(({ body }) => body);
    await receiver.wait(80);
    const dataOf = (type: string) => receiver.ofType(type).map(({ message: { data } }) => data);
    const namesOf = (type: string) => dataOf(type).map(({ name }) => name);
    for (const type of ["consumer.created", "consumer.updated"])
      expect(namesOf(type).toSorted()).toEqual(names.toSorted());
    for (const data of dataOf("consumer.updated"))
      expect(data).toMatchObject(updated.find(({ name }) => name === data.name));
  });

  test("a bulk call and a cascade are one message each, with counts", async () => {
    await client.post(`${consumers}?with-api-key=false`, { name: "many" });
    await client.post(`${consumers}/many/keys/$bulk`, Array(101).fill({}));
    const [created] = await receiver.waitForType("key.created");
    const { data } = created!.message;
    const bucket = { id: expect.stringMatching(/^bckt_/), name: "main" };
    const consumer = { id: expect.stringMatching(/^csmr_/), name: "many" };
    expect(data).toEqual({ consumer, bucket, ids: expect.any(Array), counts: { keys: 101 } });
    expect(data.ids).toHaveLength(100);
    for (const id of data.ids) expect(id).toStartWith("key_");
    await client.delete(`${consumers}/many`);
    const [deleted] = await receiver.waitForType("consumer.deleted");
    expect(deleted!.message.data).toMatchObject({ name: "many", counts: { keys: 101 } });
    await client.post(consumers, { name: "one" });
    await client.post(consumers, { name: "two" });
    const removed = await client.delete(`/v1/accounts/${account}/key-buckets/main?force=true`);
    expect({ status: removed.status, text: removed.text }).toEqual({ status: 204, text: "" });
    const [, cascade] = await receiver.waitForType("consumer.deleted", 2);
    const counts = { consumers: expect.any(Number), keys: expect.any(Number) };
    expect(cascade!.message.data).toEqual({ bucket, counts });
    expect(receiver.ofType("key.deleted")).toEqual([]);
  });

  test("changes and deletions of many keys or consumers list their ids", async () => {
    const path = `/v1/accounts/${account}/key-buckets/listed`;
    const ids: string[] = [];
    for (const name of ["one", "two"])
      ids.push((await client.post(`${path}/consumers`, { name, tags: { plan: "gold" } })).body.id);
    const { body: made } = await client.post(`${path}/consumers/one/keys/$bulk`, [{}, {}, {}]);
    const keyIds = made.data.map(({ id }: { id: string }) => id);
    const bucket = { id: expect.stringMatching(/^bckt_/), name: "listed" };
    const dataOf = async (type: string) => {
      const [received] = await receiver.waitForType(type);
      const { ids: listed, ...data } = received!.message.data;
      return { ...data, ids: listed.toSorted() };
    };

    const where = { enabled: true };
    expect((await client.post(`${path}/keys/$update`, { where, set: { description: "all" } })).status).toBe(200);
    expect(await dataOf("key.updated")).toEqual({ bucket, ids: keyIds.toSorted(), counts: { keys: 3 } });
    expect((await client.post(`${path}/keys/$delete`, { where })).status).toBe(200);
    expect(await dataOf("key.deleted")).toEqual({ bucket, ids: keyIds.toSorted(), counts: { keys: 3 } });

    const gold = { "tag.plan": "gold" };
    const set = { description: "all" };
    expect((await client.post(`${path}/consumers/$update`, { where: gold, set })).status).toBe(200);
    expect(await dataOf("consumer.updated")).toMatchObject({ bucket, ids: ids.toSorted(), counts: { consumers: 2 } });
    expect((await client.post(`${path}/consumers/$delete`, { where: gold })).status).toBe(200);
    expect(await dataOf("consumer.deleted")).toMatchObject({ bucket, ids: ids.toSorted(), counts: { consumers: 2 } });
  });

  test("a deleted metering bucket is one message with its bucket and counts", async () => {
    const path = await newMeteringBucket(client);
    const bucket = { id: path.split("/").at(-1) };
    const plan = await createPlan(client, path);
    await client.post(`${path}/subscriptions`, subscriptionInput([plan]));
    expect((await client.delete(`${path}?force=true`)).status).toBe(204);
    const [deleted] = await receiver.waitForType("subscription.deleted");
    expect(deleted!.message.data).toEqual({ bucket, counts: { plans: 1, subscriptions: 1 } });
    const other = await newMeteringBucket(client);
    await createPlan(client, other);
    expect((await client.delete(other)).status).toBe(204);
    const [withPlans] = await receiver.waitForType("plan.deleted");
    expect(withPlans!.message.data).toMatchObject({ bucket: { id: other.split("/").at(-1) }, counts: { plans: 1 } });
  });

  test("plans, subscriptions and deployments", async () => {
    const bucket = await newMeteringBucket(client);
    const plan = await createPlan(client, bucket, { meters: { calls: { max: 10 } } });
    await client.patch(`${bucket}/plans/${plan.id}`, { label: "Silver" });
    const { body: subscription } = await client.post(`${bucket}/subscriptions`, subscriptionInput([plan]));
    await client.patch(`${bucket}/subscriptions/${subscription.id}`, { metadata: { a: 1 } });
    await client.delete(`${bucket}/subscriptions/${subscription.id}`);
    await client.delete(`${bucket}/plans/${plan.id}`);
    for (const kind of ["plan", "subscription"])
      for (const what of ["created", "updated", "deleted"]) await receiver.waitForType(`${kind}.${what}`);
    expect(receiver.ofType("plan.updated")[0]!.message.data).toMatchObject({ id: plan.id, label: "Silver" });
    expect(receiver.ofType("subscription.created")[0]!.message.data).toMatchObject({
      id: subscription.id,
      bucket: { id: bucket.split("/").at(-1) },
    });

    const project = { "openapi.json": openApi({ "/orders": { "x-tollgate": { upstream: "http://127.0.0.1:9" } } }) };
    const place = { project: "orders", branch: "main" };
    const { status } = await build(client, place, project);
    const [succeeded] = await receiver.waitForType("deployment.succeeded");
    const name = new URL(status.url).hostname.split(".")[0];
    expect(succeeded!.message.data).toMatchObject({ name });
    await build(client, place, { "openapi.json": "{" });
    await receiver.waitForType("deployment.failed");
    await build(client, place, project);
    await client.post(`/v1/deployments/${name}/rollback`, {});
    await receiver.waitForType("deployment.rolled_back");
    await client.delete(`/v1/deployments/${name}`);
    await receiver.waitForType("deployment.deleted");
    expect(receiver.ofType("deployment.succeeded")).toHaveLength(2);
  });

  test("patterns select events, a disabled webhook receives none, and a replay sends the missed ones", async () => {
    clock.advance(1000);
    await client.patch(`${webhooks}/${hook.id}`, { events: ["key.*"], isEnabled: false });
    const watcher = (await client.post(webhooks, { url: receiver.url("/watcher"), events: ["consumer.created"] })).body;
    await client.post(`${consumers}?with-api-key=true`, { name: `missed-${engine.name}` });
    await receiver.waitForType("consumer.created");
    clock.advance(1000);
    await client.patch(`${webhooks}/${hook.id}`, { isEnabled: true });
    const range = { from: clock.iso(-1000), to: clock.iso() };
    expect((await client.post(`${webhooks}/${hook.id}/replay`, range)).body).toEqual({ deliveries: 1 });
    const [missed] = await receiver.waitForType("key.created");
    verifySignature(hook.secret, missed!);
    await client.post(`${webhooks}/${hook.id}/replay`, range);
    await client.post(`${webhooks}/${hook.id}/replay`, { ...range, newIds: true });
    const [, again, renamed] = await receiver.waitForType("key.created", 3);
    expect(new Set([missed!.id, again!.id, renamed!.id]).size).toBe(2);
    expect(new Set([missed!.body, again!.body, renamed!.body]).size).toBe(1);
    expect(receiver.received.filter(({ path }) => path === "/watcher")).toHaveLength(1);
    await client.delete(`${webhooks}/${watcher.id}`);
  });

  test("events of another account are not sent", async () => {
    const operator = client.as(operatorToken);
    await operator.post("/v1/accounts", { name: "elsewhere" });
    await operator.post("/v1/accounts/elsewhere/key-buckets/main/consumers", { name: "theirs" });
    await client.post(consumers, { name: `ours-${engine.name}` });
    await receiver.waitForType("consumer.created");
    expect(receiver.received.some(({ body }) => body.includes("theirs"))).toBe(false);
    await operator.delete("/v1/accounts/elsewhere");
  });
});
