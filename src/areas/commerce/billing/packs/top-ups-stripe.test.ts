import { expect, test } from "bun:test";
import { invoicesOf, ok, rated, use } from "../../../../../test/support/billing.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { useMailServer } from "../../../../../test/support/mail-server.ts";
import { createPlan, newMeteringBucket, subscribe } from "../../../../../test/support/metering.ts";
import { methods } from "../../../../../test/support/stripe/book.ts";
import { announce, hour, useStripeScene } from "../../../../../test/support/stripe/stripe-scene.ts";
import { until } from "../../../../../test/support/until.ts";

const units = {
  packExternalId: "units",
  label: "1,000 requests",
  price: { currency: "EUR", amount: "10.00" },
  grant: { meter: "requests", amount: 1000 },
};
const topUp = { packExternalId: "units", below: 100, maximumPerMonth: "25.00", isEnabled: true };

let customers = 0;

/** Ways in which the response to a call is lost that has its effect, possibly later. */
const lostResponses = ["lost-response", "error-after", "late"] as const;

eachEngine((engine) => {
  const { server: smtp, environment } = useMailServer();
  const scene = useStripeScene(engine, environment);
  const { stripe, chargesOf, remoteOf, later } = scene;

  /** A customer in Germany whose payment method at Stripe was entered, and that has no credit. */
  async function shop(method: string = methods.succeeds) {
    const { client, server } = scene;
    customers += 1;
    const email = `billing-${customers}@${engine.name}.example`;
    const bucket = await newMeteringBucket(client);
    await subscribe(client, bucket, [await createPlan(client, bucket, rated("0.10", { max: 0 }))]);
    const customer = `${bucket}/customers/acme`;
    await ok(client.patch(customer, { email, address: { line1: "Am Kai 1", city: "Hamburg", country: "DE" } }));
    await ok(client.post(`${bucket}/credit-packs`, units));
    const { url } = await ok(
      client.post(`${customer}/packs/$purchase`, { packExternalId: "units", returnUrl: "https://shop.example/" }),
    );
    stripe.book.defaultMethod = null;
    await server.catchUp();
    await fetch(server.url + new URL(url).pathname, { redirect: "manual" });
    stripe.book.completeSession([...stripe.book.sessions.values()].at(-1)!, methods.succeeds);
    await announce(scene);
    const change = async (method: string) => {
      const [{ id }] = await invoicesOf(client, bucket);
      const remote = stripe.book.customer(remoteOf(id).customer as string);
      remote.invoice_settings.default_payment_method = method;
      stripe.book.emit("customer.updated", remote, true);
      await announce(scene);
    };
    await change(method);
    const purchases = async () =>
      (await ok(client.get(`${customer}/packs`))).data.filter(({ isTopUp }: { isTopUp: boolean }) => isTopUp);
    const states = async () => (await purchases()).map(({ state }: { state: string }) => state).toSorted();
    const setTopUp = (change: object = {}) => ok(client.patch(customer, { topUp: { ...topUp, ...change } }));
    const isEnabled = async () => (await ok(client.get(customer))).topUp.isEnabled;
    const balance = async () =>
      (await ok(client.get(`${customer}/grants`))).data
        .map((each: { balance: number }) => each.balance)
        .reduce((sum: number, each: number) => sum + each, 0);
    /** The top-up begins, and Stripe is asked to charge it. */
    const begin = async () => {
      await use(client, bucket, 950);
      await server.catchUp();
      const [{ invoiceId }] = (await purchases()).filter(({ state }: { state: string }) => state !== "failed");
      return invoiceId as string;
    };
    expect(await balance()).toBe(1000);
    return { bucket, customer, email, change, purchases, states, setTopUp, isEnabled, balance, begin };
  }

  test("a top-up charges the payment method once, and is granted once, on any number of checks and events", async () => {
    const { setTopUp, states, balance, begin } = await shop();
    await setTopUp();
    const invoice = await begin();
    await Promise.all([scene.server.catchUp(), scene.server.catchUp()]);
    await announce(scene);
    for (const type of ["invoice.paid", "invoice.finalized", "invoice.paid"]) {
      stripe.book.emit(type, remoteOf(invoice), true);
      await announce(scene);
    }
    await later();
    expect(chargesOf(invoice)).toEqual([1190]);
    expect(await states()).toEqual(["paid"]);
    expect(await balance()).toBe(1050);
  });

  test("if the bank requires a second step, the customer gets one mail with a link, and nothing is retried", async () => {
    const { bucket, email, setTopUp, purchases, isEnabled, balance, begin } = await shop(methods.needsAction);
    await setTopUp();
    const invoice = await begin();
    const url = remoteOf(invoice).hosted_invoice_url!;
    const confirmations = () => smtp.to(email).filter(({ subject }) => subject.startsWith("Confirm your payment"));
    await until(() => confirmations().length > 0, { what: () => "a mail" });
    expect(confirmations()).toMatchObject([{ subject: "Confirm your payment of 11.90 EUR", url }]);
    expect(await purchases()).toMatchObject([{ state: "open", needsAction: true }]);
    const shown = await ok(scene.client.get(`${bucket}/invoices/${invoice}`));
    expect(shown.collection).toEqual({ state: "needs_action", url });
    for (let turn = 0; turn < 3; turn++) {
      await use(scene.client, bucket, 20);
      await later(hour);
    }
    expect([remoteOf(invoice).attempt_count, confirmations().length, (await purchases()).length]).toEqual([1, 1, 1]);
    stripe.book.settle(remoteOf(invoice));
    await announce(scene);
    expect(await purchases()).toMatchObject([{ state: "paid" }]);
    expect([await balance(), await isEnabled(), chargesOf(invoice)]).toEqual([1000, true, [1190]]);
  });

  test("an unconfirmed second step fails the top-up after a day and turns it off", async () => {
    const { setTopUp, states, isEnabled, balance, begin } = await shop(methods.needsAction);
    await setTopUp();
    const invoice = await begin();
    await later(25 * hour);
    await later();
    expect(remoteOf(invoice).status).toBe("void");
    expect([await states(), await isEnabled(), await balance()]).toEqual([["failed"], false, 50]);
    await scene.server.catchUp();
    expect(await states()).toEqual(["failed"]);
  });

  test("a payment that fails turns the top-up off until it is turned on, and is not collected later", async () => {
    const { bucket, email, change, setTopUp, states, isEnabled, balance, begin, purchases } = await shop(methods.fails);
    await setTopUp();
    await begin().catch(() => undefined);
    await later();
    const [{ invoiceId }] = await purchases();
    expect([await states(), await isEnabled(), remoteOf(invoiceId).status]).toEqual([["failed"], false, "void"]);
    const failures = () => smtp.to(email).filter(({ subject }) => subject.startsWith("Automatic top-up failed"));
    await until(() => failures().length > 0, { what: () => "a mail" });
    await change(methods.succeeds);
    await later(25 * hour);
    await scene.server.catchUp();
    expect([await states(), chargesOf(invoiceId), await balance(), failures().length]).toEqual([["failed"], [], 50, 1]);
    await setTopUp();
    await use(scene.client, bucket, 10);
    await scene.server.catchUp();
    await later();
    expect([await states(), await balance(), await isEnabled()]).toEqual([["failed", "paid"], 1040, true]);
  });

  test("a payment that takes days keeps one top-up open, and is granted when it arrives", async () => {
    const { bucket, setTopUp, states, balance, begin } = await shop(methods.takesDays);
    await setTopUp();
    const invoice = await begin();
    for (let days = 0; days < 3; days++) {
      await use(scene.client, bucket, 10);
      await later(25 * hour);
      expect([await states(), await balance()]).toEqual([["open"], 40 - 10 * days]);
    }
    stripe.book.settle(remoteOf(invoice));
    await announce(scene);
    await scene.server.catchUp();
    expect([await states(), await balance()]).toEqual([["paid"], 1020]);
  });

  test("a payment that takes days and fails turns the top-up off", async () => {
    const { setTopUp, states, isEnabled, balance, begin } = await shop(methods.takesDays);
    await setTopUp();
    const invoice = await begin();
    stripe.book.bounce(remoteOf(invoice));
    await announce(scene);
    await later();
    expect([await states(), await isEnabled(), await balance()]).toEqual([["failed"], false, 50]);
    expect(remoteOf(invoice).status).toBe("void");
  });

  test("a payment that arrives after a failure, before Stripe has voided the invoice, is granted", async () => {
    const { setTopUp, purchases, states, isEnabled, balance, begin } = await shop(methods.fails);
    await setTopUp();
    stripe.fault = ({ path }) => (path.endsWith("/void") ? "lost-request" : "none");
    await begin();
    const [{ invoiceId, state }] = await purchases();
    expect([state, await isEnabled()]).toEqual(["open", false]);
    stripe.book.settle(remoteOf(invoiceId));
    stripe.fault = () => "none";
    // The failure is announced again, after the payment.
    stripe.book.emit("invoice.payment_failed", { ...remoteOf(invoiceId), status: "open" }, true);
    await announce(scene);
    await later();
    expect([await states(), await isEnabled(), await balance()]).toEqual([["paid"], false, 1050]);
    expect(chargesOf(invoiceId)).toEqual([1190]);
  });

  test.each(lostResponses)(
    "a top-up is charged and granted once if the charge call has the fault %s and the server restarts",
    async (fault) => {
      const { setTopUp, states, balance, begin } = await shop();
      await setTopUp();
      let faults = 0;
      stripe.fault = ({ path }) => {
        if (!path.endsWith("/finalize") || faults > 0) return "none";
        faults += 1;
        return fault;
      };
      const invoice = await begin();
      expect([faults, await balance()]).toEqual([1, 50]);
      await scene.server.restart();
      for (let turn = 0; turn < 3; turn++) await later();
      await scene.server.catchUp();
      expect([chargesOf(invoice), await states(), await balance()]).toEqual([[1190], ["paid"], 1050]);
    },
  );

  test("a dispute or a refund turns the top-up off: it would charge the same customer again", async () => {
    for (const how of ["dispute", "$refund"]) {
      const { customer, setTopUp, purchases, states, isEnabled, begin } = await shop();
      await setTopUp();
      const invoice = await begin();
      await later();
      expect(await states()).toEqual(["paid"]);
      if (how === "dispute") {
        stripe.book.dispute(remoteOf(invoice));
        await announce(scene);
      } else {
        const [{ id }] = await purchases();
        await ok(scene.client.post(`${customer}/packs/${id}/$refund`));
      }
      await later();
      expect([how, await states(), await isEnabled()]).toEqual([how, ["paid"], false]);
    }
  });
});
