import { beforeAll, expect, test } from "bun:test";
import {
  billed,
  linesOfAll,
  moveTo,
  newTestBucket,
  ok,
  rated,
  setProfile,
  use,
  usedOf,
} from "../../../../../test/support/billing.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { createPlan, record, subscribe, usageEvent } from "../../../../../test/support/metering.ts";
import { useServer } from "../../../../../test/support/server.ts";

const january1 = "2031-01-01T00:00:00.000Z";
const january10 = "2031-01-10T00:00:00.000Z";
const january15 = "2031-01-15T00:00:00.000Z";
const january20 = "2031-01-20T00:00:00.000Z";

const unpriced = { meters: { requests: { max: 100 } } };

eachEngine((engine) => {
  const { client } = useServer(engine);
  beforeAll(async () => {
    await setProfile(client, { termsDays: 365, graceDays: 365 });
  });

  /** A subscription that is replaced by another on 15 January. */
  async function replaced(first: object, second: object) {
    const old = await billed(client, january1, first);
    await moveTo(client, old.bucket, january15);
    await ok(client.patch(old.path, { status: "canceled" }));
    const plan = await createPlan(client, old.bucket, second);
    const { id } = await subscribe(client, old.bucket, [plan]);
    return { bucket: old.bucket, before: old.path, after: `${old.bucket}/subscriptions/${id}` };
  }

  test("a late event is billed with the subscription that was current at its time", async () => {
    const { bucket, before, after } = await replaced(rated("1.00"), rated("0.01"));
    await use(client, bucket, 130, january10);
    await use(client, bucket, 150, january15);
    expect([await usedOf(client, before, january10), await usedOf(client, after, january15)]).toEqual([130, 150]);
    await moveTo(client, bucket, "2031-02-15T01:00:00.000Z");
    expect(await linesOfAll(client, bucket, before)).toEqual([["overage", "30.00"]]);
    expect(await linesOfAll(client, bucket, after)).toEqual([["overage", "0.50"]]);
  });

  test("an event of a time without a subscription is not billed by one that is active again in a later period", async () => {
    const { bucket, path } = await billed(client, january1, rated("1.00"));
    await ok(client.patch(path, { status: "canceled" }));
    await moveTo(client, bucket, "2031-02-20T00:00:00.000Z");
    await ok(client.patch(path, { status: "active" }));
    await use(client, bucket, 130, "2031-02-19T00:00:00.000Z");
    await use(client, bucket, 2);
    await moveTo(client, bucket, "2031-03-01T01:00:00.000Z");
    // It counts toward the maximum.
    expect(await linesOfAll(client, bucket, path)).toEqual([["overage", "2.00"]]);
  });

  test("an event that arrives after the final invoice has an invoice of its own", async () => {
    const { bucket, before, after } = await replaced(rated("1.00"), rated("0.01"));
    await use(client, bucket, 110, january10);
    await moveTo(client, bucket, january20);
    expect(await linesOfAll(client, bucket, before)).toEqual([["overage", "10.00"]]);
    await use(client, bucket, 5, january10);
    await use(client, bucket, 2, "2031-01-14T23:59:59.999Z");
    await moveTo(client, bucket, "2031-01-20T00:59:59.999Z");
    expect(await linesOfAll(client, bucket, before)).toEqual([["overage", "10.00"]]);
    await moveTo(client, bucket, "2031-01-20T01:00:00.000Z");
    expect(await linesOfAll(client, bucket, before)).toEqual([
      ["overage", "10.00"],
      ["overage", "7.00"],
    ]);
    expect(await linesOfAll(client, bucket, after)).toEqual([]);
    // A repetition is a duplicate, wherever it counts.
    const event = usageEvent({ requests: 3 }, { time: january10 });
    expect(await record(client, bucket, event)).toMatchObject({ accepted: 1 });
    expect(await record(client, bucket, event)).toMatchObject({ accepted: 0, duplicates: 1 });
    await moveTo(client, bucket, "2031-03-20T02:00:00.000Z");
    expect(await linesOfAll(client, bucket, before)).toEqual([
      ["overage", "10.00"],
      ["overage", "7.00"],
      ["overage", "3.00"],
    ]);
  });

  test("a canceled subscription without a successor gets its late events, and none of later times", async () => {
    const { bucket, path } = await billed(client, january1, rated("1.00"));
    await moveTo(client, bucket, january15);
    await ok(client.patch(path, { status: "canceled" }));
    await moveTo(client, bucket, january20);
    await use(client, bucket, 104, january10);
    const later = await client.post(`${bucket}/events`, usageEvent({ requests: 1 }, { time: january15 }));
    expect(later).toMatchObject({ status: 400, body: { errors: [{ pointer: "/subject" }] } });
    await moveTo(client, bucket, "2031-02-20T00:00:00.000Z");
    expect(await linesOfAll(client, bucket, path)).toEqual([["overage", "4.00"]]);
  });

  test("usage of a subscription without prices is not billed with the next", async () => {
    const { bucket, before, after } = await replaced(unpriced, rated("1.00"));
    await use(client, bucket, 300, january10);
    await moveTo(client, bucket, "2031-02-15T01:00:00.000Z");
    expect(await usedOf(client, before, january10)).toBe(300);
    expect(await linesOfAll(client, bucket, after)).toEqual([]);
  });

  test("without prices, events count for the current subscription", async () => {
    const { bucket, before, after } = await replaced(unpriced, unpriced);
    await use(client, bucket, 300, january10);
    expect([await usedOf(client, before, january10), await usedOf(client, after, january10)]).toEqual([0, 300]);
  });

  test("a newer subscription takes over while the older one is active, and returns to it", async () => {
    const bucket = await newTestBucket(client, january1);
    const [one, two] = [
      await createPlan(client, bucket, rated("1.00")),
      await createPlan(client, bucket, rated("0.10")),
    ];
    const older = `${bucket}/subscriptions/${(await subscribe(client, bucket, [one])).id}`;
    await moveTo(client, bucket, january10);
    const newer = `${bucket}/subscriptions/${(await subscribe(client, bucket, [two])).id}`;
    await moveTo(client, bucket, january15);
    await ok(client.patch(newer, { status: "canceled" }));
    await moveTo(client, bucket, january20);
    await use(client, bucket, 101, "2031-01-05T00:00:00.000Z");
    await use(client, bucket, 120, "2031-01-12T00:00:00.000Z");
    await use(client, bucket, 3, "2031-01-17T00:00:00.000Z");
    await moveTo(client, bucket, "2031-02-01T01:00:00.000Z");
    expect(await linesOfAll(client, bucket, older)).toEqual([["overage", "4.00"]]);
    expect(await linesOfAll(client, bucket, newer)).toEqual([["overage", "2.00"]]);
  });
});
