import { beforeEach, expect, test } from "bun:test";
import { invoicesOf, monthly, ok, setProfile } from "../../../../../../../test/support/billing.ts";
import { eachEngine } from "../../../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../../../test/support/expect-problem.ts";
import { createPlan, newMeteringBucket } from "../../../../../../../test/support/metering.ts";
import { customerBrowser, type PortalBrowser, setPortal } from "../../../../../../../test/support/portal.ts";
import { account } from "../../../../../../../test/support/server-settings.ts";
import { methods } from "../../../../../../../test/support/stripe/book.ts";
import { announce, liveProvider, useStripeScene } from "../../../../../../../test/support/stripe/stripe-scene.ts";

eachEngine((engine) => {
  const scene = useStripeScene(engine);
  const { stripe, chargesOf, later } = scene;
  let customers = 0;
  beforeEach(() => {
    stripe.book.defaultMethod = null;
  });

  /** A customer at a portal with a plan for 30.00 EUR. */
  async function shop() {
    const { client, server } = scene;
    const bucket = await newMeteringBucket(client);
    await createPlan(client, bucket, { planExternalId: "gold", ...monthly("30.00"), isPublic: true });
    const name = `customer-${++customers}`;
    await client.post(`/v1/accounts/${account}/key-buckets/main/consumers`, { name });
    const { url } = await setPortal(client, { meteringBucket: bucket.replace("/v1/metering/", "") });
    return { bucket, name, url: url as string, browser: await customerBrowser(server, url, name) };
  }

  /** The browser opens the address at the portal's host, and is sent to Stripe. */
  async function open(browser: PortalBrowser, url: string) {
    expect(new URL(url).origin).toBe(browser.origin);
    const response = await browser.fetch(new URL(url).pathname, { headers: { accept: "text/html" } });
    const session = [...stripe.book.sessions.values()].at(-1)!;
    expect([response.status, response.headers.get("location")]).toEqual([303, session.url]);
    return session;
  }

  const current = async (browser: PortalBrowser) => (await browser.get("/plans")).body;

  test("a plan is bought in the portal and paid at Stripe", async () => {
    const { bucket, browser, url } = await shop();
    const chosen = await browser.post("/subscription/$choose", { planExternalId: "gold" });
    const session = await open(browser, chosen.body.url);
    expect(session).toMatchObject({
      mode: "setup",
      currency: "eur",
      success_url: `${url}/plans?paid`,
      cancel_url: `${url}/plans`,
    });
    expect(await current(browser)).toMatchObject({ purchase: { status: "incomplete" }, paysOnline: true });
    stripe.book.completeSession(session, methods.succeeds);
    await announce(scene);
    const [invoice] = await invoicesOf(scene.client, bucket);
    expect(chargesOf(invoice.id)).toEqual([3000]);
    const after = await current(browser);
    expect(after).toMatchObject({
      subscription: { status: "active", plans: [{ planExternalId: "gold" }] },
      paymentMethod: { label: "visa ending in 4242" },
    });
    expect(after.purchase).toBeUndefined();
  });

  test("with buyerAddress, Stripe's page asks a customer who has no payment method yet", async () => {
    await setProfile(scene.client, { buyerAddress: "required" });
    const { browser } = await shop();
    expect((await browser.get("/billing")).body.isRequired).toBe(false);
    const session = await open(browser, (await ok(browser.post("/checkouts"))).url);
    expect(session.billing_address_collection).toBe("required");
    stripe.book.completeSession(session, methods.succeeds);
    await announce(scene);
    expect((await browser.get("/billing")).body.isRequired).toBe(true);
    const rejected = await browser.post("/subscription/$choose", { planExternalId: "gold" });
    expectProblem(rejected, 409, "buyer_details_missing");
    await setProfile(scene.client);
  });

  test("the payment method is changed at Stripe, and nothing is charged", async () => {
    const { bucket, name, browser } = await shop();
    const first = await browser.post("/subscription/$choose", { planExternalId: "gold" });
    stripe.book.completeSession(await open(browser, first.body.url), methods.succeeds);
    await announce(scene);
    const charges = stripe.book.charges.length;
    const session = await open(browser, (await ok(browser.post("/checkouts"))).url);
    expect(session.mode).toBe("setup");
    stripe.book.completeSession(session, methods.fails);
    await announce(scene);
    const { default_payment_method: method } = stripe.book.customer(session.customer as string).invoice_settings;
    expect(method).toBe(methods.fails);
    expect(stripe.book.charges).toHaveLength(charges);
    expect((await ok(scene.client.get(`${bucket}/customers/${name}`))).paymentMethod.type).toBe("stripe");
  });

  test("a payment method is entered before anything was bought, and pays the first purchase at once", async () => {
    const { bucket, browser } = await shop();
    stripe.book.completeSession(await open(browser, (await ok(browser.post("/checkouts"))).url), methods.succeeds);
    await announce(scene);
    await browser.post("/subscription/$choose", { planExternalId: "gold" });
    await scene.server.catchUp();
    await later(2 * 60_000);
    const [invoice] = await invoicesOf(scene.client, bucket);
    expect(chargesOf(invoice.id)).toEqual([3000]);
    expect(await current(browser)).toMatchObject({ subscription: { status: "active" } });
  });

  test("a payment that the bank wants confirmed is shown with its page, to those who may pay or see invoices", async () => {
    const { bucket, browser, name, url } = await shop();
    const chosen = await browser.post("/subscription/$choose", { planExternalId: "gold" });
    stripe.book.completeSession(await open(browser, chosen.body.url), methods.needsAction);
    await announce(scene);
    const [invoice] = await invoicesOf(scene.client, bucket);
    const { hosted_invoice_url: page } = scene.remoteOf(invoice.id);
    expect(invoice.collection).toEqual({ state: "needs_action", url: page });
    expect((await current(browser)).secondStep).toEqual({ url: page, amountDue: "30.00", currency: "EUR" });
    const reader = await customerBrowser(scene.server, url, name, { scopes: ["usage:read"] });
    expect((await current(reader)).secondStep).toBeUndefined();
    stripe.book.completeSession(await open(browser, (await ok(browser.post("/checkouts"))).url), methods.succeeds);
    await announce(scene);
    const after = await current(browser);
    expect(after).toMatchObject({ subscription: { status: "active" } });
    expect(after.secondStep).toBeUndefined();
  });

  test("the address reports that Stripe is unavailable, and that payments are manual now", async () => {
    const { browser } = await shop();
    const { url } = await ok(browser.post("/checkouts"));
    const path = new URL(url).pathname.replace("/portal/api", "");
    const outcome = async (at: string) => {
      const { status, body, text } = await browser.get(at);
      // The token in the address is not repeated.
      expect(text).not.toContain(url.split("/").at(-1)!);
      return [status, body.code];
    };
    stripe.fault = () => "lost-request";
    expect(await outcome(path)).toEqual([503, "payment_provider_unavailable"]);
    stripe.fault = () => "none";
    const set = (settings: object) => ok(scene.client.raw("PUT", liveProvider, JSON.stringify(settings)));
    await set({ type: "manual" });
    expect(await outcome(path)).toEqual([409, "payment_page_missing"]);
    expect(await outcome("/checkouts/tgco_none")).toEqual([404, "not_found"]);
    await set({ type: "stripe", secretKey: "sk_live_1", webhookSecret: "whsec_of_the_tests" });
    await open(browser, url);
  });
});
