import { beforeAll, describe, expect, test } from "bun:test";
import {
  billed,
  invoicesOf,
  linesOf,
  monthly,
  moveTo,
  ok,
  perUnit,
  rated,
  setProfile,
  use,
} from "../../../../../test/support/billing.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { createPlan } from "../../../../../test/support/metering.ts";
import { useServer } from "../../../../../test/support/server.ts";

const start = "2031-01-01T00:00:00.000Z";
const february = "2031-02-01T00:00:00.000Z";
const february1 = "2031-02-01T01:00:00.000Z";
const march1 = "2031-03-01T01:00:00.000Z";

eachEngine((engine) => {
  const { client } = useServer(engine);
  beforeAll(async () => {
    // Unpaid invoices do not end access in these tests.
    await setProfile(client, { termsDays: 365 });
  });

  describe("usage beyond the maximum is priced by tiers:", () => {
    const upTo150 = [
      { upTo: 150, unitAmount: "0.10" },
      { upTo: null, unitAmount: "0.05" },
    ];
    const bill = { overage: "bill", tierMode: "graduated" };
    const volume = { overage: "bill", tierMode: "volume" };
    test.each<[used: number, rate: object, currency: string, price: string | undefined]>([
      [100, { ...bill, tiers: upTo150 }, "EUR", undefined],
      [230, { ...bill, tiers: upTo150 }, "EUR", "13.00"],
      [270, { ...bill, tiers: upTo150 }, "EUR", "16.00"],
      [100.5, { ...bill, tiers: upTo150 }, "EUR", "0.05"],
      [100.05, { ...bill, tiers: upTo150 }, "EUR", "0.01"],
      [100.04, { ...bill, tiers: upTo150 }, "EUR", undefined],
      [105, { ...bill, tiers: [{ upTo: null, unitAmount: "0.1" }] }, "JPY", "1"],
      [104, { ...bill, tiers: [{ upTo: null, unitAmount: "0.1" }] }, "JPY", undefined],
      [103, { ...bill, tiers: [{ upTo: null, unitAmount: "0.0005" }] }, "KWD", "0.002"],
      [110, { ...bill, tiers: [{ upTo: null, unitAmount: "0", flatAmount: "5" }] }, "EUR", "5.00"],
      [200, { ...volume, tiers: upTo150 }, "EUR", "10.00"],
      [250, { ...volume, tiers: upTo150 }, "EUR", "15.00"],
      [250.01, { ...volume, tiers: upTo150 }, "EUR", "7.50"],
      [270, { ...volume, tiers: upTo150 }, "EUR", "8.50"],
      [100, { ...volume, tiers: [{ upTo: null, unitAmount: "1", flatAmount: "5" }] }, "EUR", undefined],
      [
        300,
        {
          ...volume,
          tiers: [
            { upTo: 100, unitAmount: "0.01", flatAmount: "1" },
            { upTo: null, unitAmount: "0.02", flatAmount: "2" },
          ],
        },
        "EUR",
        "6.00",
      ],
      [
        300,
        {
          ...bill,
          tiers: [
            { upTo: 100, unitAmount: "0.01", flatAmount: "1" },
            { upTo: null, unitAmount: "0.02", flatAmount: "2" },
          ],
        },
        "EUR",
        "6.00",
      ],
      [
        101,
        { overage: "bill", tierMode: "package", packageSize: 50, tiers: [{ upTo: null, unitAmount: "2.00" }] },
        "EUR",
        "2.00",
      ],
      [
        151,
        { overage: "bill", tierMode: "package", packageSize: 50, tiers: [{ upTo: null, unitAmount: "2.00" }] },
        "EUR",
        "4.00",
      ],
      [
        230,
        {
          overage: "bill",
          tierMode: "package",
          packageSize: 50,
          tiers: [
            { upTo: 100, unitAmount: "2.00" },
            { upTo: null, unitAmount: "1.00" },
          ],
        },
        "EUR",
        "5.00",
      ],
    ])("%p used with %j in %s: %p", async (used, rate, currency, price) => {
      const plan = { ...rated(rate), price: { currency, amount: "0", interval: "month" } };
      const { bucket } = await billed(client, start, plan);
      await use(client, bucket, used);
      await moveTo(client, bucket, february1);
      const invoices = await invoicesOf(client, bucket);
      expect(invoices.map(({ total }) => total)).toEqual(price === undefined ? [] : [price]);
      if (price !== undefined) expect(linesOf(invoices[0])).toEqual([["overage", price]]);
    });
  });

  test("a renewal waits an hour for late usage, and later usage is a line of the next invoice", async () => {
    const { bucket, path } = await billed(client, start, rated("0.10", { amount: "10.00" }));
    await use(client, bucket, 150);
    await moveTo(client, bucket, "2031-02-01T00:59:59.999Z");
    const [, draft] = await invoicesOf(client, bucket);
    expect(draft).toMatchObject({ status: "draft", finalizesOn: february1, total: "15.00" });
    expect((await ok(client.get(`${bucket}/invoices/${draft.id}`))).total).toBe("15.00");
    await use(client, bucket, 10, "2031-01-31T23:59:59.999Z");
    expect((await ok(client.get(`${bucket}/invoices/${draft.id}`))).total).toBe("16.00");
    await moveTo(client, bucket, february1);
    const finalized = await ok(client.get(`${bucket}/invoices/${draft.id}`));
    expect(finalized).toMatchObject({ status: "open", total: "16.00", finalizedOn: february1 });
    expect(linesOf(finalized)).toEqual([
      ["plan", "10.00"],
      ["overage", "6.00"],
    ]);
    expect(finalized.lines[1]).toMatchObject({
      meter: "requests",
      quantity: 60,
      unitAmount: "0.10",
      periodStart: start,
      periodEnd: february,
    });
    await use(client, bucket, 5, "2031-01-31T00:00:00.000Z");
    expect(await ok(client.get(`${bucket}/invoices/${draft.id}`))).toEqual(finalized);
    const upcoming = await ok(client.get(`${path}/upcoming-invoice`));
    expect(linesOf(upcoming)).toEqual([
      ["plan", "10.00"],
      ["overage", "0.50"],
    ]);
    await moveTo(client, bucket, march1);
    const [, , third] = await invoicesOf(client, bucket);
    expect(third.lines).toEqual(upcoming.lines);
    expect(third.lines[1]).toMatchObject({ quantity: 5, periodStart: start, periodEnd: february });
  });

  test("late usage is the rounded price of the total minus what was billed", async () => {
    const { bucket } = await billed(client, start, rated("0.004"));
    await use(client, bucket, 101);
    await moveTo(client, bucket, february1);
    expect(await invoicesOf(client, bucket)).toEqual([]);
    await use(client, bucket, 1, "2031-01-05T00:00:00.000Z");
    await moveTo(client, bucket, march1);
    expect((await invoicesOf(client, bucket)).map(linesOf)).toEqual([[["overage", "0.01"]]]);
  });

  test("a rate or lower maximum applies from the next period, a higher maximum at once", async () => {
    const { bucket, plan } = await billed(client, start, rated("0.10"));
    await use(client, bucket, 150);
    const path = `${bucket}/plans/${plan.id}`;
    await moveTo(client, bucket, "2031-01-10T00:00:00.000Z");
    await ok(client.patch(path, { meters: { requests: { max: 10 } }, rates: { requests: perUnit("9.00") } }));
    await moveTo(client, bucket, "2031-01-11T00:00:00.000Z");
    await ok(client.patch(path, { meters: { requests: { max: 120 } } }));
    await moveTo(client, bucket, "2031-01-12T00:00:00.000Z");
    await ok(client.patch(path, { meters: { requests: { max: 0 } } }));
    await moveTo(client, bucket, february1);
    expect((await invoicesOf(client, bucket)).map(({ total }) => total)).toEqual(["3.00"]);
    await use(client, bucket, 1);
    await moveTo(client, bucket, march1);
    expect((await invoicesOf(client, bucket)).map(({ total }) => total)).toEqual(["3.00", "9.00"]);
  });

  test("with bill, consuming goes beyond the maximum, but not in a trial or with block", async () => {
    const consume = async (path: string, requests: number) =>
      (await ok(client.post(`${path}/quotas/consume`, { meters: { requests } }))).allowed;
    const paid = await billed(client, start, rated("0.10"));
    expect(await consume(paid.path, 150)).toBe(true);
    expect((await ok(client.get(`${paid.path}/usage`))).meters.requests).toMatchObject({
      used: 150,
      max: 100,
      available: 0,
    });
    const blocked = await billed(client, start, rated({ overage: "block" }));
    expect(await consume(blocked.path, 150)).toBe(false);
    const trial = await billed(client, start, { ...rated("0.10"), trialDays: 10 }, { status: "trialing" });
    expect(await consume(trial.path, 150)).toBe(false);
    await moveTo(client, trial.bucket, "2031-01-11T00:00:00.000Z");
    expect(await consume(trial.path, 150)).toBe(true);
    for (const { bucket } of [paid, trial]) {
      await moveTo(client, bucket, february1);
      expect((await invoicesOf(client, bucket)).map(({ total }) => total)).toEqual(["5.00"]);
    }
  });

  test("usage of a trial is not billed, and overage starts at what was used by its end", async () => {
    const plan = { ...rated("0.10"), trialDays: 10 };
    const { bucket } = await billed(client, start, plan, { status: "trialing" });
    await use(client, bucket, 170);
    await moveTo(client, bucket, "2031-01-15T00:00:00.000Z");
    await use(client, bucket, 20);
    await use(client, bucket, 1000, "2031-01-10T23:59:59.999Z");
    await moveTo(client, bucket, february1);
    expect((await invoicesOf(client, bucket)).map(({ total }) => total)).toEqual(["2.00"]);
  });

  test("a change of plans fixes overage under the old terms, also of usage that arrives late", async () => {
    const { bucket, path } = await billed(client, start, rated("0.10"));
    const larger = await createPlan(client, bucket, rated("0.01", { max: 160 }));
    await use(client, bucket, 150);
    await moveTo(client, bucket, "2031-01-15T12:30:00.000Z");
    await ok(client.patch(path, { planExternalIds: [larger.planExternalId] }));
    await use(client, bucket, 110);
    await moveTo(client, bucket, "2031-01-20T00:00:00.000Z");
    await use(client, bucket, 40, "2031-01-15T12:29:59.999Z");
    await moveTo(client, bucket, february1);
    const [invoice, ...others] = await invoicesOf(client, bucket);
    expect(others).toEqual([]);
    // 190 were used before the change: 90 beyond 100. Then 110 more, all of them beyond 190.
    expect(
      invoice.lines.map(({ amount, quantity }: { amount: string; quantity: number }) => [quantity, amount]),
    ).toEqual([
      [90, "9.00"],
      [110, "1.10"],
    ]);
    await use(client, bucket, 1, "2031-01-15T12:29:59.999Z");
    await use(client, bucket, 100, "2031-01-15T12:30:00.000Z");
    await moveTo(client, bucket, march1);
    const [, late] = await invoicesOf(client, bucket);
    expect(late.lines.map(({ amount, quantity }: { amount: string; quantity: number }) => [quantity, amount])).toEqual([
      [1, "0.10"],
      [100, "1.00"],
    ]);
  });

  test("a larger plan does not make past usage more expensive", async () => {
    const { bucket, path } = await billed(client, start, { ...monthly("0.00"), meters: { requests: { max: 1000 } } });
    const smaller = await createPlan(client, bucket, rated("1.00", { max: 10 }));
    await use(client, bucket, 900);
    await moveTo(client, bucket, "2031-01-15T00:00:00.000Z");
    await ok(client.post(`${path}/$change`, { planExternalIds: [smaller.planExternalId], timing: "now" }));
    await use(client, bucket, 3);
    await moveTo(client, bucket, february1);
    expect((await invoicesOf(client, bucket)).map(({ total }) => total)).toEqual(["3.00"]);
  });

  test.each(["status", "$cancel", "delete"])("a subscription that ends by %s has a final invoice", async (by) => {
    const { bucket, path } = await billed(client, start, rated("0.10", { amount: "10.00" }));
    await use(client, bucket, 150);
    await moveTo(client, bucket, "2031-01-20T00:00:00.000Z");
    if (by === "status") await ok(client.patch(path, { status: "canceled" }));
    else if (by === "$cancel") await ok(client.post(`${path}/$cancel`, { timing: "now" }));
    else expect((await client.delete(path)).status).toBe(204);
    await moveTo(client, bucket, "2031-06-01T00:00:00.000Z");
    const invoices = await invoicesOf(client, bucket);
    expect(invoices.map(({ total, finalizedOn }) => [total, finalizedOn])).toEqual([
      ["10.00", start],
      ["5.00", by === "delete" ? "2031-01-20T00:00:00.000Z" : "2031-01-20T01:00:00.000Z"],
    ]);
  });

  test("with a yearly price and monthly quotas, overage is billed each month", async () => {
    const price = { currency: "EUR", amount: "300.00", interval: "year" };
    const { bucket } = await billed(client, start, { ...rated("0.10"), price });
    await use(client, bucket, 110);
    await moveTo(client, bucket, "2031-02-05T00:00:00.000Z");
    await use(client, bucket, 120);
    await moveTo(client, bucket, "2031-04-01T01:00:00.000Z");
    expect((await invoicesOf(client, bucket)).map(({ total }) => total)).toEqual(["300.00", "1.00", "2.00"]);
  });
});
