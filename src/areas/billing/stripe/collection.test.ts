import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { invoicesOf, monthly, ok, setProfile } from "../../../../test/support/billing.ts";
import { eachEngine } from "../../../../test/support/engines.ts";
import { FakeClock } from "../../../../test/support/fake-clock.ts";
import { createPlan, newMeteringBucket, subscribe } from "../../../../test/support/metering.ts";
import { startServer, type TestServer } from "../../../../test/support/server.ts";
import { account } from "../../../../test/support/server-settings.ts";
import { methods } from "../../../../test/support/stripe/book.ts";
import { useStripe } from "../../../../test/support/stripe/stripe-server.ts";

const provider = `/v1/accounts/${account}/payment-provider/live`;
const hour = 60 * 60 * 1000;

eachEngine((engine) => {
  const clock = new FakeClock();
  const stripe = useStripe(clock);
  let server: TestServer;
  let client: TestServer["client"];
  beforeAll(async () => {
    server = await startServer(engine, { clock, environment: { TOLLGATE_STRIPE_URL: stripe.url } });
    client = server.client;
    await setProfile(client, { taxRates: [{ name: "VAT", percentage: "19", country: "DE" }] });
    const settings = { type: "stripe", secretKey: "sk_live_1", webhookSecret: "whsec_1" };
    await ok(client.raw("PUT", provider, JSON.stringify(settings)));
  });
  afterAll(() => server.stop());
  beforeEach(() => {
    stripe.fault = () => "none";
    stripe.book.defaultMethod = methods.succeeds;
    stripe.received.length = 0;
  });

  async function subscribed(amount = "30.00") {
    const bucket = await newMeteringBucket(client);
    await subscribe(client, bucket, [await createPlan(client, bucket, monthly(amount))]);
    const [{ id, subscriptionId }] = await invoicesOf(client, bucket);
    return {
      bucket,
      id: id as string,
      path: `${bucket}/invoices/${id}`,
      subscription: `${bucket}/subscriptions/${subscriptionId}`,
    };
  }

  const remoteOf = (id: string) =>
    [...stripe.book.invoices.values()].find(({ metadata }) => metadata?.tollgate_invoice === id)!;
  const chargesOf = (id: string) => stripe.book.charges.filter(({ ours }) => ours === id).map(({ amount }) => amount);

  /** What is scheduled for later happens. */
  async function later(milliseconds = 7 * hour) {
    clock.advance(milliseconds);
    await server.catchUp();
  }

  test("an invoice is created with its lines, finalized and charged, and ours shows its number", async () => {
    const { bucket, id, path } = await subscribed();
    await ok(client.patch(`${bucket}/customers/acme`, { email: "billing@acme.example" }));
    await server.catchUp();
    const remote = remoteOf(id);
    expect(remote).toMatchObject({ status: "paid", total: 3000, currency: "eur", livemode: true });
    expect(stripe.book.itemsOf(remote.id).map(({ amount, metadata }) => [amount, metadata?.tollgate_line])).toEqual([
      [3000, "0"],
    ]);
    expect(chargesOf(id)).toEqual([3000]);
    const paid = await ok(client.get(path));
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
    await server.catchUp();
    const before = stripe.book.customers.size;
    await ok(client.patch(`${bucket}/customers/acme`, { legalName: "Acme Ltd" }));
    await later(31 * 24 * hour);
    expect(stripe.book.customers.size).toBe(before);
    const invoices = await invoicesOf(client, bucket);
    expect(invoices.map(({ status }) => status)).toEqual(["paid", "paid"]);
    expect(stripe.book.customer(remoteOf(invoices[1].id).customer as string).name).toBe("Acme Ltd");
  });

  test("taxes and what the balance pays are items", async () => {
    const { bucket, path } = await subscribed();
    await server.catchUp();
    await ok(client.patch(`${bucket}/customers/acme`, { address: { line1: "Hauptstr. 1", country: "DE" } }));
    await ok(client.post(`${path}/$credit`, { lines: [{ description: "Outage", amount: "10.00" }] }));
    await later(31 * 24 * hour);
    const next = (await invoicesOf(client, bucket)).at(-1);
    const remote = remoteOf(next.id);
    const amounts = stripe.book.itemsOf(remote.id).map(({ amount }) => amount);
    expect(amounts).toEqual([3000, 570, -1000]);
    expect(chargesOf(next.id)).toEqual([2570]);
    expect(next).toMatchObject({ status: "paid", total: "35.70" });
  });

  test("a failed payment is announced once, and the page of the invoice is shown", async () => {
    stripe.book.defaultMethod = methods.fails;
    const { id, path, subscription } = await subscribed();
    await server.catchUp();
    const failed = await ok(client.get(path));
    const { hosted_invoice_url: url } = remoteOf(id);
    expect(failed).toMatchObject({ status: "open", failedOn: clock.iso(), collection: { state: "failed", url } });
    expect((await ok(client.get(subscription))).payment.state).toBe("failed");
    await later();
    expect(await ok(client.get(path))).toEqual(failed);
    stripe.book.settle(remoteOf(id));
    await later();
    expect(await ok(client.get(path))).toMatchObject({ status: "paid", collection: { state: "paid" } });
    expect((await ok(client.get(subscription))).payment.state).toBe("paid");
  });

  test("a second step at the bank is shown, and is no failure", async () => {
    stripe.book.defaultMethod = methods.needsAction;
    const { id, path, subscription } = await subscribed();
    await server.catchUp();
    const { hosted_invoice_url: url } = remoteOf(id);
    const waiting = await ok(client.get(path));
    expect(waiting).toMatchObject({ status: "open", collection: { state: "needs_action", url } });
    expect(waiting).not.toHaveProperty("failedOn");
    expect((await ok(client.get(subscription))).payment.state).toBe("pending");
  });

  test("a bank debit that takes days is pending", async () => {
    stripe.book.defaultMethod = methods.takesDays;
    const { path } = await subscribed();
    await server.catchUp();
    expect(await ok(client.get(path))).toMatchObject({ status: "open", collection: { state: "pending" } });
  });

  describe("what is done with our invoice is done at Stripe:", () => {
    beforeEach(() => {
      stripe.book.defaultMethod = methods.fails;
    });

    test("$void", async () => {
      const { id, path } = await subscribed();
      await server.catchUp();
      await ok(client.post(`${path}/$void`));
      await server.catchUp();
      expect(remoteOf(id).status).toBe("void");
      expect(await ok(client.get(path))).toMatchObject({ status: "void", collection: { state: "void" } });
    });

    test("$mark-paid", async () => {
      const { id, path } = await subscribed();
      await server.catchUp();
      await ok(client.post(`${path}/$mark-paid`, { reference: "transfer" }));
      await server.catchUp();
      expect(remoteOf(id).status).toBe("paid");
      expect(chargesOf(id)).toEqual([]);
      expect(await ok(client.get(path))).toMatchObject({ reference: "transfer", collection: { state: "paid" } });
    });

    test("$credit", async () => {
      const { id, path } = await subscribed();
      await server.catchUp();
      await ok(client.post(`${path}/$credit`, { lines: [{ description: "Outage", amount: "10.00" }] }));
      await server.catchUp();
      expect(remoteOf(id).amount_remaining).toBe(2000);
      await later();
      expect(stripe.book.creditNotes.filter(({ invoice }) => invoice === remoteOf(id).id)).toHaveLength(1);
      stripe.book.settle(remoteOf(id));
      await later();
      expect(chargesOf(id)).toEqual([2000]);
      expect((await ok(client.get(path))).status).toBe("paid");
    });

    test("$void before it exists there", async () => {
      stripe.fault = () => "lost-request";
      const { id, path } = await subscribed();
      await server.catchUp();
      await ok(client.post(`${path}/$void`));
      stripe.fault = () => "none";
      await later();
      expect(remoteOf(id)).toBeUndefined();
    });
  });

  test("what is voided at Stripe is void, because its invoice is the legal one", async () => {
    stripe.book.defaultMethod = methods.fails;
    const { id, path } = await subscribed();
    await server.catchUp();
    stripe.book.void(remoteOf(id));
    await later();
    expect(await ok(client.get(path))).toMatchObject({ status: "void", collection: { state: "void" } });
  });

  test("an invoice with another amount is not finalized, and is repaired", async () => {
    const { id, path } = await subscribed();
    stripe.fault = ({ path: called }) => {
      // Another program adds an item that is not ours.
      if (called.endsWith("/finalize")) throw new Error("must not be finalized");
      return called === "/v1/invoiceitems" ? "none" : "none";
    };
    const isDraft = () => remoteOf(id)?.status === "draft";
    const add = stripe.fault;
    let isAdded = false;
    stripe.fault = (request) => {
      if (request.method === "POST" && request.path === "/v1/invoiceitems" && isDraft() && !isAdded) {
        isAdded = true;
        stripe.book.createItem(remoteOf(id), 500);
      }
      return add(request);
    };
    await server.catchUp();
    expect(await ok(client.get(path))).toMatchObject({ status: "open", collection: { state: "error" } });
    stripe.fault = () => "none";
    await later();
    expect(chargesOf(id)).toEqual([3000]);
    expect((await ok(client.get(path))).status).toBe("paid");
  });

  test("rejected credentials are shown, and others continue", async () => {
    await ok(client.raw("PUT", provider, JSON.stringify({ type: "stripe", secretKey: "rk_live_2" })));
    stripe.fault = () => "none";
    const { id, path } = await subscribed();
    // A key that the server does not know.
    const real = stripe.book.createCustomer;
    expect(real).toBeDefined();
    await server.catchUp();
    expect((await ok(client.get(path))).status).toBe("paid");
    expect(chargesOf(id)).toEqual([3000]);
  });

  test("a customer that was deleted at Stripe is created again", async () => {
    const { bucket } = await subscribed();
    await server.catchUp();
    stripe.book.customers.clear();
    await later(31 * 24 * hour);
    await later();
    const invoices = await invoicesOf(client, bucket);
    expect(invoices.map(({ status }) => status)).toEqual(["paid", "paid"]);
  });

  test("no call sends a secret in its path or body", () => {
    for (const { path, body } of stripe.received) expect(path + body).not.toContain("sk_live_1");
  });
});
