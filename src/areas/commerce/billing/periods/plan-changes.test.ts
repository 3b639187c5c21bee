import { beforeAll, describe, expect, test } from "bun:test";
import { billed, invoicesOf, linesOf, monthly, moveTo, ok, setProfile } from "../../../../../test/support/billing.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { createPlan, record, usageEvent } from "../../../../../test/support/metering.ts";
import { useServer } from "../../../../../test/support/server.ts";

/** April has 30 days. */
const start = "2031-04-01T00:00:00.000Z";
const day10 = "2031-04-11T00:00:00.000Z";
const may = "2031-05-01T00:00:00.000Z";
const meters = { requests: { max: 1000 } };

eachEngine((engine) => {
  const { client } = useServer(engine);
  beforeAll(async () => {
    await setProfile(client);
  });

  /** A subscription for 30, which is paid, with other plans to change to, on day 10, with some usage. */
  async function onDay10(used: number, amount = "30.00") {
    const base = await billed(client, start, { ...monthly(amount), meters });
    const [first] = await invoicesOf(client, base.bucket);
    await ok(client.post(`${base.bucket}/invoices/${first.id}/$mark-paid`));
    if (used > 0) await record(client, base.bucket, usageEvent({ requests: used }));
    const plan = async (fee: string) =>
      (await createPlan(client, base.bucket, { ...monthly(fee), meters })).planExternalId as string;
    const plans = { up: await plan("90.00"), down: await plan("3.00") };
    await moveTo(client, base.bucket, day10);
    return { ...base, ...plans };
  }

  test("from 30 to 90 on day 10 of 30 with 800 of 1,000 used: a credit of 6 and a fee of 60", async () => {
    const { bucket, path, up } = await onDay10(800);
    const change = { planExternalIds: [up] };
    const preview = await ok(client.post(`${path}/$change/preview`, change));
    expect(preview).toMatchObject({ timing: "now", on: day10, subscription: { planExternalIds: [up] } });
    expect(linesOf(preview.invoice)).toEqual([
      ["proration", "-6.00"],
      ["proration", "60.00"],
    ]);
    expect((await invoicesOf(client, bucket)).length).toBe(1);
    const changed = await ok(client.post(`${path}/$change`, change));
    expect(changed.planExternalIds).toEqual([up]);
    const [, invoice] = await invoicesOf(client, bucket);
    expect(invoice).toMatchObject({ status: "open", total: "54.00" });
    expect(invoice.lines).toEqual(preview.invoice.lines);
    await moveTo(client, bucket, may);
    expect((await invoicesOf(client, bucket)).map(({ total }) => total)).toEqual(["30.00", "54.00", "90.00"]);
  });

  describe("the credit is the fee without the larger of the elapsed and the used share:", () => {
    test.each<[used: number, credit: string | undefined]>([
      [0, "-20.00"],
      [100, "-20.00"],
      [334, "-19.98"],
      [1000, undefined],
      [5000, undefined],
    ])("%p used: %p", async (used, credit) => {
      const { bucket, path, up } = await onDay10(used);
      await ok(client.patch(path, { planExternalIds: [up] }));
      const [, invoice] = await invoicesOf(client, bucket);
      expect(linesOf(invoice)).toEqual([...(credit ? [["proration", credit]] : []), ["proration", "60.00"]]);
    });
  });

  describe("of a yearly fee with monthly quotas, the used share of a month counts as time of that month:", () => {
    // January and February have 59 days, and March has 31.
    test.each<[used: number, returned: string]>([
      [0, "305.00"],
      [310, "296.39"],
      [1000, "275.00"],
    ])("%p of 1,000 used on the second day of March: %s of 365", async (used, returned) => {
      const price = { currency: "EUR", amount: "365.00", interval: "year" };
      const { bucket, path } = await billed(client, "2031-01-01T00:00:00.000Z", { price, meters });
      const [first] = await invoicesOf(client, bucket);
      await ok(client.post(`${bucket}/invoices/${first.id}/$mark-paid`));
      // The usage of earlier months does not count.
      await record(client, bucket, usageEvent({ requests: 900 }));
      await moveTo(client, bucket, "2031-03-02T00:00:00.000Z");
      if (used > 0) await record(client, bucket, usageEvent({ requests: used }));
      await moveTo(client, bucket, "2031-03-02T00:00:00.001Z");
      await ok(client.post(`${path}/$cancel`, { timing: "now", refund: true }));
      expect((await ok(client.get(`${bucket}/customers/acme`))).balances).toEqual([
        { currency: "EUR", amount: returned },
      ]);
    });
  });

  test("a cheaper plan begins at the period's end, unless the change is undone", async () => {
    const { bucket, path, plan, down } = await onDay10(0);
    const changed = await ok(client.post(`${path}/$change`, { planExternalIds: [down] }));
    expect(changed).toMatchObject({
      planExternalIds: [plan.planExternalId],
      planChange: { planExternalIds: [down], on: may },
    });
    const upcoming = await ok(client.get(`${path}/upcoming-invoice`));
    expect(linesOf(upcoming)).toEqual([["plan", "3.00"]]);
    await ok(client.post(`${path}/$change`, { planExternalIds: [plan.planExternalId] }));
    expect((await ok(client.get(`${path}/upcoming-invoice`))).total).toBe("30.00");
    await ok(client.post(`${path}/$change`, { planExternalIds: [down] }));
    await moveTo(client, bucket, may);
    expect((await invoicesOf(client, bucket)).map(({ total }) => total)).toEqual(["30.00", "3.00"]);
    const read = await ok(client.get(path));
    expect(read.planExternalIds).toEqual([down]);
    expect(read).not.toHaveProperty("planChange");
  });

  test("what the new fee does not need of the old one becomes a balance that pays the next invoices", async () => {
    const { bucket, path, down } = await onDay10(0);
    await ok(client.post(`${path}/$change`, { planExternalIds: [down], timing: "now" }));
    const [first, note, invoice] = await invoicesOf(client, bucket);
    expect(invoice).toMatchObject({ status: "paid", total: "0.00", amountDue: "0.00" });
    expect(linesOf(invoice)).toEqual([
      ["proration", "-2.00"],
      ["proration", "2.00"],
    ]);
    expect(note).toMatchObject({ type: "credit-note", correctsId: first.id, total: "18.00" });
    const customer = `${bucket}/customers/acme`;
    expect((await ok(client.get(customer))).balances).toEqual([{ currency: "EUR", amount: "18.00" }]);
    await moveTo(client, bucket, "2031-11-01T00:00:00.000Z");
    const later = (await invoicesOf(client, bucket)).slice(3);
    expect(later.map(({ status, total, amountDue }) => [status, total, amountDue])).toEqual([
      ...Array(6).fill(["paid", "3.00", "0.00"]),
      ["open", "3.00", "3.00"],
    ]);
    expect(await ok(client.get(customer))).not.toHaveProperty("balances");
  });

  test("a cancellation at the period's end can be undone until then", async () => {
    const { bucket, path } = await onDay10(0);
    expect(await ok(client.post(`${path}/$cancel`))).toMatchObject({ status: "active", cancelsOn: may });
    expect((await client.get(`${path}/upcoming-invoice`)).status).toBe(404);
    const resumed = await ok(client.post(`${path}/$resume`));
    expect(resumed).not.toHaveProperty("cancelsOn");
    expectProblem(await client.post(`${path}/$resume`), 409, "subscription_not_canceling");
    await moveTo(client, bucket, may);
    expect((await invoicesOf(client, bucket)).length).toBe(2);
    await ok(client.post(`${path}/$cancel`, { timing: "period-end" }));
    await moveTo(client, bucket, "2031-12-01T00:00:00.000Z");
    expect((await ok(client.get(path))).status).toBe("canceled");
    expect((await invoicesOf(client, bucket)).length).toBe(2);
    expectProblem(await client.post(`${path}/$cancel`), 409, "subscription_not_in_force");
  });

  test("cancelling now refunds nothing unless asked, by the same formula", async () => {
    const kept = await onDay10(0);
    await ok(client.post(`${kept.path}/$cancel`, { timing: "now" }));
    expect(await ok(client.get(`${kept.bucket}/customers/acme`))).not.toHaveProperty("balances");
    const refunded = await onDay10(800);
    await ok(client.post(`${refunded.path}/$cancel`, { timing: "now", refund: true }));
    expect((await ok(client.get(`${refunded.bucket}/customers/acme`))).balances).toEqual([
      { currency: "EUR", amount: "6.00" },
    ]);
    expectProblem(await client.post(`${kept.path}/$cancel`, { refund: true }), 400, "validation_failed", {
      pointer: "/refund",
    });
  });

  test("a subscription that is reactivated in a paid period is not charged again", async () => {
    const { bucket, path } = await onDay10(0);
    await ok(client.patch(path, { status: "inactive" }));
    await moveTo(client, bucket, "2031-04-20T00:00:00.000Z");
    await ok(client.patch(path, { status: "active" }));
    expect((await invoicesOf(client, bucket)).length).toBe(1);
    await moveTo(client, bucket, may);
    expect((await invoicesOf(client, bucket)).map(({ total }) => total)).toEqual(["30.00", "30.00"]);
  });

  test("in an unpaid period, it is charged for the rest of it", async () => {
    const { bucket, path } = await onDay10(0);
    await ok(client.patch(path, { status: "inactive" }));
    await moveTo(client, bucket, "2031-06-16T00:00:00.000Z");
    await ok(client.patch(path, { status: "active" }));
    expect((await invoicesOf(client, bucket)).map(({ total }) => total)).toEqual(["30.00", "15.00"]);
  });

  test("a rejected change changes nothing", async () => {
    const { bucket, path } = await onDay10(0);
    const dollars = await createPlan(client, bucket, { ...monthly("9.00", "USD"), meters });
    const before = [await ok(client.get(path)), await invoicesOf(client, bucket)];
    const change = (planExternalIds: string[], timing = "now") =>
      client.post(`${path}/$change`, { planExternalIds, timing });
    expectProblem(await change([dollars.planExternalId]), 400, "validation_failed", { pointer: "/planExternalIds/0" });
    expectProblem(await change(["none"]), 400, "validation_failed", { pointer: "/planExternalIds/0" });
    expectProblem(await change([], "later"), 400, "validation_failed", { pointer: "/timing" });
    expect([await ok(client.get(path)), await invoicesOf(client, bucket)]).toEqual(before);
  });
});
