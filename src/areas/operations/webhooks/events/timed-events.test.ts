import { afterEach, beforeEach, expect, test } from "bun:test";
import { recordingStatements } from "../../../../../test/support/counted-statements.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { subscribed, usageEvent } from "../../../../../test/support/metering.ts";
import { useServer } from "../../../../../test/support/server.ts";
import { account } from "../../../../../test/support/server-settings.ts";
import { useStorage } from "../../../../../test/support/storage.ts";
import { useWebhookReceiver } from "../../../../../test/support/webhook-receiver.ts";
import { announceRenewals } from "./subscription-times.ts";

const webhooks = `/v1/accounts/${account}/webhooks`;
const consumers = `/v1/accounts/${account}/key-buckets/main/consumers`;
const hour = 60 * 60 * 1000;
const day = 24 * hour;

eachEngine((engine) => {
  const server = useServer(engine);
  const { client, clock } = server;
  const receiver = useWebhookReceiver();
  const storage = useStorage(engine);
  let hook: { id: string };

  beforeEach(async () => {
    const events = ["key.expiring", "key.expired", "subscription.trial_ending", "subscription.renewed", "quota.*"];
    hook = (await client.post(webhooks, { url: receiver.url(), events })).body;
    receiver.received.length = 0;
  });
  afterEach(() => client.delete(`${webhooks}/${hook.id}`));

  /** A restart may repeat a message, with the same id. */
  const types = () => [...new Map(receiver.received.map(({ id, message }) => [id, message.type])).values()];
  /** The messages of a type that are due until now. */
  async function sent(type: string, number = 1) {
    await server.catchUp();
    return receiver.waitForType(type, number);
  }
  let count = 0;

  async function keyThatExpires(inMs: number) {
    const name = `expiring-${engine.name}-${++count}`;
    await client.post(consumers, { name });
    const expiresOn = clock.iso(inMs);
    const { body } = await client.post(`${consumers}/${name}/keys`, { expiresOn });
    return { id: body.id as string, name, expiresOn };
  }

  test("key.expiring 7 days and 1 day before, then key.expired, each once", async () => {
    const key = await keyThatExpires(8 * day);
    await keyThatExpires(30 * day);
    clock.advance(day - 1);
    await server.catchUp();
    expect(types()).toEqual([]);
    clock.advance(1);
    const [first] = await sent("key.expiring");
    expect(first!.message).toMatchObject({
      timestamp: clock.iso(),
      data: { id: key.id, expiresOn: key.expiresOn, consumer: { name: key.name }, bucket: { name: "main" } },
    });
    clock.advance(6 * day);
    const [, second] = await sent("key.expiring", 2);
    expect(second!.id).not.toBe(first!.id);
    clock.advance(day);
    // Without a call: the server checks every two seconds.
    const [expired] = await receiver.waitForType("key.expired");
    expect(expired!.message.data.id).toBe(key.id);
    await server.restart();
    await server.catchUp();
    expect(types()).toEqual(["key.expiring", "key.expiring", "key.expired"]);
  });

  test("events that became due during a downtime are sent once, and only if they are still true", async () => {
    const soon = await keyThatExpires(8 * day);
    const gone = await keyThatExpires(7 * day + hour);
    const late = await keyThatExpires(10 * day);
    clock.advance(7 * day + 2 * hour);
    await server.restart();
    await server.catchUp();
    await receiver.wait(3);
    const all = new Set(receiver.received.map(({ message }) => `${message.type} ${message.data.id}`));
    expect([...all].toSorted()).toEqual(
      [`key.expired ${gone.id}`, `key.expiring ${late.id}`, `key.expiring ${soon.id}`].toSorted(),
    );
  });

  test("a trial is announced 3 days before its end, at once where it is shorter, and each renewal once", async () => {
    const trialing = { status: "trialing", trialEndDate: clock.iso(5 * day) };
    const long = await subscribed(client, {}, trialing);
    const short = await subscribed(client, {}, { ...trialing, trialEndDate: clock.iso(day) });
    const [first] = await sent("subscription.trial_ending");
    expect(first!.message.data).toMatchObject({ id: short.path.split("/").at(-1), status: "trialing" });
    clock.advance(2 * day);
    const [, second] = await sent("subscription.trial_ending", 2);
    expect(second!.message.data).toMatchObject({
      id: long.path.split("/").at(-1),
      trialEndDate: trialing.trialEndDate,
    });

    const yearly = await subscribed(client, {}, { renewalStrategy: "yearly" });
    clock.advance(31 * day);
    await sent("subscription.renewed", 2);
    const renewed = receiver.ofType("subscription.renewed").map(({ message }) => message.data);
    expect(renewed.map(({ id }) => id)).not.toContain(yearly.path.split("/").at(-1));
    expect(new Set(renewed.map(({ id, periodStart }) => `${id} ${periodStart}`)).size).toBe(renewed.length);
    expect(renewed[0]).toMatchObject({ periodStart: expect.any(String), periodEnd: expect.any(String) });
    expect(receiver.ofType("subscription.trial_ending")).toHaveLength(2);
  });

  test("renewals from before a webhook subscribes are not announced, and the next one is", async () => {
    await client.delete(`${webhooks}/${hook.id}`);
    const { path } = await subscribed(client);
    const id = path.split("/").at(-1)!;
    clock.advance(65 * day);
    await server.catchUp();
    hook = (await client.post(webhooks, { url: receiver.url(), events: ["subscription.*"] })).body;
    await server.catchUp();
    expect(receiver.ofType("subscription.renewed")).toEqual([]);
    clock.advance(32 * day);
    await sent("subscription.renewed");
    const renewed = receiver.ofType("subscription.renewed").map(({ message }) => message.data);
    expect(renewed.filter((data) => data.id === id)).toHaveLength(1);
  });

  test("while no webhook subscribes to renewals, their subscriptions are neither read nor written for them", async () => {
    const recording = recordingStatements(storage.open);
    await announceRenewals(recording.storage, clock.now(), AbortSignal.timeout(60_000));
    expect(recording.statements).toEqual([expect.stringContaining("FROM webhooks")]);
  });

  test("quota.threshold at 50, 80 and 100 %, once each for a period and max; a jump sends only the highest", async () => {
    const { path, bucket, plan } = await subscribed(client, { meters: { calls: { max: 100 } } });
    const consume = (calls: number) => client.post(`${path}/quotas/consume`, { meters: { calls } });
    await consume(49);
    await server.catchUp();
    expect(types()).toEqual([]);
    await consume(1);
    const [half] = await sent("quota.threshold");
    const { periodStart, periodEnd } = (await client.get(`${path}/usage`)).body;
    expect(half!.message.data).toEqual({
      subscriptionId: path.split("/").at(-1),
      customerKey: expect.any(String),
      meter: "calls",
      threshold: 50,
      used: 50,
      max: 100,
      periodStart,
      periodEnd,
    });
    await consume(10);
    await consume(40);
    const [, full] = await sent("quota.threshold", 2);
    expect(full!.message.data).toMatchObject({ threshold: 100, used: 100 });
    await client.patch(`${bucket}/plans/${plan.id}`, { meters: { calls: { max: 110 } } });
    await consume(1);
    const [, , raised] = await sent("quota.threshold", 3);
    expect(raised!.message.data).toMatchObject({ threshold: 80, used: 101, max: 110 });
    await server.restart();
    await consume(1);
    await server.catchUp();
    expect(receiver.ofType("quota.threshold")).toHaveLength(3);
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(receiver.received.length);
  });

  test("quota.threshold of a period that has just ended compares with the maximum that it had", async () => {
    const meters = (max: number) => ({ meters: { calls: { max } } });
    const changed = await subscribed(client, meters(100));
    const unchanged = await subscribed(client, meters(100));
    const { periodEnd } = (await client.get(`${changed.path}/usage`)).body;
    clock.advance(Date.parse(periodEnd) - clock.now() + hour);
    await client.patch(`${changed.bucket}/plans/${changed.plan.id}`, meters(1_000));
    const time = new Date(Date.parse(periodEnd) - hour).toISOString();
    for (const { bucket, path } of [changed, unchanged]) {
      const { customerKey } = (await client.get(path)).body;
      const { body } = await client.post(`${bucket}/events`, [
        usageEvent({ calls: 60 }, { subject: customerKey, time }),
      ]);
      expect(body).toMatchObject({ accepted: 1 });
    }
    const announced = (await sent("quota.threshold", 2)).map(({ message }) => message.data);
    for (const { path } of [changed, unchanged])
      expect(announced.find(({ subscriptionId }) => path.endsWith(subscriptionId as string))).toMatchObject({
        threshold: 50,
        used: 60,
        max: 100,
        periodEnd,
      });
  });
});
