import { beforeEach, describe, expect, test } from "bun:test";
import { invoicesOf, ok, rated, use } from "../../../../../test/support/billing.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { createPlan, newMeteringBucket, record, subscribe, usageEvent } from "../../../../../test/support/metering.ts";
import { methods } from "../../../../../test/support/stripe/book.ts";
import {
  announce,
  hour,
  liveProvider,
  sendEvent,
  useStripeScene,
} from "../../../../../test/support/stripe/stripe-scene.ts";

const returnUrl = "https://shop.example/billing";
const units = {
  packExternalId: "units",
  label: "1,000 requests",
  price: { currency: "EUR", amount: "10.00" },
  grant: { meter: "requests", amount: 1000, expiresInDays: 30 },
  isPublic: true,
};

/** Ways in which the response to a call is lost that has its effect, possibly later. */
const lostResponses = ["lost-response", "error-after", "late"] as const;

eachEngine((engine) => {
  const scene = useStripeScene(engine);
  const { stripe, chargesOf, remoteOf, later } = scene;
  beforeEach(() => {
    stripe.book.defaultMethod = null;
    stripe.book.rejectsRefunds = false;
  });

  /** A customer in Germany, whose plan includes nothing: all usage is paid from credit. */
  async function shop() {
    const { client } = scene;
    const bucket = await newMeteringBucket(client);
    await subscribe(client, bucket, [await createPlan(client, bucket, rated("0.10", { max: 0 }))]);
    const customer = `${bucket}/customers/acme`;
    await ok(client.patch(customer, { address: { line1: "Am Kai 1", city: "Hamburg", country: "DE" } }));
    await ok(client.post(`${bucket}/credit-packs`, units));
    await scene.server.catchUp();
    const grants = async () =>
      (await ok(client.get(`${customer}/grants`))).data.map(({ amount, balance, status }: Record<string, unknown>) => [
        amount,
        balance,
        status,
      ]);
    const read = (id: string) => ok(client.get(`${customer}/packs/${id}`));
    const refund = (id: string) => client.post(`${customer}/packs/${id}/$refund`);
    const notes = async () =>
      (await invoicesOf(client, bucket))
        .filter(({ type }) => type === "credit-note")
        .map(({ total, status, refund: its }) => [total, status, its?.state]);
    return { bucket, customer, grants, read, refund, notes };
  }

  async function bought() {
    const its = await shop();
    const body = { packExternalId: "units", returnUrl };
    const { purchaseId, url } = await ok(scene.client.post(`${its.customer}/packs/$purchase`, body));
    await scene.server.catchUp();
    const { invoiceId } = await its.read(purchaseId);
    return { ...its, id: purchaseId as string, invoice: invoiceId as string, url: url as string };
  }

  /** The customer opens the link, and enters a payment method at Stripe. */
  async function enter(url: string, method: string): Promise<void> {
    const { pathname } = new URL(url);
    await fetch(scene.server.url + pathname, { redirect: "manual" });
    stripe.book.completeSession([...stripe.book.sessions.values()].at(-1)!, method);
  }

  async function paid() {
    const its = await bought();
    await enter(its.url, methods.succeeds);
    await announce(scene);
    expect((await its.read(its.id)).state).toBe("paid");
    return its;
  }

  const refundsAt = (invoice: string) => stripe.book.refundsOf(remoteOf(invoice)).map(({ amount }) => amount);
  const differences = async (invoice: string) =>
    (await ok(scene.client.get(`${liveProvider}/comparison`))).differences.filter(
      ({ invoiceId }: { invoiceId: string }) => invoiceId === invoice,
    );

  describe("a pack is delivered exactly once", () => {
    test("a pack is delivered once when a payment method is entered, also if Stripe repeats events", async () => {
      const { bucket, id, invoice, url, read, grants } = await bought();
      expect(await read(id)).toMatchObject({ state: "open", total: { currency: "EUR", amount: "11.90" } });
      expect(remoteOf(invoice)).toBeUndefined();
      expect(await grants()).toEqual([]);
      await enter(url, methods.succeeds);
      await sendEvent(scene);
      await announce(scene);
      for (const type of ["invoice.paid", "invoice.paid", "invoice.finalized"]) {
        stripe.book.emit(type, remoteOf(invoice), true);
        await announce(scene);
      }
      await later();
      expect(chargesOf(invoice)).toEqual([1190]);
      expect(await grants()).toEqual([[1000, 1000, "active"]]);
      expect(await read(id)).toMatchObject({ state: "paid" });
      expect(await invoicesOf(scene.client, bucket)).toMatchObject([{ status: "paid", total: "11.90" }]);
      expect(await differences(invoice)).toEqual([]);
    });

    test("a pack is delivered once without any event, and is valid from the payment", async () => {
      const { customer, id, invoice, url, read, grants } = await bought();
      await enter(url, methods.fails);
      await announce(scene);
      expect(await read(id)).toMatchObject({ state: "open" });
      expect(await grants()).toEqual([]);
      const paidOn = new Date(Math.floor(scene.clock.now() / 1000) * 1000);
      stripe.book.settle(remoteOf(invoice));
      await later(7 * hour);
      expect(await grants()).toEqual([[1000, 1000, "active"]]);
      expect(await read(id)).toMatchObject({ state: "paid", paidOn: paidOn.toISOString() });
      const { data } = await ok(scene.client.get(`${customer}/grants`));
      expect(data[0].expiresOn).toBe(new Date(paidOn.getTime() + 30 * 24 * hour).toISOString());
      await announce(scene);
      expect(await grants()).toHaveLength(1);
    });

    test("a pack is delivered once if the events of a failure and of the payment arrive in reverse order", async () => {
      const { id, invoice, url, read, grants } = await bought();
      await enter(url, methods.fails);
      await announce(scene);
      const failure = stripe.book.events.findLast(({ type }) => type === "invoice.payment_failed")!;
      stripe.book.settle(remoteOf(invoice));
      await announce(scene);
      stripe.book.events.push({ ...failure, id: stripe.book.newId("evt") });
      await announce(scene);
      expect(await grants()).toEqual([[1000, 1000, "active"]]);
      expect(await read(id)).toMatchObject({ state: "paid" });
      expect(chargesOf(invoice)).toEqual([1190]);
    });

    test.each(lostResponses)(
      "a pack is delivered once if the charge call has the fault %s and the server restarts",
      async (fault) => {
        const { id, invoice, url, read, grants } = await bought();
        let faults = 0;
        stripe.fault = ({ path }) => {
          if (!path.endsWith("/finalize") || faults > 0) return "none";
          faults += 1;
          return fault;
        };
        await enter(url, methods.succeeds);
        await announce(scene);
        expect([faults, await grants()]).toEqual([1, []]);
        await scene.server.restart();
        for (let turn = 0; turn < 3; turn++) await later();
        expect(chargesOf(invoice)).toEqual([1190]);
        expect(await grants()).toEqual([[1000, 1000, "active"]]);
        expect(await read(id)).toMatchObject({ state: "paid" });
      },
    );
  });

  test("a pack that is not paid within a day is canceled, and neither charged nor granted", async () => {
    const { id, invoice, url, read, grants } = await bought();
    await later(25 * hour);
    expect((await read(id)).state).toBe("canceled");
    await enter(url, methods.succeeds);
    await announce(scene);
    expect(chargesOf(invoice)).toEqual([]);
    expect(await grants()).toEqual([]);
  });

  test("a pack whose card was declined is canceled after a day, once Stripe has voided the invoice", async () => {
    const { id, invoice, url, read, grants } = await bought();
    await enter(url, methods.fails);
    await announce(scene);
    await later(25 * hour);
    await later();
    expect(remoteOf(invoice).status).toBe("void");
    expect((await read(id)).state).toBe("canceled");
    expect(await grants()).toEqual([]);
  });

  test("a pack whose invoice never reached Stripe is canceled after a day", async () => {
    const { bucket, id, invoice, url, read } = await bought();
    stripe.fault = ({ method, path }) => (method === "POST" && path === "/v1/invoices" ? "lost-request" : "none");
    await enter(url, methods.succeeds);
    await announce(scene);
    await later(25 * hour);
    await later();
    expect(remoteOf(invoice)).toBeUndefined();
    expect(await invoicesOf(scene.client, bucket)).toMatchObject([{ status: "void" }]);
    expect((await read(id)).state).toBe("canceled");
  });

  test("a pack that is being charged is not replaced by another purchase", async () => {
    const { customer, id, invoice, url, read, grants } = await bought();
    await enter(url, methods.takesDays);
    await announce(scene);
    const again = await scene.client.post(`${customer}/packs/$purchase`, { packExternalId: "units", returnUrl });
    expectProblem(again, 409, "payment_in_progress");
    await later(25 * hour);
    expect((await read(id)).state).toBe("open");
    stripe.book.settle(remoteOf(invoice));
    await announce(scene);
    expect((await read(id)).state).toBe("paid");
    expect(await grants()).toEqual([[1000, 1000, "active"]]);
  });

  describe("$refund", () => {
    test("$refund removes the remaining credit first, and returns its price with tax", async () => {
      const { bucket, id, invoice, read, refund, grants, notes } = await paid();
      await use(scene.client, bucket, 333);
      expect(await ok(refund(id))).toEqual({ amount: "7.93", state: "pending" });
      expect(await grants()).toEqual([[1000, 0, "depleted"]]);
      expectProblem(await refund(id), 409, "nothing_to_refund");
      await later();
      expect(refundsAt(invoice)).toEqual([793]);
      expect(await notes()).toEqual([["7.93", "paid", "succeeded"]]);
      expect(await read(id)).toMatchObject({ state: "paid", refunded: "7.93" });
      // Stripe announces our own refund too, which is not one at the provider.
      stripe.book.emit("refund.created", stripe.book.refundsOf(remoteOf(invoice))[0]!, true);
      await announce(scene);
      expect(await read(id)).not.toHaveProperty("reversedOn");
      expect(await notes()).toHaveLength(1);
      expect(await differences(invoice)).toEqual([]);
    });

    test("a refund that Stripe rejects restores the credit and can be repeated", async () => {
      const { id, invoice, read, refund, grants, notes } = await paid();
      stripe.book.rejectsRefunds = true;
      expect(await ok(refund(id))).toEqual({ amount: "11.90", state: "pending" });
      await later();
      expect(await grants()).toEqual([[1000, 1000, "active"]]);
      expect(await notes()).toEqual([["11.90", "void", "failed"]]);
      expect(await read(id)).not.toHaveProperty("refunded");
      expect([
        refundsAt(invoice),
        stripe.book.creditNotes.filter((note) => note.invoice === remoteOf(invoice).id),
      ]).toEqual([[], []]);
      stripe.book.rejectsRefunds = false;
      await ok(refund(id));
      await later();
      expect(refundsAt(invoice)).toEqual([1190]);
      expect(await grants()).toEqual([[1000, 0, "depleted"]]);
      expect(await differences(invoice)).toEqual([]);
    });

    test.each(lostResponses)("a refund is made once if a call has the fault %s", async (fault) => {
      const { id, invoice, refund, grants, notes } = await paid();
      let faults = 0;
      stripe.fault = ({ method, path }) => {
        if (method !== "POST" || path !== "/v1/credit_notes" || faults > 0) return "none";
        faults += 1;
        return fault;
      };
      await ok(refund(id));
      for (let turn = 0; turn < 4; turn++) await later();
      expect([faults, refundsAt(invoice)]).toEqual([1, [1190]]);
      expect(await notes()).toEqual([["11.90", "paid", "succeeded"]]);
      expect(await grants()).toEqual([[1000, 0, "depleted"]]);
    });
  });

  describe("at Stripe itself,", () => {
    test("a refund voids what is left, once, and the comparison names what was used", async () => {
      const { bucket, id, invoice, read, refund, grants, notes } = await paid();
      await use(scene.client, bucket, 333);
      stripe.book.refundCharge(remoteOf(invoice), 1190);
      await announce(scene);
      const { reversedOn } = await read(id);
      expect(reversedOn).toBe(scene.clock.iso());
      expect(await grants()).toEqual([[1000, 0, "voided"]]);
      expect(await notes()).toEqual([["11.90", "paid", "succeeded"]]);
      expect(await differences(invoice)).toMatchObject([
        { kind: "used", detail: "333 requests of 1000 requests were used before the payment was refunded or disputed" },
      ]);
      stripe.book.emit("charge.refunded", { ...stripe.book.refunds.at(-1)!, object: "charge" }, true);
      await later(hour);
      await announce(scene);
      expect((await read(id)).reversedOn).toBe(reversedOn);
      expect(await notes()).toHaveLength(1);
      expectProblem(await refund(id), 409, "nothing_to_refund");
    });

    test("a dispute voids what is left, and an inquiry does not", async () => {
      const { bucket, id, invoice, read, refund, grants, notes } = await paid();
      await use(scene.client, bucket, 250);
      const dispute = stripe.book.dispute(remoteOf(invoice), "warning_needs_response");
      await announce(scene);
      expect(await grants()).toEqual([[1000, 750, "active"]]);
      expect(await read(id)).not.toHaveProperty("reversedOn");
      stripe.book.updateDispute(dispute, "needs_response");
      await announce(scene);
      expect(await grants()).toEqual([[1000, 0, "voided"]]);
      expect(await read(id)).toHaveProperty("reversedOn");
      expect(await notes()).toEqual([]);
      expect(await differences(invoice)).toMatchObject([{ kind: "used" }]);
      expectProblem(await refund(id), 409, "nothing_to_refund");
      expect(refundsAt(invoice)).toEqual([]);
    });

    test("credit that is returned after a dispute, because its usage was taken back, cannot be used", async () => {
      const { bucket, invoice, grants } = await paid();
      const event = usageEvent({ requests: 250 });
      await record(scene.client, bucket, event);
      await later(2 * hour);
      expect(await grants()).toEqual([[1000, 750, "active"]]);
      stripe.book.dispute(remoteOf(invoice));
      await announce(scene);
      const { source, id: eventId } = event;
      await ok(scene.client.post(`${bucket}/events/$void`, { source, id: eventId, reason: "Sent twice" }));
      await later(2 * hour);
      expect((await grants()).toSorted()).toEqual([
        [1000, 0, "voided"],
        [250, 0, "voided"],
      ]);
    });

    test("a dispute that arrives before the payment is known leaves nothing to use", async () => {
      const { id, invoice, url, read, grants } = await bought();
      await enter(url, methods.fails);
      await announce(scene);
      stripe.book.settle(remoteOf(invoice));
      stripe.book.dispute(remoteOf(invoice));
      await sendEvent(scene);
      await later();
      expect(await read(id)).toMatchObject({ state: "paid", reversedOn: expect.any(String) });
      expect(await grants()).toEqual([[1000, 0, "voided"]]);
      expect(await differences(invoice)).toEqual([]);
    });

    test("a refund while ours is pending is not made twice, and leaves nothing to use", async () => {
      const { id, invoice, refund, grants } = await paid();
      stripe.book.refundCharge(remoteOf(invoice), 1190);
      await ok(refund(id));
      await later();
      await announce(scene);
      expect(refundsAt(invoice)).toEqual([1190]);
      expect((await grants()).map(([, balance]: unknown[]) => balance)).toEqual([0]);
      expect(await differences(invoice)).toEqual([]);
    });

    test("a dispute while our refund is rejected leaves nothing to use", async () => {
      const { id, invoice, read, refund, grants } = await paid();
      stripe.book.rejectsRefunds = true;
      stripe.book.dispute(remoteOf(invoice));
      await ok(refund(id));
      await announce(scene);
      await later();
      expect(refundsAt(invoice)).toEqual([]);
      expect(await grants()).toEqual([[1000, 0, "voided"]]);
      expect(await read(id)).toHaveProperty("reversedOn");
    });
  });
});
