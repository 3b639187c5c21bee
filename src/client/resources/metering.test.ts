import { beforeAll, describe, expect, test } from "bun:test";
import { sqlite } from "../../../test/support/engines.ts";
import { subscriptionInput } from "../../../test/support/metering.ts";
import { useServer } from "../../../test/support/server.ts";
import { clientOf, rejected } from "../../../test/support/tollgate-client.ts";
import type { Plan, Subscription, SubscriptionCreate, Tollgate, UsageEvent } from "../index.ts";

// The client does not depend on the server's engine.
const server = useServer(sqlite);
let client: Tollgate;
let bucketId: string;
let plan: Plan;
beforeAll(async () => {
  client = clientOf(server);
  bucketId = (await client.metering.create()).id;
  plan = await client
    .plans(bucketId)
    .create({ label: "Gold", planExternalId: "gold", meters: { requests: { max: 10 } } });
});

const subscribe = (customerKey: string): Promise<Subscription> =>
  client.subscriptions(bucketId).create(subscriptionInput([plan], { customerKey }) as SubscriptionCreate);

const usedBy = (subject: string, id: string, requests: number): UsageEvent => {
  return { specversion: "1.0", id, source: "test", type: "request", subject, data: { requests } };
};

test("metering buckets are created, read, listed and deleted", async () => {
  const made = await client.metering.create();
  expect(await client.metering.get(made.id)).toEqual(made);
  expect(await client.metering.list({ limit: 1 }).all()).toContainEqual(made);
  await client.metering.delete(made.id);
  expect(await rejected(client.metering.get(made.id))).toMatchObject({ status: 404, code: "not_found" });
});

test("a metering bucket with subscriptions is deleted by force", async () => {
  const bucket = await client.metering.create();
  const plans = client.plans(bucket.id);
  const its = await plans.create({ label: "Base", planExternalId: "base", meters: { requests: { max: 1 } } });
  await client.subscriptions(bucket.id).create(subscriptionInput([its]) as SubscriptionCreate);
  expect(await rejected(client.metering.delete(bucket.id))).toMatchObject({ code: "metering_bucket_not_empty" });
  await client.metering.delete(bucket.id, { force: true });
});

test("plans are created, read, changed, found and deleted", async () => {
  const plans = client.plans(bucketId);
  const made = await plans.create({ label: "Silver", planExternalId: "silver", meters: { requests: { max: 5 } } });
  expect(await plans.get(made.id)).toEqual(made);
  expect((await plans.update(made.id, { trialDays: 14 })).trialDays).toBe(14);
  expect((await plans.list({ planExternalId: "silver" }).all()).map(({ id }) => id)).toEqual([made.id]);
  const again = plans.create({ label: "Silver", planExternalId: "silver", meters: { requests: { max: 5 } } });
  expect(await rejected(again)).toMatchObject({ status: 409, code: "plan_exists" });
  await plans.delete(made.id);
  expect(await rejected(plans.delete(made.id))).toMatchObject({ status: 404 });
});

test("subscriptions are created, read, changed, found and deleted", async () => {
  const subscriptions = client.subscriptions(bucketId);
  const made = await subscribe("subscriber");
  expect(await subscriptions.get(made.id)).toEqual(made);
  expect((await subscriptions.update(made.id, { status: "past-due" })).status).toBe("past-due");
  const found = await subscriptions.list({ customerKey: "subscriber", status: "past-due", planId: plan.id }).all();
  expect(found.map(({ id }) => id)).toEqual([made.id]);
  expect(await subscriptions.list({ customerKey: "subscriber", status: "active" }).all()).toEqual([]);
  expect(await rejected(subscriptions.update(made.id, { prorate: 0.5 }))).toMatchObject({ status: 400 });
  await subscriptions.delete(made.id);
  expect(await rejected(subscriptions.get(made.id))).toMatchObject({ status: 404 });
});

describe("usage", () => {
  test("usage as CSV follows all pages, with one header line", async () => {
    for (const name of ["csv-1", "csv-2", "csv-3"]) await subscribe(name);
    const pages: string[] = [];
    for await (const page of client.metering.usageCsv(bucketId, { limit: 1 })) pages.push(page);
    const { total } = await client.metering.usage(bucketId).page();
    expect(pages).toHaveLength(total);
    const lines = pages.join("").trimEnd().split("\r\n");
    expect(lines).toHaveLength(total + 1);
    expect(lines.filter((line) => line.startsWith("subscriptionId,"))).toHaveLength(1);
    for (const name of ["csv-1", "csv-2", "csv-3"]) expect(lines.join("\n")).toContain(`,${name},`);
  });

  test("events are counted once, and rejected ones are listed", async () => {
    const { id } = await subscribe("sender");
    const events = client.events(bucketId);
    const sent = [usedBy("sender", "1", 3), usedBy("sender", "1", 3), usedBy("nobody", "2", 1)];
    expect(await events.send(sent)).toMatchObject({ accepted: 1, duplicates: 1, rejected: [{ index: 2 }] });
    const usage = client.usage(bucketId, id);
    expect((await usage.get()).meters.requests).toMatchObject({ used: 3, max: 10, available: 7 });
    expect((await usage.get({ at: server.clock.iso(-365 * 86_400_000) })).meters.requests?.used).toBe(0);
    expect((await usage.history()).at(-1)?.meters.requests?.used).toBe(3);
    expect(await client.metering.reconcile(bucketId)).toMatchObject({ agrees: true, differences: [] });
    expect(await rejected(client.events("mtr_none").send(sent))).toMatchObject({ status: 404 });
  });

  test("a quota can be consumed until it is exhausted", async () => {
    const usage = client.usage(bucketId, (await subscribe("consumer")).id);
    expect(await usage.consume({ requests: 8 })).toMatchObject({ allowed: true, meters: { requests: { used: 8 } } });
    expect(await usage.consume({ requests: 8 })).toMatchObject({ allowed: false, meters: { requests: { used: 8 } } });
    expect(await rejected(usage.consume({ bananas: 1 }))).toMatchObject({ status: 400, code: "validation_failed" });
  });

  test("the same Idempotency-Key consumes once", async () => {
    const usage = client.usage(bucketId, (await subscribe("twice")).id);
    await usage.consume({ requests: 2 }, { idempotencyKey: "order-1" });
    await usage.consume({ requests: 2 }, { idempotencyKey: "order-1" });
    expect((await usage.get()).meters.requests?.used).toBe(2);
  });
});
