import { beforeAll, expect, test } from "bun:test";
import {
  billed,
  invoicesOf,
  linesOf,
  monthly,
  moveTo,
  newTestBucket,
  ok,
  perUnit,
  setProfile,
} from "../../../test/support/billing.ts";
import { eachEngine } from "../../../test/support/engines.ts";
import { createPlan, record, subscribe, usageEvent } from "../../../test/support/metering.ts";
import { useServer } from "../../../test/support/server.ts";

const january1 = "2031-01-01T00:00:00.000Z";
const january10 = "2031-01-10T00:00:00.000Z";
const january15 = "2031-01-15T00:00:00.000Z";
const january20 = "2031-01-20T00:00:00.000Z";

function rated(unitAmount: string, max = 100) {
  return {
    ...monthly("0.00"),
    meters: { requests: { label: "Requests", max } },
    rates: { requests: perUnit(unitAmount) },
  };
}

const unpriced = { meters: { requests: { max: 100 } } };

eachEngine((engine) => {
  const { client } = useServer(engine);
  beforeAll(async () => {
    await setProfile(client, { termsDays: 365, graceDays: 365 });
  });

  const use = (bucket: string, requests: number, time?: string) =>
    record(client, bucket, usageEvent({ requests }, time === undefined ? {} : { time }));
  const usedOf = async (path: string, at: string) =>
    (await ok(client.get(`${path}/usage?at=${at}`))).meters.requests.used;
  const overagesOf = async (bucket: string, path: string) => {
    const invoices = await invoicesOf(client, bucket, `?subscriptionId=${path.split("/").at(-1)}`);
    return invoices.flatMap(linesOf);
  };

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
    await use(bucket, 130, january10);
    await use(bucket, 150, january15);
    expect([await usedOf(before, january10), await usedOf(after, january15)]).toEqual([130, 150]);
    await moveTo(client, bucket, "2031-02-15T01:00:00.000Z");
    expect(await overagesOf(bucket, before)).toEqual([["overage", "30.00"]]);
    expect(await overagesOf(bucket, after)).toEqual([["overage", "0.50"]]);
  });

  test("an event that arrives after the final invoice has an invoice of its own", async () => {
    const { bucket, before, after } = await replaced(rated("1.00"), rated("0.01"));
    await use(bucket, 110, january10);
    await moveTo(client, bucket, january20);
    expect(await overagesOf(bucket, before)).toEqual([["overage", "10.00"]]);
    await use(bucket, 5, january10);
    await use(bucket, 2, "2031-01-14T23:59:59.999Z");
    await moveTo(client, bucket, "2031-01-20T00:59:59.999Z");
    expect(await overagesOf(bucket, before)).toEqual([["overage", "10.00"]]);
    await moveTo(client, bucket, "2031-01-20T01:00:00.000Z");
    expect(await overagesOf(bucket, before)).toEqual([
      ["overage", "10.00"],
      ["overage", "7.00"],
    ]);
    expect(await overagesOf(bucket, after)).toEqual([]);
    // A repetition is a duplicate, wherever it counts.
    const event = usageEvent({ requests: 3 }, { time: january10 });
    expect(await record(client, bucket, event)).toMatchObject({ accepted: 1 });
    expect(await record(client, bucket, event)).toMatchObject({ accepted: 0, duplicates: 1 });
    await moveTo(client, bucket, "2031-03-20T02:00:00.000Z");
    expect(await overagesOf(bucket, before)).toEqual([
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
    await use(bucket, 104, january10);
    const later = await client.post(`${bucket}/events`, usageEvent({ requests: 1 }, { time: january15 }));
    expect(later).toMatchObject({ status: 400, body: { errors: [{ pointer: "/subject" }] } });
    await moveTo(client, bucket, "2031-02-20T00:00:00.000Z");
    expect(await overagesOf(bucket, path)).toEqual([["overage", "4.00"]]);
  });

  test("usage of a subscription without prices is not billed with the next", async () => {
    const { bucket, before, after } = await replaced(unpriced, rated("1.00"));
    await use(bucket, 300, january10);
    await moveTo(client, bucket, "2031-02-15T01:00:00.000Z");
    expect(await usedOf(before, january10)).toBe(300);
    expect(await overagesOf(bucket, after)).toEqual([]);
  });

  test("without prices, events count for the current subscription", async () => {
    const { bucket, before, after } = await replaced(unpriced, unpriced);
    await use(bucket, 300, january10);
    expect([await usedOf(before, january10), await usedOf(after, january10)]).toEqual([0, 300]);
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
    await use(bucket, 101, "2031-01-05T00:00:00.000Z");
    await use(bucket, 120, "2031-01-12T00:00:00.000Z");
    await use(bucket, 3, "2031-01-17T00:00:00.000Z");
    await moveTo(client, bucket, "2031-02-01T01:00:00.000Z");
    expect(await overagesOf(bucket, older)).toEqual([["overage", "4.00"]]);
    expect(await overagesOf(bucket, newer)).toEqual([["overage", "2.00"]]);
  });
});
