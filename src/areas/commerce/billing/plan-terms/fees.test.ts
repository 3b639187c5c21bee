import { beforeAll, describe, expect, test } from "bun:test";
import {
  billed,
  invoicesOf,
  linesOf,
  monthly,
  moveTo,
  newTestBucket,
  ok,
  setProfile,
} from "../../../../../test/support/billing.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { createPlan, subscribe } from "../../../../../test/support/metering.ts";
import { useServer } from "../../../../../test/support/server.ts";

const start = "2031-01-01T00:00:00.000Z";

eachEngine((engine) => {
  const { client } = useServer(engine);
  beforeAll(async () => {
    await setProfile(client);
  });

  test("a fee is charged in advance, when the subscription begins and at each renewal", async () => {
    const { bucket, plan, subscription } = await billed(client, start, monthly("30.00"));
    const [first] = await invoicesOf(client, bucket);
    expect(first).toMatchObject({
      type: "invoice",
      status: "open",
      currency: "EUR",
      customerKey: "acme",
      subscriptionId: subscription.id,
      seller: { legalName: "Seller GmbH" },
      buyer: { customerKey: "acme" },
      subtotal: "30.00",
      tax: "0.00",
      total: "30.00",
      amountDue: "30.00",
      finalizedOn: start,
      dueOn: "2031-01-15T00:00:00.000Z",
    });
    expect(first.lines).toEqual([
      {
        kind: "plan",
        planId: plan.id,
        description: "Gold",
        quantity: 1,
        unitAmount: "30.00",
        amount: "30.00",
        periodStart: start,
        periodEnd: "2031-02-01T00:00:00.000Z",
      },
    ]);
    await moveTo(client, bucket, "2031-04-10T00:00:00.000Z");
    const all = await invoicesOf(client, bucket);
    expect(all.map(({ finalizedOn }) => finalizedOn)).toEqual([
      start,
      "2031-02-01T00:00:00.000Z",
      "2031-03-01T00:00:00.000Z",
      "2031-04-01T00:00:00.000Z",
    ]);
    expect(new Set(all.map(({ number }) => number)).size).toBe(4);
    await moveTo(client, bucket, "2031-04-10T00:00:00.000Z");
    expect((await invoicesOf(client, bucket)).length).toBe(4);
  });

  describe("a first partial period is charged by its share, to the millisecond:", () => {
    test.each<[anchor: string, amount: string, currency: string, charged: string]>([
      ["2031-01-16T12:00:00.000Z", "31.00", "EUR", "15.50"],
      ["2031-01-01T00:00:00.001Z", "31.00", "EUR", "0.00"],
      ["2030-12-02T00:00:00.000Z", "310", "JPY", "10"],
      ["2030-12-16T00:00:00.000Z", "31.000", "KWD", "15.000"],
      ["2030-12-16T00:00:00.001Z", "0.031", "KWD", "0.015"],
    ])("anchor %s, %s %s: %s", async (quotaResetAnchor, amount, currency, charged) => {
      const { bucket } = await billed(client, start, monthly(amount, currency), { quotaResetAnchor });
      const invoices = await invoicesOf(client, bucket);
      expect(invoices.map(({ total }) => total)).toEqual(/[1-9]/.test(charged) ? [charged] : []);
    });
  });

  test("a trial has no fees; they begin with its end, by their share", async () => {
    const { bucket, path } = await billed(
      client,
      start,
      { ...monthly("31.00"), trialDays: 10 },
      { status: "trialing" },
    );
    expect((await ok(client.get(path))).payment).toMatchObject({ state: "not_required" });
    await moveTo(client, bucket, "2031-01-10T23:59:59.999Z");
    expect(await invoicesOf(client, bucket)).toEqual([]);
    await moveTo(client, bucket, "2031-02-01T00:00:00.000Z");
    const invoices = await invoicesOf(client, bucket);
    expect(invoices.map(({ total, finalizedOn }) => [total, finalizedOn])).toEqual([
      ["21.00", "2031-01-11T00:00:00.000Z"],
      ["31.00", "2031-02-01T00:00:00.000Z"],
    ]);
  });

  test("a trial that ends in a pause is not charged", async () => {
    const plan = { ...monthly("31.00"), trialDays: 10, trialEndStatus: "paused" };
    const { bucket } = await billed(client, start, plan, { status: "trialing" });
    await moveTo(client, bucket, "2031-06-01T00:00:00.000Z");
    expect(await invoicesOf(client, bucket)).toEqual([]);
  });

  test("a yearly price with monthly quotas is charged once a year", async () => {
    const price = { currency: "EUR", amount: "300.00", interval: "year" };
    const { bucket } = await billed(client, start, { price });
    await moveTo(client, bucket, "2032-06-01T00:00:00.000Z");
    const invoices = await invoicesOf(client, bucket);
    expect(invoices.map(({ total, finalizedOn }) => [total, finalizedOn])).toEqual([
      ["300.00", start],
      ["300.00", "2032-01-01T00:00:00.000Z"],
    ]);
  });

  test("add-ons are lines of the same invoice", async () => {
    const bucket = await newTestBucket(client, start);
    const base = await createPlan(client, bucket, monthly("30.00"));
    const more = await createPlan(client, bucket, monthly("5.50"));
    await subscribe(client, bucket, [base, more]);
    const [invoice, ...others] = await invoicesOf(client, bucket);
    expect(others).toEqual([]);
    expect(linesOf(invoice)).toEqual([
      ["plan", "30.00"],
      ["plan", "5.50"],
    ]);
    expect(invoice.total).toBe("35.50");
  });

  test("a changed price applies from the next period, also if the server learns of the period later", async () => {
    const { bucket, plan } = await billed(client, start, monthly("30.00"));
    await moveTo(client, bucket, "2031-01-20T00:00:00.000Z");
    await ok(client.patch(`${bucket}/plans/${plan.id}`, monthly("40.00")));
    await moveTo(client, bucket, "2031-02-10T00:00:00.000Z");
    await ok(client.patch(`${bucket}/plans/${plan.id}`, { price: null }));
    await moveTo(client, bucket, "2031-05-01T00:00:00.000Z");
    expect((await invoicesOf(client, bucket)).map(({ total }) => total)).toEqual(["30.00", "40.00"]);
  });

  test("a plan that gets its first price is charged from the next period on", async () => {
    const { bucket, plan } = await billed(client, start, {});
    await moveTo(client, bucket, "2031-01-20T00:00:00.000Z");
    await ok(client.patch(`${bucket}/plans/${plan.id}`, monthly("40.00")));
    expect(await invoicesOf(client, bucket)).toEqual([]);
    await moveTo(client, bucket, "2031-02-01T00:00:00.000Z");
    expect((await invoicesOf(client, bucket)).map(({ total }) => total)).toEqual(["40.00"]);
  });

  test("subscriptions without a price never encounter money", async () => {
    const { bucket, path } = await billed(client, start, {});
    await moveTo(client, bucket, "2031-06-01T00:00:00.000Z");
    expect(await invoicesOf(client, bucket)).toEqual([]);
    expect(await ok(client.get(path))).not.toHaveProperty("payment");
    expect((await client.get(`${path}/upcoming-invoice`)).status).toBe(404);
  });

  test("taxes are lines that are rounded once, for customers of their country", async () => {
    await setProfile(client, { taxRates: [{ name: "VAT", percentage: "19", country: "DE" }] });
    const { bucket } = await billed(client, start, monthly("0.50"));
    await ok(client.patch(`${bucket}/customers/acme`, { address: { line1: "A", country: "DE" } }));
    await moveTo(client, bucket, "2031-02-01T00:00:00.000Z");
    const [first, second] = await invoicesOf(client, bucket);
    expect([first.tax, first.total]).toEqual(["0.00", "0.50"]);
    expect([second.subtotal, second.tax, second.total]).toEqual(["0.50", "0.10", "0.60"]);
    expect(second.buyer).toMatchObject({ address: { country: "DE" } });
    await setProfile(client);
  });
});
