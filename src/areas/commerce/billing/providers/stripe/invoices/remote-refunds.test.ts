import { beforeEach, describe, expect, test } from "bun:test";
import { invoicesOf, monthly, ok } from "../../../../../../../test/support/billing.ts";
import { eachEngine } from "../../../../../../../test/support/engines.ts";
import { createPlan, newMeteringBucket, subscribe } from "../../../../../../../test/support/metering.ts";
import { methods } from "../../../../../../../test/support/stripe/book.ts";
import { announce, liveProvider, useStripeScene } from "../../../../../../../test/support/stripe/stripe-scene.ts";

const hour = 60 * 60 * 1000;
const day = 24 * hour;

eachEngine((engine) => {
  const scene = useStripeScene(engine);
  const { stripe, remoteOf, later, subscribed } = scene;
  beforeEach(() => {
    stripe.book.rejectsRefunds = false;
  });

  async function collected() {
    const its = await subscribed();
    await scene.server.catchUp();
    expect((await ok(scene.client.get(its.path))).status).toBe("paid");
    return its;
  }

  /** An invoice of 30.00, of which a grant paid a part and the payment method the rest. */
  async function partlyGranted(amount: string) {
    const { client } = scene;
    const bucket = await newMeteringBucket(client);
    await subscribe(client, bucket, [await createPlan(client, bucket, monthly("0.00"))]);
    await ok(client.post(`${bucket}/customers/acme/grants`, { currency: "EUR", amount, funding: "paid" }));
    await subscribe(client, bucket, [await createPlan(client, bucket, monthly("30.00"))]);
    await scene.server.catchUp();
    const { id } = (await invoicesOf(client, bucket)).find(({ total }) => total === "30.00")!;
    return { bucket, id: id as string, path: `${bucket}/invoices/${id}` };
  }

  const refund = (path: string, amount: string) =>
    ok(scene.client.post(`${path}/$credit`, { lines: [{ description: "Outage", amount }], to: "payment-method" }));
  const refundsAt = (id: string) => stripe.book.refundsOf(remoteOf(id)).map(({ amount }) => amount);
  const balancesOf = async (bucket: string) => (await ok(scene.client.get(`${bucket}/customers/acme`))).balances;
  const compare = async (id: string) =>
    (await ok(scene.client.get(`${liveProvider}/comparison`))).differences.filter(
      ({ invoiceId }: { invoiceId: string }) => invoiceId === id,
    );
  /** Of each credit note: its total, and what of it was refunded. */
  const notesOf = async (bucket: string) =>
    (await invoicesOf(scene.client, bucket))
      .filter(({ type }) => type === "credit-note")
      .map(({ total, refund: its }) => [total, its?.amount, its?.state]);

  test("a fee that is refunded in the dashboard voids what its period carried over", async () => {
    const { client } = scene;
    const bucket = await newMeteringBucket(client);
    const plan = { ...monthly("30.00"), rollover: { requests: { maximum: 50 } } };
    await subscribe(client, bucket, [await createPlan(client, bucket, plan)]);
    const [{ id }] = await invoicesOf(client, bucket);
    await later();
    await later(31 * day + 2 * hour);
    const grants = async () => (await ok(client.get(`${bucket}/customers/acme/grants`))).data;
    expect(await grants()).toMatchObject([{ meter: "requests", balance: 50, status: "active" }]);
    stripe.book.refundCharge(remoteOf(id), 1000);
    await announce(scene);
    expect(await grants()).toMatchObject([{ balance: 50, status: "active" }]);
    stripe.book.refundCharge(remoteOf(id), 2000);
    await announce(scene);
    expect(await grants()).toMatchObject([{ balance: 0, status: "voided" }]);
  });

  test("a fee that is disputed voids what its period carried over, and grants nothing later", async () => {
    const { client } = scene;
    const plan = { ...monthly("30.00"), rollover: { requests: { maximum: 50 } } };
    const renewed = async () => {
      const bucket = await newMeteringBucket(client);
      await subscribe(client, bucket, [await createPlan(client, bucket, plan)]);
      const [{ id }] = await invoicesOf(client, bucket);
      const grants = async () => (await ok(client.get(`${bucket}/customers/acme/grants`))).data;
      return { id: id as string, grants };
    };
    const [granted, partly, early, won] = [await renewed(), await renewed(), await renewed(), await renewed()];
    await later();
    stripe.book.dispute(remoteOf(early.id));
    await announce(scene);
    const ended = stripe.book.dispute(remoteOf(won.id));
    await announce(scene);
    stripe.book.updateDispute(ended, "won");
    await announce(scene);
    await later(31 * day + 2 * hour);
    const active = [{ meter: "requests", balance: 50, status: "active" }];
    for (const { grants } of [granted, partly, won]) expect(await grants()).toMatchObject(active);
    expect(await early.grants()).toEqual([]);
    const inquiry = stripe.book.dispute(remoteOf(granted.id), "warning_needs_response");
    await announce(scene);
    // Half of the fee is refunded, and the bank demands less than the other half.
    stripe.book.refundCharge(remoteOf(partly.id), 1500);
    const part = stripe.book.dispute(remoteOf(partly.id));
    part.amount = 1499;
    await announce(scene);
    for (const { grants } of [granted, partly]) expect(await grants()).toMatchObject(active);
    stripe.book.updateDispute(inquiry, "needs_response");
    await announce(scene);
    part.amount = 1500;
    stripe.book.updateDispute(part, "under_review");
    await announce(scene);
    for (const { grants } of [granted, partly])
      expect(await grants()).toMatchObject([{ balance: 0, status: "voided" }]);
    // What is void stays void if the dispute is won, as the credit of a pack does.
    stripe.book.updateDispute(inquiry, "won");
    await announce(scene);
    expect(await granted.grants()).toMatchObject([{ balance: 0, status: "voided" }]);
  });

  describe("a refund here of what was refunded in the dashboard, before the event arrives,", () => {
    test("is that refund", async () => {
      const { bucket, id, path } = await collected();
      stripe.book.refundCharge(remoteOf(id), 3000);
      await refund(path, "30.00");
      await later();
      expect(await notesOf(bucket)).toEqual([["30.00", "30.00", "succeeded"]]);
      await announce(scene);
      expect(await notesOf(bucket)).toEqual([["30.00", "30.00", "succeeded"]]);
      expect(refundsAt(id)).toEqual([3000]);
      expect(await balancesOf(bucket)).toBeUndefined();
      expect(await compare(id)).toEqual([]);
    });

    test("refunds what is left of the charge", async () => {
      const { bucket, id, path } = await collected();
      stripe.book.refundCharge(remoteOf(id), 2000);
      await refund(path, "15.00");
      await announce(scene);
      await later();
      expect(refundsAt(id)).toEqual([2000, 1000]);
      expect(await notesOf(bucket)).toEqual([
        ["15.00", "15.00", "succeeded"],
        ["15.00", "15.00", "succeeded"],
      ]);
      expect(await balancesOf(bucket)).toBeUndefined();
      expect(await compare(id)).toEqual([]);
    });

    test("grants what Stripe did not refund, if it rejects the rest", async () => {
      const { bucket, id, path } = await collected();
      stripe.book.refundCharge(remoteOf(id), 2000);
      stripe.book.rejectsRefunds = true;
      await refund(path, "30.00");
      await announce(scene);
      await later();
      expect(refundsAt(id)).toEqual([2000]);
      expect(await notesOf(bucket)).toEqual([["30.00", "20.00", "succeeded"]]);
      expect(await balancesOf(bucket)).toEqual([{ currency: "EUR", amount: "10.00" }]);
      expect(await compare(id)).toEqual([]);
    });

    test.each([
      { dashboard: 500, here: "10.00", refunded: ["10.00", "failed"], recorded: "5.00", granted: "10.00" },
      { dashboard: 2000, here: "15.00", refunded: ["5.00", "succeeded"], recorded: "15.00", granted: "10.00" },
    ])("is not that of other money, if Stripe rejects $here after $dashboard", async (amounts) => {
      const { dashboard, here, refunded, recorded, granted } = amounts;
      const { bucket, id, path } = await collected();
      stripe.book.refundCharge(remoteOf(id), dashboard);
      stripe.book.rejectsRefunds = true;
      await refund(path, here);
      await announce(scene);
      await later();
      expect(await notesOf(bucket)).toEqual([
        [here, ...refunded],
        [recorded, recorded, "succeeded"],
      ]);
      expect(await balancesOf(bucket)).toEqual([{ currency: "EUR", amount: granted }]);
      expect(await compare(id)).toEqual([]);
    });

    test("is that refund also if it is made while Stripe is called", async () => {
      const { bucket, id, path } = await collected();
      await refund(path, "5.00");
      await refund(path, "25.00");
      let calls = 0;
      stripe.fault = ({ method, path: called }) => {
        if (method === "POST" && called === "/v1/credit_notes" && ++calls === 2)
          stripe.book.refundCharge(remoteOf(id), 2500);
        return "none";
      };
      await later();
      expect(refundsAt(id)).toEqual([500, 2500]);
      expect(await notesOf(bucket)).toEqual([
        ["5.00", "5.00", "succeeded"],
        ["25.00", "25.00", "succeeded"],
      ]);
      await announce(scene);
      expect(await balancesOf(bucket)).toBeUndefined();
      expect(await compare(id)).toEqual([]);
    });

    test("is that refund also if grants paid a part of the invoice", async () => {
      const { bucket, id, path } = await partlyGranted("10.00");
      stripe.book.refundCharge(remoteOf(id), 2000);
      await refund(path, "20.00");
      await announce(scene);
      await later();
      expect(await notesOf(bucket)).toEqual([["20.00", "20.00", "succeeded"]]);
      expect(await ok(scene.client.get(path))).toMatchObject({ credited: "20.00", refunded: "20.00" });
      expect(await compare(id)).toEqual([]);
    });

    test.each(["lost-response", "error-after"] as const)("is not counted twice after the fault %s", async (fault) => {
      const { bucket, id, path } = await collected();
      stripe.book.refundCharge(remoteOf(id), 2000);
      let faults = 0;
      stripe.fault = ({ method, path: called }) => {
        if (method !== "POST" || called !== "/v1/credit_notes" || faults > 0) return "none";
        faults += 1;
        return fault;
      };
      await refund(path, "15.00");
      for (let turn = 0; turn < 4; turn++) await later();
      await announce(scene);
      expect(faults).toBe(1);
      expect(refundsAt(id)).toEqual([2000, 1000]);
      expect(await balancesOf(bucket)).toBeUndefined();
      expect(await compare(id)).toEqual([]);
    });
  });

  describe("a credit note of the dashboard whose refund is pending", () => {
    async function pending() {
      const its = await collected();
      stripe.book.creditInDashboard(remoteOf(its.id), 1000);
      const refunded = stripe.book.refunds.at(-1)!;
      refunded.status = "pending";
      await announce(scene);
      expect(await notesOf(its.bucket)).toEqual([]);
      return { ...its, refunded };
    }

    test("is recorded when the refund has succeeded", async () => {
      const { bucket, id, refunded } = await pending();
      refunded.status = "succeeded";
      stripe.book.emit("refund.updated", refunded, true);
      await announce(scene);
      expect(await notesOf(bucket)).toEqual([["10.00", "10.00", "succeeded"]]);
      expect(await compare(id)).toEqual([]);
    });

    test.each(["failed", "canceled"])("is recorded without a refund when it has %s", async (status) => {
      const { bucket, id, path, refunded } = await pending();
      refunded.status = status;
      stripe.book.emit("refund.failed", refunded, true);
      await announce(scene);
      expect(await notesOf(bucket)).toEqual([["10.00", undefined, undefined]]);
      expect(await ok(scene.client.get(path))).not.toHaveProperty("refunded");
      expect(await compare(id)).toEqual([]);
    });
  });

  describe("of a refund that belongs to a credit note of the dashboard in part", () => {
    test("the rest is recorded too", async () => {
      const { bucket, id, path } = await collected();
      const whole = stripe.book.refundCharge(remoteOf(id), 3000);
      stripe.book.creditInDashboard(remoteOf(id), 1000, whole);
      await announce(scene);
      expect(await notesOf(bucket)).toEqual([
        ["10.00", "10.00", "succeeded"],
        ["20.00", "20.00", "succeeded"],
      ]);
      stripe.book.creditInDashboard(remoteOf(id), 2000, whole);
      await announce(scene);
      expect(await notesOf(bucket)).toHaveLength(2);
      expect(await ok(scene.client.get(path))).toMatchObject({ credited: "30.00", refunded: "30.00" });
      expect(await compare(id)).toEqual([]);
    });

    test("the rest reduces what can be refunded", async () => {
      const { bucket, id, path } = await collected();
      const whole = stripe.book.refundCharge(remoteOf(id), 2000);
      stripe.book.creditInDashboard(remoteOf(id), 1000, whole);
      await refund(path, "15.00");
      await later();
      expect(refundsAt(id)).toEqual([2000, 1000]);
      expect(await notesOf(bucket)).toEqual([["15.00", "15.00", "succeeded"]]);
      await announce(scene);
      expect(await balancesOf(bucket)).toBeUndefined();
      expect(await compare(id)).toEqual([]);
    });
  });

  describe("a refund of the dashboard is recorded if its event arrives", () => {
    test("before the payment is known here", async () => {
      stripe.fault = ({ path: called }) => (called.endsWith("/finalize") ? "lost-response" : "none");
      const { bucket, id, path } = await subscribed();
      await scene.server.catchUp();
      stripe.fault = () => "none";
      expect(remoteOf(id).status).toBe("paid");
      expect((await ok(scene.client.get(path))).status).toBe("open");
      stripe.book.refundCharge(remoteOf(id), 1000);
      await announce(scene);
      await later();
      expect((await ok(scene.client.get(path))).status).toBe("paid");
      expect(await notesOf(bucket)).toEqual([["10.00", "10.00", "succeeded"]]);
      expect(await compare(id)).toEqual([]);
    });

    test("while our invoice is not paid, because Stripe was paid less", async () => {
      stripe.book.defaultMethod = methods.fails;
      const { bucket, id, path } = await subscribed();
      await scene.server.catchUp();
      stripe.book.credit(remoteOf(id), 1000);
      stripe.book.settle(remoteOf(id));
      await announce(scene);
      stripe.book.refundCharge(remoteOf(id), 500);
      await announce(scene);
      expect((await ok(scene.client.get(path))).status).toBe("open");
      await ok(scene.client.post(`${path}/$credit`, { lines: [{ description: "Outage", amount: "10.00" }] }));
      await later();
      expect((await ok(scene.client.get(path))).status).toBe("paid");
      expect(await notesOf(bucket)).toEqual([
        ["10.00", undefined, undefined],
        ["5.00", "5.00", "succeeded"],
      ]);
      expect(await compare(id)).toEqual([]);
    });
  });
});
