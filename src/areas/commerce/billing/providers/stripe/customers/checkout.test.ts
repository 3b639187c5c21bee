import { beforeEach, describe, expect, test } from "bun:test";
import { invoicesOf, monthly, ok, setProfile } from "../../../../../../../test/support/billing.ts";
import { eachEngine } from "../../../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../../../test/support/expect-problem.ts";
import { createPlan, newMeteringBucket, subscribe } from "../../../../../../../test/support/metering.ts";
import { runSql } from "../../../../../../../test/support/run-sql.ts";
import { methods } from "../../../../../../../test/support/stripe/book.ts";
import {
  announce,
  hour,
  liveProvider,
  useStripeScene,
  webhookSecret,
} from "../../../../../../../test/support/stripe/stripe-scene.ts";

const returnUrl = "https://shop.example/billing";

eachEngine((engine) => {
  const scene = useStripeScene(engine);
  const { stripe, chargesOf, later, remoteOf } = scene;
  beforeEach(() => {
    stripe.book.defaultMethod = null;
  });

  async function bought(amount = "30.00") {
    const bucket = await newMeteringBucket(scene.client);
    const { planExternalId } = await createPlan(scene.client, bucket, monthly(amount));
    const body = { customerKey: "acme", planExternalIds: [planExternalId], returnUrl };
    const { subscriptionId, url } = await ok(scene.client.post(`${bucket}/subscriptions/$purchase`, body));
    await scene.server.catchUp();
    return { bucket, subscription: `${bucket}/subscriptions/${subscriptionId}`, url: url as string };
  }

  /** The customer opens the link, as a browser does, and is sent to Stripe. */
  async function open(url: string) {
    const { pathname } = new URL(url);
    const response = await fetch(scene.server.url + pathname, { redirect: "manual" });
    const session = [...stripe.book.sessions.values()].at(-1)!;
    return { status: response.status, location: response.headers.get("location"), session };
  }

  test("a purchase is charged once a payment method was entered at Stripe, and is active then", async () => {
    const { bucket, subscription, url } = await bought();
    expect((await ok(scene.client.get(subscription))).status).toBe("incomplete");
    const [invoice] = await invoicesOf(scene.client, bucket);
    const { status, location, session } = await open(url);
    expect([status, location]).toEqual([303, session.url]);
    expect(session).toMatchObject({ mode: "setup", currency: "eur", success_url: returnUrl, livemode: true });
    expect(stripe.book.charges.filter(({ ours }) => ours === invoice.id)).toEqual([]);
    stripe.book.completeSession(session, methods.succeeds);
    await announce(scene);
    expect(stripe.book.customer(session.customer as string).invoice_settings.default_payment_method).toBe(
      methods.succeeds,
    );
    expect(chargesOf(invoice.id)).toEqual([3000]);
    expect((await ok(scene.client.get(subscription))).status).toBe("active");
    expect((await ok(scene.client.get(`${bucket}/customers/acme`))).paymentMethod).toEqual({
      type: "stripe",
      kind: "card",
      brand: "visa",
      last4: "4242",
      expires: "2040-12",
    });
  });

  test("Stripe's page asks for what its invoice lacks, and the invoice and the customer have it", async () => {
    await setProfile(scene.client, { buyerAddress: "required" });
    const { bucket, url } = await bought();
    const { session } = await open(url);
    expect(session).toMatchObject({ billing_address_collection: "required", tax_id_collection: { enabled: true } });
    const billing = {
      line1: "Hauptstr. 1",
      line2: null,
      postal_code: "10115",
      city: "Berlin",
      state: null,
      country: "DE",
    };
    stripe.book.entered.set(methods.succeeds, { billing });
    stripe.book.completeSession(session, methods.succeeds, { name: "Acme GmbH", taxId: "DE123456789" });
    await announce(scene);
    stripe.book.entered.clear();
    const address = { line1: "Hauptstr. 1", postalCode: "10115", city: "Berlin", country: "DE" };
    const buyer = { legalName: "Acme GmbH", address, taxIds: ["DE123456789"] };
    const [invoice] = await invoicesOf(scene.client, bucket);
    expect(invoice).toMatchObject({ status: "paid", buyer });
    expect(remoteOf(invoice.id)).toMatchObject({
      customer_name: "Acme GmbH",
      customer_address: { line1: "Hauptstr. 1", city: "Berlin", country: "DE" },
    });
    expect(await ok(scene.client.get(`${bucket}/customers/acme`))).toMatchObject(buyer);
    // What is known is not asked for, and stays.
    const known = await bought();
    await ok(scene.client.patch(`${known.bucket}/customers/acme`, { ...buyer, legalName: "Known" }));
    const next = await open(known.url);
    expect(next.session).toMatchObject({ billing_address_collection: "auto", tax_id_collection: { enabled: false } });
    stripe.book.completeSession(next.session, methods.succeeds, { name: "Of the card", taxId: "FR1" });
    await announce(scene);
    expect(await ok(scene.client.get(`${known.bucket}/customers/acme`))).toMatchObject({
      ...buyer,
      legalName: "Known",
    });
    await setProfile(scene.client, { taxRates: [{ name: "VAT", percentage: "19", country: "DE" }] });
  });

  test("without the event, the checkout is found a little later", async () => {
    const { bucket, subscription, url } = await bought();
    stripe.book.completeSession((await open(url)).session, methods.succeeds);
    await later(2 * 60_000);
    await later(2 * 60_000);
    const [invoice] = await invoicesOf(scene.client, bucket);
    expect(chargesOf(invoice.id)).toEqual([3000]);
    expect((await ok(scene.client.get(subscription))).status).toBe("active");
  });

  test("a declined card leaves the purchase incomplete, and another one pays it", async () => {
    const { bucket, subscription, url } = await bought();
    stripe.book.completeSession((await open(url)).session, methods.fails);
    await announce(scene);
    expect(await ok(scene.client.get(subscription))).toMatchObject({
      status: "incomplete",
      payment: { state: "failed" },
    });
    stripe.book.completeSession((await open(url)).session, methods.succeeds);
    await announce(scene);
    const [invoice] = await invoicesOf(scene.client, bucket);
    expect(chargesOf(invoice.id)).toEqual([3000]);
    expect((await ok(scene.client.get(subscription))).status).toBe("active");
  });

  test("a purchase that expires is not charged any more", async () => {
    const { bucket, subscription, url } = await bought();
    const { session } = await open(url);
    await later(25 * hour);
    expect((await ok(scene.client.get(subscription))).status).toBe("incomplete-expired");
    stripe.book.completeSession(session, methods.succeeds);
    await announce(scene);
    const [invoice] = await invoicesOf(scene.client, bucket);
    expect(invoice.status).toBe("void");
    expect(chargesOf(invoice.id)).toEqual([]);
  });

  describe("a purchase whose invoice Stripe has, with a secret key that is invalid for more than a month,", () => {
    async function waited() {
      const { bucket, subscription, url } = await bought();
      stripe.book.completeSession((await open(url)).session, methods.fails);
      await announce(scene);
      stripe.isKnownKey = () => false;
      await later(40 * 24 * hour);
      stripe.isKnownKey = () => true;
      const invoices = await invoicesOf(scene.client, bucket);
      expect(invoices).toMatchObject([{ status: "open", total: "30.00" }]);
      expect((await ok(scene.client.get(subscription))).status).toBe("incomplete-expired");
      return { bucket, subscription, id: invoices[0].id as string };
    }

    test("is not renewed, and ends once Stripe confirms that the invoice is void", async () => {
      const { bucket, subscription, id } = await waited();
      await later();
      expect(remoteOf(id).status).toBe("void");
      expect(await invoicesOf(scene.client, bucket)).toMatchObject([{ status: "void" }]);
      expect((await ok(scene.client.get(subscription))).status).toBe("incomplete-expired");
    });

    test("is active if it was paid there, and charged for the rest of the current period", async () => {
      const { bucket, subscription, id } = await waited();
      stripe.book.settle(remoteOf(id));
      await later();
      expect((await ok(scene.client.get(subscription))).status).toBe("active");
      const [first, rest, ...others] = await invoicesOf(scene.client, bucket);
      expect(others).toEqual([]);
      expect(first).toMatchObject({ id, status: "paid" });
      expect(Number(rest.total)).toBeGreaterThan(0);
      expect(Number(rest.total)).toBeLessThan(30);
      expect(Date.parse(rest.lines[0].periodStart)).toBe(scene.clock.now());
    });
  });

  test("a purchase that Stripe may still charge is prolonged to the end of its period, and not renewed", async () => {
    const { bucket, subscription, url } = await bought();
    stripe.book.completeSession((await open(url)).session, methods.fails);
    await announce(scene);
    // The period does not end with one of the prolongations, of a day each.
    const id = subscription.split("/").at(-1);
    const earlier = `expires_on = expires_on - ${hour}, bills_on = bills_on - ${hour}`;
    await runSql(scene.server.database, `UPDATE subscriptions SET ${earlier} WHERE id = '${id}'`);
    stripe.isKnownKey = () => false;
    await later(32 * 24 * hour);
    stripe.isKnownKey = () => true;
    expect((await ok(scene.client.get(subscription))).status).toBe("incomplete-expired");
    expect(await invoicesOf(scene.client, bucket)).toMatchObject([{ status: "open", total: "30.00" }]);
  });

  test("a method at Stripe is neither removed nor replaced here, where Stripe would keep charging it", async () => {
    const { bucket, url } = await bought();
    const path = `${bucket}/customers/acme/payment-method`;
    const sandbox = JSON.stringify({ type: "sandbox", behavior: "succeeds" });
    expectProblem(await scene.client.raw("PUT", path, sandbox), 409, "payment_method_at_provider");
    stripe.book.completeSession((await open(url)).session, methods.succeeds);
    await announce(scene);
    const before = await ok(scene.client.get(`${bucket}/customers/acme`));
    expect(before.paymentMethod).toMatchObject({ type: "stripe" });
    expectProblem(await scene.client.delete(path), 409, "payment_method_at_provider");
    expectProblem(await scene.client.raw("PUT", path, sandbox), 409, "payment_method_at_provider");
    expect(await ok(scene.client.get(`${bucket}/customers/acme`))).toEqual(before);
    // What is left of Stripe is removed once another provider is used.
    const use = (settings: object) =>
      ok(scene.client.raw("PUT", `${liveProvider}?force=true`, JSON.stringify(settings)));
    await use({ type: "manual" });
    expect((await scene.client.delete(path)).status).toBe(204);
    await use({ type: "stripe", secretKey: "sk_live_1", webhookSecret });
    expect((await ok(scene.client.get(`${bucket}/customers/acme`))).paymentMethod).toBeUndefined();
  });

  describe("the customer's page at Stripe", () => {
    test("has a link", async () => {
      const { bucket } = await bought();
      const { url } = await ok(scene.client.post(`${bucket}/customers/acme/$payment-portal`, { returnUrl }));
      expect(url).toStartWith("https://billing.stripe.example/p/");
    });

    test("is rejected without a credential, for an unknown customer, and with bad input", async () => {
      const { bucket } = await bought();
      const path = `${bucket}/customers/acme/$payment-portal`;
      expectProblem(await scene.client.anonymous().post(path, { returnUrl }), 401, "unauthenticated");
      const unknown = `${bucket}/customers/none/$payment-portal`;
      expectProblem(await scene.client.post(unknown, { returnUrl }), 404, "not_found");
      const script = await scene.client.post(path, { returnUrl: "javascript:alert(1)" });
      expectProblem(script, 400, "validation_failed", { pointer: "/returnUrl" });
    });

    test("is unavailable while Stripe is, and missing with another provider", async () => {
      const { bucket } = await bought();
      const path = `${bucket}/customers/acme/$payment-portal`;
      stripe.fault = () => "lost-request";
      expectProblem(await scene.client.post(path, { returnUrl }), 503, "payment_provider_unavailable");
      // Test buckets use the sandbox here.
      const { id } = await ok(scene.client.post("/v1/metering", { isTest: true }));
      const test = `/v1/metering/${id}`;
      await subscribe(scene.client, test, [await createPlan(scene.client, test)]);
      const missing = await scene.client.post(`${test}/customers/acme/$payment-portal`, { returnUrl });
      expectProblem(missing, 409, "payment_page_missing");
    });
  });
});
