import { beforeEach, describe, expect, test } from "bun:test";
import { invoicesOf, ok } from "../../../../../../../test/support/billing.ts";
import { eachEngine } from "../../../../../../../test/support/engines.ts";
import { methods } from "../../../../../../../test/support/stripe/book.ts";
import {
  announce,
  hour,
  liveProvider as provider,
  useStripeScene,
} from "../../../../../../../test/support/stripe/stripe-scene.ts";
import type { Fault } from "../../../../../../../test/support/stripe/stripe-server.ts";

eachEngine((engine) => {
  const scene = useStripeScene(engine);
  const { stripe, clock, remoteOf, chargesOf, later, subscribed } = scene;

  /** The customer chooses another default payment method at Stripe. */
  async function changeMethod(id: string, method: string): Promise<void> {
    const customer = stripe.book.customer(remoteOf(id).customer as string);
    customer.invoice_settings.default_payment_method = method;
    stripe.book.emit("customer.updated", customer, true);
    await announce(scene);
  }

  test("an invoice is created with its lines, finalized and charged, and ours shows its number", async () => {
    const { id, path } = await subscribed();
    await scene.server.catchUp();
    const remote = remoteOf(id);
    expect(remote).toMatchObject({ status: "paid", total: 3000, currency: "eur", livemode: true });
    expect(stripe.book.itemsOf(remote.id).map(({ amount, metadata }) => [amount, metadata?.tollgate_line])).toEqual([
      [3000, "0"],
    ]);
    expect(chargesOf(id)).toEqual([3000]);
    const paid = await ok(scene.client.get(path));
    expect(paid).toMatchObject({
      status: "paid",
      number: remote.number!,
      amountDue: "0.00",
      reference: remote.id,
      collection: { state: "paid", url: remote.hosted_invoice_url! },
    });
  });

  test("the customer and its default payment method are used again", async () => {
    const { bucket } = await subscribed();
    await scene.server.catchUp();
    const before = stripe.book.customers.size;
    await ok(scene.client.patch(`${bucket}/customers/acme`, { legalName: "Acme Ltd" }));
    await later(31 * 24 * hour);
    expect(stripe.book.customers.size).toBe(before);
    const invoices = await invoicesOf(scene.client, bucket);
    expect(invoices.map(({ status }) => status)).toEqual(["paid", "paid"]);
    expect(stripe.book.customer(remoteOf(invoices[1].id).customer as string).name).toBe("Acme Ltd");
  });

  test("taxes and what the balance pays are items", async () => {
    const { bucket, path } = await subscribed();
    await scene.server.catchUp();
    await ok(scene.client.patch(`${bucket}/customers/acme`, { address: { line1: "Hauptstr. 1", country: "DE" } }));
    await ok(scene.client.post(`${path}/$credit`, { lines: [{ description: "Outage", amount: "10.00" }] }));
    await later(31 * 24 * hour);
    const next = (await invoicesOf(scene.client, bucket)).at(-1);
    const remote = remoteOf(next.id);
    const amounts = stripe.book.itemsOf(remote.id).map(({ amount }) => amount);
    expect(amounts).toEqual([3000, 570, -1000]);
    expect(chargesOf(next.id)).toEqual([2570]);
    expect(next).toMatchObject({ status: "paid", total: "35.70" });
  });

  test("a failed payment is announced once, and the page of the invoice is shown", async () => {
    stripe.book.defaultMethod = methods.fails;
    const { id, path, subscription } = await subscribed();
    await scene.server.catchUp();
    const failed = await ok(scene.client.get(path));
    const { hosted_invoice_url: url } = remoteOf(id);
    expect(failed).toMatchObject({ status: "open", failedOn: clock.iso(), collection: { state: "failed", url } });
    expect((await ok(scene.client.get(subscription))).payment.state).toBe("failed");
    await later();
    expect(await ok(scene.client.get(path))).toEqual(failed);
    stripe.book.settle(remoteOf(id));
    await later();
    expect(await ok(scene.client.get(path))).toMatchObject({ status: "paid", collection: { state: "paid" } });
    expect((await ok(scene.client.get(subscription))).payment.state).toBe("paid");
  });

  test("a second step at the bank is shown, and is no failure", async () => {
    stripe.book.defaultMethod = methods.needsAction;
    const { id, path, subscription } = await subscribed();
    await scene.server.catchUp();
    const { hosted_invoice_url: url } = remoteOf(id);
    const waiting = await ok(scene.client.get(path));
    expect(waiting).toMatchObject({ status: "open", collection: { state: "needs_action", url } });
    expect(waiting).not.toHaveProperty("failedOn");
    expect((await ok(scene.client.get(subscription))).payment.state).toBe("pending");
  });

  test("a bank debit that takes days is pending", async () => {
    stripe.book.defaultMethod = methods.takesDays;
    const { path } = await subscribed();
    await scene.server.catchUp();
    expect(await ok(scene.client.get(path))).toMatchObject({ status: "open", collection: { state: "pending" } });
  });

  describe("what is done with our invoice is done at Stripe:", () => {
    beforeEach(() => {
      stripe.book.defaultMethod = methods.fails;
    });

    test("$void", async () => {
      const { id, path } = await subscribed();
      await scene.server.catchUp();
      await ok(scene.client.post(`${path}/$void`));
      await scene.server.catchUp();
      expect(remoteOf(id).status).toBe("void");
      expect(await ok(scene.client.get(path))).toMatchObject({ status: "void", collection: { state: "void" } });
    });

    test("$mark-paid", async () => {
      const { id, path } = await subscribed();
      await scene.server.catchUp();
      await ok(scene.client.post(`${path}/$mark-paid`, { reference: "transfer" }));
      await scene.server.catchUp();
      expect(remoteOf(id).status).toBe("paid");
      expect(chargesOf(id)).toEqual([]);
      expect(await ok(scene.client.get(path))).toMatchObject({ reference: "transfer", collection: { state: "paid" } });
    });

    test("$credit", async () => {
      const { id, path } = await subscribed();
      await scene.server.catchUp();
      await ok(scene.client.post(`${path}/$credit`, { lines: [{ description: "Outage", amount: "10.00" }] }));
      await scene.server.catchUp();
      expect(remoteOf(id).amount_remaining).toBe(2000);
      await later();
      expect(stripe.book.creditNotes.filter(({ invoice }) => invoice === remoteOf(id).id)).toHaveLength(1);
      stripe.book.settle(remoteOf(id));
      await later();
      expect(chargesOf(id)).toEqual([2000]);
      expect((await ok(scene.client.get(path))).status).toBe("paid");
    });

    test("$credit of everything that is due, of which a grant has paid a part", async () => {
      const credit = (path: string, amount: string) =>
        ok(scene.client.post(`${path}/$credit`, { lines: [{ description: "Outage", amount }] }));
      const all = await subscribed();
      const rest = await subscribed();
      await scene.server.catchUp();
      await credit(all.path, "30.00");
      const grant = { currency: "EUR", amount: "12.00", funding: "paid" };
      await ok(scene.client.post(`${rest.bucket}/customers/acme/grants`, grant));
      await ok(scene.client.post(`${rest.path}/$collect`));
      await credit(rest.path, "18.00");
      await later();
      await later();
      for (const [its, credited] of [
        [all, 3000],
        [rest, 1800],
      ] as const) {
        // By two credit notes if a sync comes between the payment of the grant and ours.
        expect(remoteOf(its.id)).toMatchObject({ status: "paid", pre_payment_credit_notes_amount: credited });
        expect(chargesOf(its.id)).toEqual([]);
        expect(await ok(scene.client.get(its.path))).toMatchObject({ status: "paid", collection: { state: "paid" } });
      }
    });

    test("$mark-uncollectible, and nothing is charged any more unless the customer pays", async () => {
      const { bucket, id, path } = await subscribed();
      await scene.server.catchUp();
      await ok(scene.client.post(`${path}/$mark-uncollectible`));
      await scene.server.catchUp();
      const remote = remoteOf(id);
      expect(remote.status).toBe("uncollectible");
      await changeMethod(id, methods.succeeds);
      await later(25 * hour);
      expect(chargesOf(id)).toEqual([]);
      expect((await ok(scene.client.get(path))).status).toBe("uncollectible");
      stripe.book.settle(remote);
      await later(25 * hour);
      expect(await ok(scene.client.get(path))).toMatchObject({ status: "paid", reference: remote.id });
      expect((await ok(scene.client.get(`${bucket}/customers/acme/grants`))).data).toEqual([]);
    });

    test("a method that was declined is tried again if it is the default again", async () => {
      const { id, path } = await subscribed();
      await scene.server.catchUp();
      await changeMethod(id, methods.needsAction);
      await changeMethod(id, methods.fails);
      await changeMethod(id, methods.needsAction);
      stripe.book.funded.add(methods.fails);
      await changeMethod(id, methods.fails);
      stripe.book.funded.clear();
      expect((await ok(scene.client.get(path))).status).toBe("paid");
      expect(chargesOf(id)).toEqual([3000]);
    });

    test("$collect tries again, with the same payment method too", async () => {
      const { id, path } = await subscribed();
      await scene.server.catchUp();
      await later();
      expect(remoteOf(id).attempt_count).toBe(1);
      await ok(scene.client.post(`${path}/$collect`));
      await scene.server.catchUp();
      await later();
      expect(remoteOf(id).attempt_count).toBe(2);
      // Within the time for which Stripe repeats responses.
      for (const method of [methods.needsAction, methods.fails, methods.needsAction]) await changeMethod(id, method);
      expect(remoteOf(id).attempt_count).toBe(5);
      expect(await ok(scene.client.get(path))).toMatchObject({ collection: { state: "needs_action" } });
    });

    test("$credit before it exists there is not repeated after a grant has paid the rest", async () => {
      stripe.fault = () => "lost-request";
      const { bucket, id, path } = await subscribed();
      await scene.server.catchUp();
      await ok(scene.client.post(`${path}/$credit`, { lines: [{ description: "Outage", amount: "10.00" }] }));
      stripe.fault = () => "none";
      await later();
      expect(remoteOf(id)).toMatchObject({ status: "open", total: 2000 });
      const grant = { currency: "EUR", amount: "20.00", funding: "paid" };
      await ok(scene.client.post(`${bucket}/customers/acme/grants`, grant));
      await ok(scene.client.post(`${path}/$collect`));
      await later();
      expect(remoteOf(id)).toMatchObject({ status: "paid", pre_payment_credit_notes_amount: 0 });
      expect(chargesOf(id)).toEqual([]);
      expect(await ok(scene.client.get(path))).toMatchObject({ status: "paid", collection: { state: "paid" } });
    });

    test("$void before it exists there", async () => {
      stripe.fault = () => "lost-request";
      const { id, path } = await subscribed();
      await scene.server.catchUp();
      await ok(scene.client.post(`${path}/$void`));
      stripe.fault = () => "none";
      await later();
      expect(remoteOf(id)).toBeUndefined();
    });
  });

  test("what is voided at Stripe is void, because its invoice is the legal one", async () => {
    stripe.book.defaultMethod = methods.fails;
    const { id, path } = await subscribed();
    await scene.server.catchUp();
    stripe.book.void(remoteOf(id));
    await later();
    expect(await ok(scene.client.get(path))).toMatchObject({ status: "void", collection: { state: "void" } });
  });

  test("an invoice with another amount is not finalized, and is repaired", async () => {
    let isAdded = false;
    stripe.fault = ({ method, path: called }) => {
      // Another program adds an item that is not ours.
      if (!isAdded && method === "POST" && called === "/v1/invoiceitems") {
        isAdded = true;
        stripe.book.createItem([...stripe.book.invoices.values()].at(-1)!, 500);
      }
      return "none";
    };
    const { id, path } = await subscribed();
    await scene.server.catchUp();
    expect(await ok(scene.client.get(path))).toMatchObject({ status: "open", collection: { state: "error" } });
    stripe.fault = () => "none";
    await later();
    expect(chargesOf(id)).toEqual([3000]);
    expect((await ok(scene.client.get(path))).status).toBe("paid");
  });

  test("rejected credentials are shown, and others continue", async () => {
    stripe.isKnownKey = () => false;
    const { id, path } = await subscribed();
    await scene.server.catchUp();
    expect(await ok(scene.client.get(path))).toMatchObject({ status: "open", collection: { state: "error" } });
    stripe.isKnownKey = (key) => key === "rk_live_2";
    await ok(scene.client.raw("PUT", provider, JSON.stringify({ type: "stripe", secretKey: "rk_live_2" })));
    await scene.server.catchUp();
    expect(await ok(scene.client.get(path))).toMatchObject({ status: "paid", collection: { state: "paid" } });
    expect(chargesOf(id)).toEqual([3000]);
  });

  test("what is requested during a call that fails is done at once, not after the delay", async () => {
    const { id, path } = await subscribed();
    let isRequested = false;
    stripe.fault = async (): Promise<Fault> => {
      if (isRequested) return "none";
      isRequested = true;
      await ok(scene.client.post(`${path}/$collect`));
      return "error";
    };
    await scene.server.catchUp();
    expect(isRequested).toBe(true);
    await scene.server.catchUp();
    expect(chargesOf(id)).toEqual([3000]);
  });

  test("after a call that fails, the next attempt waits", async () => {
    const { id } = await subscribed();
    stripe.fault = () => "error";
    await scene.server.catchUp();
    stripe.fault = () => "none";
    await scene.server.catchUp();
    expect(chargesOf(id)).toEqual([]);
    await later();
    expect(chargesOf(id)).toEqual([3000]);
  });

  test("a customer that was deleted at Stripe is created again", async () => {
    const { bucket } = await subscribed();
    await scene.server.catchUp();
    stripe.book.customers.clear();
    await later(31 * 24 * hour);
    await later();
    const invoices = await invoicesOf(scene.client, bucket);
    expect(invoices.map(({ status }) => status)).toEqual(["paid", "paid"]);
  });

  describe("a draft that does not exist any more", () => {
    /** A draft whose items could not be added. */
    async function drafted() {
      stripe.fault = ({ method, path }) => (method === "POST" && path === "/v1/invoiceitems" ? "lost-request" : "none");
      const created = await subscribed();
      await scene.server.catchUp();
      stripe.fault = () => "none";
      expect(remoteOf(created.id).status).toBe("draft");
      return created;
    }
    const differences = async () => (await ok(scene.client.get(`${provider}/comparison`))).differences;

    test("is created again if it was deleted at Stripe", async () => {
      const { id, path } = await drafted();
      stripe.book.invoices.delete(remoteOf(id).id);
      await later();
      expect(chargesOf(id)).toEqual([3000]);
      expect((await ok(scene.client.get(path))).status).toBe("paid");
    });

    test("is finished if our invoice is void and the process ended after the deletion", async () => {
      const { id, path } = await drafted();
      await ok(scene.client.post(`${path}/$void`));
      stripe.fault = ({ method }) => (method === "DELETE" ? "lost-response" : "none");
      await scene.server.catchUp();
      expect(remoteOf(id)).toBeUndefined();
      stripe.fault = () => "none";
      await later();
      const found = (await differences()).filter(({ invoiceId }: { invoiceId: string }) => invoiceId === id);
      expect(found).toEqual([]);
    });
  });

  test("an invoice that another account of Stripe has is not charged a second time", async () => {
    stripe.book.defaultMethod = methods.fails;
    const { id, path } = await subscribed();
    await scene.server.catchUp();
    stripe.book.invoices.delete(remoteOf(id).id);
    stripe.book.defaultMethod = methods.succeeds;
    await later();
    await later();
    expect(remoteOf(id)).toBeUndefined();
    expect(await ok(scene.client.get(path))).toMatchObject({ status: "open", collection: { state: "error" } });
  });

  test("no call sends a secret in its path or body", () => {
    for (const { path, body } of stripe.received) expect(path + body).not.toContain("sk_live_1");
  });
});
