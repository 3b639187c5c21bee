import { describe, expect, test } from "bun:test";
import type { RequestHeaders } from "../../../../../test/support/client.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { metersOf, record, subscribe, subscribed, usageEvent, usedOf } from "../../../../../test/support/metering.ts";
import { useServer } from "../../../../../test/support/server.ts";

const meters = { requests: { label: "Requests", max: 100 }, bytes: { max: 10 } };
const contentTypes = [
  undefined,
  "application/json",
  "application/cloudevents+json",
  "application/cloudevents+json; charset=utf-8",
  "application/cloudevents-batch+json",
  "text/plain",
];

eachEngine((engine) => {
  const { client } = useServer(engine);

  describe("events are counted, whatever their content type:", () => {
    test.each(contentTypes)("%p", async (contentType) => {
      const { bucket, path } = await subscribed(client, { meters });
      const headers: RequestHeaders = contentType === undefined ? {} : { "content-type": contentType };
      const post = async (body: unknown) =>
        (await client.raw("POST", `${bucket}/events`, JSON.stringify(body), headers)).body;
      expect(await post(usageEvent({ requests: 1 }))).toEqual({ accepted: 1, duplicates: 0, rejected: [] });
      const batch = [usageEvent({ requests: 2 }), usageEvent({ requests: 4 })];
      expect(await post(batch)).toEqual({ accepted: 2, duplicates: 0, rejected: [] });
      expect(await post([])).toEqual({ accepted: 0, duplicates: 0, rejected: [] });
      expect(await usedOf(client, path)).toEqual({ requests: 7, bytes: 0 });
    });
  });

  test("an event may use several meters, and carry what CloudEvents allows besides", async () => {
    const { bucket, path } = await subscribed(client, { meters });
    const extensions = {
      datacontenttype: "application/json",
      dataschema: "https://a.example",
      traceparent: "x",
      seven: 7,
    };
    await record(client, bucket, usageEvent({ requests: 3, bytes: 0.5 }, extensions));
    await record(client, bucket, [usageEvent({ bytes: 1, requests: 4 }), usageEvent({ bytes: 2 })]);
    expect(await metersOf(client, path)).toEqual({
      requests: { label: "Requests", used: 7, max: 100, available: 93 },
      bytes: { used: 3.5, max: 10, available: 6.5 },
    });
  });

  test("usage is what happened: events may go past the maximum, and available stays at 0", async () => {
    const { bucket, path } = await subscribed(client, { meters });
    await record(client, bucket, [usageEvent({ bytes: 9 })]);
    expect((await metersOf(client, path)).bytes).toEqual({ used: 9, max: 10, available: 1 });
    expect(await record(client, bucket, [usageEvent({ bytes: 5 })])).toMatchObject({ accepted: 1 });
    expect((await metersOf(client, path)).bytes).toEqual({ used: 14, max: 10, available: 0 });
  });

  test("a meter that two plans have adds up, and is counted once", async () => {
    const { bucket, plan, path } = await subscribed(client, { meters });
    const other = (await client.post(`${bucket}/plans`, { label: "More", planExternalId: "more", meters })).body;
    await client.patch(path, { planExternalIds: [plan.planExternalId, other.planExternalId] });
    await record(client, bucket, usageEvent({ bytes: 15 }));
    expect((await metersOf(client, path)).bytes).toEqual({ used: 15, max: 20, available: 5 });
  });

  describe("a customer's subscription is the newest that is active or trialing:", () => {
    const used = async (bucket: string, ids: string[]) => {
      const amounts = [];
      for (const id of ids) amounts.push((await usedOf(client, `${bucket}/subscriptions/${id}`)).requests);
      return amounts;
    };

    test.each<[statuses: string[], expected: (number | undefined)[]]>([
      [
        ["active", "active"],
        [0, 1],
      ],
      [
        ["active", "trialing"],
        [0, 1],
      ],
      [
        ["trialing", "active"],
        [0, 1],
      ],
      [
        ["active", "canceled"],
        [1, 0],
      ],
      [
        ["active", "past-due", "unpaid", "inactive"],
        [1, 0, 0, 0],
      ],
      [
        ["canceled", "active", "incomplete", "incomplete-expired"],
        [0, 1, 0, 0],
      ],
    ])("%j", async (statuses, expected) => {
      const { bucket, plan, subscription } = await subscribed(client, {}, { status: statuses[0]! });
      const ids = [subscription.id];
      for (const status of statuses.slice(1)) ids.push((await subscribe(client, bucket, [plan], { status })).id);
      await subscribe(client, bucket, [plan], { customerKey: "another" });
      expect(await record(client, bucket, [usageEvent({ requests: 1 })])).toMatchObject({ accepted: 1 });
      expect(await used(bucket, ids)).toEqual(expected);
    });

    test("the customer's subscription follows every change of status", async () => {
      const { bucket, plan, subscription, path } = await subscribed(client);
      const newer = await subscribe(client, bucket, [plan]);
      const event = () => record(client, bucket, [usageEvent({ requests: 1 })]);
      await event();
      await client.patch(`${bucket}/subscriptions/${newer.id}`, { status: "past-due" });
      await event();
      await client.patch(path, { status: "canceled" });
      expect(await event()).toMatchObject({ accepted: 0, rejected: [{ index: 0 }] });
      expect(await used(bucket, [subscription.id, newer.id])).toEqual([1, 1]);
    });
  });

  test("a batch of thousands is taken whole, up to 10 MiB", async () => {
    const { bucket, path } = await subscribed(client, { meters: { requests: { max: 1 }, bytes: { max: 1 } } });
    const note = "x".repeat(1000);
    const batch = Array.from({ length: 2500 }, () => usageEvent({ requests: 1, bytes: 2 }, { note }));
    expect(JSON.stringify(batch).length).toBeGreaterThan(2 * 1024 * 1024);
    expect(await record(client, bucket, batch)).toEqual({ accepted: 2500, duplicates: 0, rejected: [] });
    expect(await usedOf(client, path)).toEqual({ requests: 2500, bytes: 5000 });
    expect(await record(client, bucket, batch)).toEqual({ accepted: 0, duplicates: 2500, rejected: [] });

    const tooMuch = JSON.stringify([usageEvent({ requests: 1 }, { note: "x".repeat(10 * 1024 * 1024) })]);
    expectProblem(await client.raw("POST", `${bucket}/events`, tooMuch), 413, "body_too_large");
    expect(await usedOf(client, path)).toEqual({ requests: 2500, bytes: 5000 });
  });
});
