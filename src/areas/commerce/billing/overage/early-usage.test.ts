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
const february1 = "2031-02-01T00:00:00.000Z";
const february10 = "2031-02-10T00:00:00.000Z";

const unpriced = { meters: { requests: { max: 100 } } };

eachEngine((engine) => {
  const { client } = useServer(engine);
  beforeAll(async () => {
    await setProfile(client, { termsDays: 365, graceDays: 365 });
  });

  const subscribeTo = async (bucket: string, plan: object) => {
    const { id } = await subscribe(client, bucket, [await createPlan(client, bucket, plan)]);
    return `${bucket}/subscriptions/${id}`;
  };
  /** Counters equal the stored events, also after events have moved. */
  const expectReconciled = async (bucket: string) =>
    expect(
      await ok(client.get(`${bucket}/reconciliation?from=2030-01-01T00:00:00Z&to=2032-01-01T00:00:00Z`)),
    ).toMatchObject({
      agrees: true,
      differences: [],
    });

  test("an early event is billed with the subscription that is current at its time", async () => {
    const { bucket, path: before } = await billed(client, january1, rated("1.00"));
    await use(client, bucket, 130, january10);
    await use(client, bucket, 150.5, january20);
    await use(client, bucket, 7, february10);
    expect(await usedOf(client, before, january10)).toBe(280.5);
    await moveTo(client, bucket, january15);
    await ok(client.patch(before, { status: "canceled" }));
    const after = await subscribeTo(bucket, rated("0.10"));
    expect([await usedOf(client, before, january10), await usedOf(client, after, january20)]).toEqual([130, 157.5]);
    const seriesOf = async (path: string) =>
      JSON.stringify(await ok(client.get(`${path}/usage-series?from=${january15}&to=${february1}&step=1d`)));
    expect([(await seriesOf(before)).includes("150.5"), (await seriesOf(after)).includes("150.5")]).toEqual([
      false,
      true,
    ]);
    await expectReconciled(bucket);
    await moveTo(client, bucket, "2031-03-20T00:00:00.000Z");
    expect(await linesOfAll(client, bucket, before)).toEqual([["overage", "30.00"]]);
    expect(await linesOfAll(client, bucket, after)).toEqual([["overage", "5.75"]]);
  });

  test("an event at the time of the change that arrived before it is the last of the former subscription", async () => {
    const { bucket, path: before } = await billed(client, january1, rated("1.00", { max: 0 }));
    await use(client, bucket, 1, "2031-01-14T23:59:59.999Z");
    await use(client, bucket, 2, january15);
    await use(client, bucket, 4, "2031-01-15T00:00:00.001Z");
    await moveTo(client, bucket, january15);
    await ok(client.patch(before, { status: "canceled" }));
    const after = await subscribeTo(bucket, rated("0.10", { max: 0 }));
    await moveTo(client, bucket, "2031-03-20T00:00:00.000Z");
    expect(await linesOfAll(client, bucket, before)).toEqual([["overage", "3.00"]]);
    expect(await linesOfAll(client, bucket, after)).toEqual([["overage", "0.40"]]);
  });

  test("an event after a scheduled cancellation counts for the next subscription, or for none", async () => {
    const { bucket, path: before } = await billed(client, january1, rated("1.00", { max: 0 }));
    await ok(client.post(`${before}/$cancel`));
    await use(client, bucket, 3, january20);
    await use(client, bucket, 4, "2031-02-05T00:00:00.000Z");
    await use(client, bucket, 5, february10);
    await moveTo(client, bucket, "2031-02-07T00:00:00.000Z");
    expect(await linesOfAll(client, bucket, before)).toEqual([["overage", "3.00"]]);
    const after = await subscribeTo(bucket, rated("0.10", { max: 0 }));
    expect(await usedOf(client, after, february10)).toBe(5);
    await expectReconciled(bucket);
    await moveTo(client, bucket, "2031-04-01T00:00:00.000Z");
    expect(await linesOfAll(client, bucket, before)).toEqual([["overage", "3.00"]]);
    expect(await linesOfAll(client, bucket, after)).toEqual([["overage", "0.50"]]);
  });

  test("early events follow a newer subscription, and return to the older one when it ends", async () => {
    const bucket = await newTestBucket(client, january1);
    const older = await subscribeTo(bucket, rated("1.00", { max: 0 }));
    await use(client, bucket, 1, "2031-01-12T00:00:00.000Z");
    await use(client, bucket, 2, january20);
    await moveTo(client, bucket, january10);
    const newer = await subscribeTo(bucket, rated("0.10", { max: 0 }));
    expect([await usedOf(client, older, january10), await usedOf(client, newer, january10)]).toEqual([0, 3]);
    await moveTo(client, bucket, january15);
    await ok(client.patch(newer, { status: "canceled" }));
    expect([await usedOf(client, older, january10), await usedOf(client, newer, january10)]).toEqual([2, 1]);
    await expectReconciled(bucket);
    await moveTo(client, bucket, "2031-02-20T00:00:00.000Z");
    expect(await linesOfAll(client, bucket, older)).toEqual([["overage", "2.00"]]);
    expect(await linesOfAll(client, bucket, newer)).toEqual([["overage", "0.10"]]);
  });

  test("a cancellation at the end of the period gives them to the older subscription", async () => {
    const bucket = await newTestBucket(client, january1);
    const older = await subscribeTo(bucket, rated("1.00", { max: 0 }));
    const newer = await subscribeTo(bucket, rated("0.10", { max: 0 }));
    await ok(client.post(`${newer}/$cancel`));
    await use(client, bucket, 4, january10);
    await use(client, bucket, 5, february10);
    await moveTo(client, bucket, "2031-03-01T01:00:00.000Z");
    expect(await linesOfAll(client, bucket, older)).toEqual([["overage", "5.00"]]);
    expect(await linesOfAll(client, bucket, newer)).toEqual([["overage", "0.40"]]);
  });

  test("a subscription that is deleted is not billed for later times", async () => {
    const bucket = await newTestBucket(client, january1);
    const older = await subscribeTo(bucket, rated("1.00", { max: 0 }));
    const newer = await subscribeTo(bucket, rated("0.10", { max: 0 }));
    await use(client, bucket, 4, january10);
    await use(client, bucket, 5, january20);
    await moveTo(client, bucket, january15);
    expect(await client.delete(newer)).toMatchObject({ status: 204 });
    expect(await linesOfAll(client, bucket, newer)).toEqual([["overage", "0.40"]]);
    expect(await usedOf(client, older, january20)).toBe(5);
    await moveTo(client, bucket, "2031-03-01T01:00:00.000Z");
    expect(await linesOfAll(client, bucket, older)).toEqual([["overage", "5.00"]]);
  });

  test("a repetition of an event that has moved is a duplicate", async () => {
    const { bucket, path: before } = await billed(client, january1, rated("1.00", { max: 0 }));
    const event = usageEvent({ requests: 3 }, { time: january20 });
    expect(await record(client, bucket, event)).toMatchObject({ accepted: 1 });
    await moveTo(client, bucket, january15);
    await ok(client.patch(before, { status: "canceled" }));
    const after = await subscribeTo(bucket, rated("0.10", { max: 0 }));
    expect(await record(client, bucket, event)).toMatchObject({ accepted: 0, duplicates: 1 });
    await moveTo(client, bucket, "2031-03-01T00:00:00.000Z");
    expect(await linesOfAll(client, bucket, before)).toEqual([]);
    expect(await linesOfAll(client, bucket, after)).toEqual([["overage", "0.30"]]);
  });

  test("meters that the next subscription lacks do not move", async () => {
    const both = { ...rated("1.00", { max: 0 }), meters: { requests: { max: 0 }, mails: { max: 100 } } };
    const { bucket, path: before } = await billed(client, january1, both);
    await record(client, bucket, usageEvent({ requests: 3, mails: 2 }, { time: january20 }));
    await moveTo(client, bucket, january15);
    await ok(client.patch(before, { status: "canceled" }));
    const after = await subscribeTo(bucket, rated("0.10", { max: 0 }));
    expect((await ok(client.get(`${before}/usage?at=${january20}`))).meters).toMatchObject({
      requests: { used: 0 },
      mails: { used: 2 },
    });
    expect(await usedOf(client, after, january20)).toBe(3);
    await expectReconciled(bucket);
  });

  test("money that paid for an event that moves is returned, and pays for it again", async () => {
    const { bucket, path: before } = await billed(client, january1, rated("1.00", { max: 0 }));
    const grants = `${bucket}/customers/acme/grants`;
    await ok(client.post(grants, { currency: "EUR", amount: "8.00", funding: "paid" }));
    await use(client, bucket, 5, january20);
    await moveTo(client, bucket, january15);
    await ok(client.patch(before, { status: "canceled" }));
    const after = await subscribeTo(bucket, rated("0.10", { max: 0 }));
    await moveTo(client, bucket, "2031-03-01T00:00:00.000Z");
    expect(await linesOfAll(client, bucket, after)).toEqual([["overage", "0.50"]]);
    const balances = (await ok(client.get(grants))).data.map(({ balance }: { balance: string }) => Number(balance));
    expect(balances.reduce((sum: number, each: number) => sum + each, 0)).toBe(7.5);
  });

  test("an event at the start of a period that a canceled subscription does not have moves", async () => {
    const bucket = await newTestBucket(client, january1);
    const older = await subscribeTo(bucket, rated("1.00", { max: 0 }));
    const newer = await subscribeTo(bucket, rated("0.10", { max: 0 }));
    await ok(client.post(`${newer}/$cancel`));
    await use(client, bucket, 4, february1);
    await moveTo(client, bucket, "2031-03-01T01:00:00.000Z");
    expect(await linesOfAll(client, bucket, older)).toEqual([["overage", "4.00"]]);
    expect(await linesOfAll(client, bucket, newer)).toEqual([]);
  });

  /** The grants' amounts by reason, and what is left of all of them. */
  const unitsOf = async (bucket: string) => {
    const { data } = await ok(client.get(`${bucket}/customers/acme/grants`));
    const left = data.reduce((sum: number, { balance }: { balance: number }) => sum + balance, 0);
    return { amounts: data.map(({ amount }: { amount: number }) => amount), left };
  };
  const grantUnits = (bucket: string, amount: number) =>
    ok(client.post(`${bucket}/customers/acme/grants`, { meter: "requests", amount, funding: "promotional" }));

  test("units of a grant follow the events that they cover to another subscription", async () => {
    const { bucket, path: before } = await billed(client, january1, rated("1.00", { max: 0 }));
    await grantUnits(bucket, 5);
    await use(client, bucket, 3, january10);
    await use(client, bucket, 2, january20);
    await moveTo(client, bucket, january15);
    await ok(client.patch(before, { status: "canceled" }));
    const after = await subscribeTo(bucket, rated("1.00", { max: 0 }));
    await moveTo(client, bucket, "2031-03-20T00:00:00.000Z");
    expect(await linesOfAll(client, bucket, before)).toEqual([]);
    expect(await linesOfAll(client, bucket, after)).toEqual([]);
    expect(await unitsOf(bucket)).toEqual({ amounts: [5, 2], left: 0 });
  });

  test("units of a grant are left over if the next subscription includes the events that they covered", async () => {
    const { bucket, path: before } = await billed(client, january1, rated("1.00", { max: 1 }));
    await grantUnits(bucket, 5);
    await use(client, bucket, 3, january10);
    await use(client, bucket, 4, january20);
    await moveTo(client, bucket, january15);
    const after = await subscribeTo(bucket, rated("1.00", { max: 3 }));
    await moveTo(client, bucket, "2031-03-20T00:00:00.000Z");
    // Of 7 units, 1 was included, 5 were covered and 1 was beyond. Now 1 and 3 are included, and 2 and 1 are covered.
    expect(await linesOfAll(client, bucket, before)).toEqual([]);
    expect(await linesOfAll(client, bucket, after)).toEqual([]);
    expect(await unitsOf(bucket)).toEqual({ amounts: [5, 3], left: 2 });
  });

  test("units of a grant follow the events that they cover to other plans, and are left over at the end", async () => {
    const { bucket, path } = await billed(client, january1, rated("1.00", { max: 0 }));
    const { planExternalId } = await createPlan(client, bucket, rated("2.00", { max: 0 }));
    await grantUnits(bucket, 9);
    await use(client, bucket, 3, january10);
    await use(client, bucket, 2, january20);
    await use(client, bucket, 4, "2031-01-25T00:00:00.000Z");
    await moveTo(client, bucket, january15);
    await ok(client.post(`${path}/$change`, { planExternalIds: [planExternalId], timing: "now" }));
    await moveTo(client, bucket, "2031-01-22T00:00:00.000Z");
    await ok(client.post(`${path}/$cancel`, { timing: "now" }));
    await moveTo(client, bucket, "2031-03-20T00:00:00.000Z");
    expect(await linesOfAll(client, bucket, path)).toEqual([]);
    expect(await unitsOf(bucket)).toMatchObject({ left: 4 });
  });

  test("units of a grant return if a meter without a rate loses the events that they cover", async () => {
    const fee = { price: { currency: "EUR", amount: "1.00", interval: "month" }, meters: { requests: { max: 1 } } };
    const { bucket, path: before } = await billed(client, january1, fee);
    await grantUnits(bucket, 6);
    await use(client, bucket, 3, january10);
    await use(client, bucket, 4, january20);
    await moveTo(client, bucket, january15);
    await ok(client.patch(before, { status: "canceled" }));
    const after = await subscribeTo(bucket, rated("1.00", { max: 0 }));
    await moveTo(client, bucket, "2031-03-20T00:00:00.000Z");
    expect(await linesOfAll(client, bucket, after)).toEqual([]);
    expect(await unitsOf(bucket)).toEqual({ amounts: [6, 4], left: 0 });
  });

  test("without prices, events stay where they were counted", async () => {
    const { bucket, path: before } = await billed(client, january1, unpriced);
    await use(client, bucket, 3, january20);
    await moveTo(client, bucket, january15);
    await ok(client.patch(before, { status: "canceled" }));
    const after = await subscribeTo(bucket, unpriced);
    expect([await usedOf(client, before, january10), await usedOf(client, after, january20)]).toEqual([3, 0]);
  });
});
