import { beforeEach, describe, expect, test } from "bun:test";
import { invoicesOf, ok } from "../../../../../../../test/support/billing.ts";
import { eachEngine } from "../../../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../../../test/support/expect-problem.ts";
import { methods } from "../../../../../../../test/support/stripe/book.ts";
import { announce, liveProvider, useStripeScene } from "../../../../../../../test/support/stripe/stripe-scene.ts";

eachEngine((engine) => {
  const scene = useStripeScene(engine);
  const { stripe, remoteOf, later, subscribed } = scene;
  beforeEach(() => {
    stripe.book.rejectsRefunds = false;
  });

  const credit = (path: string, amount: string, to = "payment-method") =>
    scene.client.post(`${path}/$credit`, { lines: [{ description: "Outage", amount }], to });

  /** What the credit notes at Stripe return to the payment method, and outside of it. */
  function returnedAt(id: string): [refunded: number, outside: number][] {
    return stripe.book.creditNotes
      .filter(({ invoice }) => invoice === remoteOf(id).id)
      .map(({ refunds, out_of_band_amount }) => [refunds[0]?.amount_refunded ?? 0, out_of_band_amount ?? 0]);
  }

  async function collected() {
    const its = await subscribed();
    await scene.server.catchUp();
    expect((await ok(scene.client.get(its.path))).status).toBe("paid");
    return its;
  }

  const noteOf = (bucket: string, { id }: { id: string }) => ok(scene.client.get(`${bucket}/invoices/${id}`));
  const balancesOf = async (bucket: string) => (await ok(scene.client.get(`${bucket}/customers/acme`))).balances;

  test("a refund is pending until Stripe has made it, and never exceeds the charge", async () => {
    const { bucket, id, path } = await collected();
    const note = await ok(credit(path, "10.00"));
    expect(note.refund).toEqual({ amount: "10.00", state: "pending" });
    await scene.server.catchUp();
    expect(await noteOf(bucket, note)).toMatchObject({ refund: { amount: "10.00", state: "succeeded" } });
    expect(returnedAt(id)).toEqual([[1000, 0]]);
    await ok(credit(path, "20.00"));
    expectProblem(await credit(path, "0.01"), 409, "credit_exceeds_invoice");
    await later();
    await later();
    expect(returnedAt(id)).toEqual([
      [1000, 0],
      [2000, 0],
    ]);
    expect(await ok(scene.client.get(path))).toMatchObject({ refunded: "30.00", collection: { state: "paid" } });
    expect(await balancesOf(bucket)).toBeUndefined();
  });

  test("a credit of a paid invoice to the balance is repeated outside of Stripe", async () => {
    const { bucket, id, path } = await collected();
    await ok(credit(path, "10.00", "balance"));
    await later();
    expect(returnedAt(id)).toEqual([[0, 1000]]);
    expect(await balancesOf(bucket)).toEqual([{ currency: "EUR", amount: "10.00" }]);
  });

  test("a refund that Stripe rejects becomes a grant, and is credited outside", async () => {
    const { bucket, id, path } = await collected();
    stripe.book.rejectsRefunds = true;
    const note = await ok(credit(path, "10.00"));
    await later();
    expect((await noteOf(bucket, note)).refund).toEqual({ amount: "10.00", state: "failed" });
    expect(returnedAt(id)).toEqual([[0, 1000]]);
    expect(await balancesOf(bucket)).toEqual([{ currency: "EUR", amount: "10.00" }]);
    expect(await ok(scene.client.get(path))).not.toHaveProperty("refunded");
  });

  test("what Stripe cannot return, because a credit note was made there, becomes a grant", async () => {
    const { bucket, id, path } = await collected();
    stripe.book.creditPaid(remoteOf(id), 2500, 0, 2500);
    const note = await ok(credit(path, "10.00"));
    await later();
    expect((await noteOf(bucket, note)).refund).toEqual({ amount: "10.00", state: "failed" });
    expect(returnedAt(id)).toEqual([
      [0, 2500],
      [0, 500],
    ]);
    expect(await balancesOf(bucket)).toEqual([{ currency: "EUR", amount: "10.00" }]);
  });

  test("a refund of an invoice that another account of Stripe has becomes a grant", async () => {
    const { bucket, id, path } = await collected();
    stripe.book.invoices.delete(remoteOf(id).id);
    const note = await ok(credit(path, "10.00"));
    await later();
    expect((await noteOf(bucket, note)).refund.state).toBe("failed");
    expect(await balancesOf(bucket)).toEqual([{ currency: "EUR", amount: "10.00" }]);
  });

  test("an invoice that was paid elsewhere is refunded elsewhere", async () => {
    stripe.book.defaultMethod = methods.fails;
    const { bucket, id, path } = await subscribed();
    await scene.server.catchUp();
    await ok(scene.client.post(`${path}/$mark-paid`));
    await scene.server.catchUp();
    const note = await ok(credit(path, "10.00"));
    await later();
    expect((await noteOf(bucket, note)).refund).toEqual({ amount: "10.00", state: "succeeded" });
    expect(returnedAt(id)).toEqual([[0, 1000]]);
  });

  describe("what is refunded in the dashboard of Stripe", () => {
    const compare = async (id: string) =>
      (await ok(scene.client.get(`${liveProvider}/comparison`))).differences.filter(
        ({ invoiceId }: { invoiceId: string }) => invoiceId === id,
      );
    const notesOf = async (bucket: string) =>
      (await invoicesOf(scene.client, bucket)).filter(({ type }) => type === "credit-note");

    test("is recorded once as a credit note, however often it is announced", async () => {
      const { bucket, id, path } = await collected();
      const refund = stripe.book.refundCharge(remoteOf(id), 1000);
      expect(await compare(id)).toMatchObject([{ kind: "refund", ours: { amount: 0 }, stripe: { amount: 1000 } }]);
      await announce(scene);
      stripe.book.emit("charge.refunded", { id: refund.charge, payment_intent: refund.payment_intent }, true);
      await announce(scene);
      expect(await notesOf(bucket)).toMatchObject([
        { total: "10.00", reference: refund.id, refund: { amount: "10.00", state: "succeeded" } },
      ]);
      expect(await ok(scene.client.get(path))).toMatchObject({ credited: "10.00", refunded: "10.00" });
      // It becomes a part of a credit note.
      stripe.book.creditInDashboard(remoteOf(id), 1000, refund);
      await announce(scene);
      expect(await notesOf(bucket)).toHaveLength(1);
      expect(await balancesOf(bucket)).toBeUndefined();
      expect(await compare(id)).toEqual([]);
      expect(returnedAt(id)).toEqual([[1000, 0]]);
    });

    test("is recorded beside what is refunded here, and the rest can be refunded", async () => {
      const { bucket, id, path } = await collected();
      await ok(credit(path, "5.00"));
      await later();
      const note = stripe.book.creditInDashboard(remoteOf(id), 1000);
      await announce(scene);
      expect((await notesOf(bucket)).map(({ total, reference }) => [total, reference])).toEqual([
        ["5.00", undefined],
        ["10.00", note.id],
      ]);
      expectProblem(await credit(path, "15.01"), 409, "credit_exceeds_invoice");
      await ok(credit(path, "15.00"));
      await later();
      expect(await ok(scene.client.get(path))).toMatchObject({ refunded: "30.00" });
      expect(stripe.book.refundsOf(remoteOf(id)).map(({ amount }) => amount)).toEqual([500, 1000, 1500]);
      expect(await compare(id)).toEqual([]);
    });

    test("is named by the comparison as far as it exceeds what is left of our invoice", async () => {
      const { bucket, id, path } = await collected();
      await ok(credit(path, "25.00", "balance"));
      stripe.book.refundCharge(remoteOf(id), 3000);
      await announce(scene);
      await later();
      expect((await notesOf(bucket)).map(({ total }) => total)).toEqual(["25.00", "5.00"]);
      expect(await compare(id)).toMatchObject([{ kind: "refund", ours: { amount: 500 }, stripe: { amount: 3000 } }]);
    });
  });

  describe("a refund is made once if", () => {
    test.each(["lost-request", "lost-response", "error", "error-after", "rate-limit", "late"] as const)(
      "a call has the fault %s",
      async (fault) => {
        const { bucket, id, path } = await collected();
        let faults = 0;
        stripe.fault = ({ method, path: called }) => {
          if (method !== "POST" || called !== "/v1/credit_notes" || faults > 0) return "none";
          faults += 1;
          return fault;
        };
        const note = await ok(credit(path, "10.00"));
        for (let turn = 0; turn < 4; turn++) await later();
        expect(faults).toBe(1);
        expect(returnedAt(id)).toEqual([[1000, 0]]);
        expect((await noteOf(bucket, note)).refund.state).toBe("succeeded");
      },
    );
  });
});
