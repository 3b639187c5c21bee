import { beforeEach, expect, test } from "bun:test";
import { SQL } from "bun";
import { invoicesOf, monthly, ok } from "../../../../../../../test/support/billing.ts";
import { eachEngine } from "../../../../../../../test/support/engines.ts";
import { createPlan, newMeteringBucket } from "../../../../../../../test/support/metering.ts";
import { runSql } from "../../../../../../../test/support/run-sql.ts";
import { methods } from "../../../../../../../test/support/stripe/book.ts";
import { announce, sendEvent, useStripeScene } from "../../../../../../../test/support/stripe/stripe-scene.ts";
import type { Fault } from "../../../../../../../test/support/stripe/stripe-server.ts";
import { tableContent } from "../../../../../../../test/support/table-content.ts";
import { until } from "../../../../../../../test/support/until.ts";

const returnUrl = "https://shop.example/billing";
const minute = 60_000;

eachEngine((engine) => {
  const scene = useStripeScene(engine);
  const { stripe, chargesOf, later } = scene;
  beforeEach(() => {
    stripe.book.defaultMethod = null;
  });

  /** A purchase, whose customer has opened the page of Stripe. */
  async function bought() {
    const bucket = await newMeteringBucket(scene.client);
    const { planExternalId } = await createPlan(scene.client, bucket, monthly("30.00"));
    const body = { customerKey: "acme", planExternalIds: [planExternalId], returnUrl };
    const { subscriptionId, url } = await ok(scene.client.post(`${bucket}/subscriptions/$purchase`, body));
    await scene.server.catchUp();
    const [{ id }] = await invoicesOf(scene.client, bucket);
    const subscription = `${bucket}/subscriptions/${subscriptionId}`;
    const customer = `${bucket}/customers/acme`;
    return { bucket, customer, subscription, url: url as string, invoice: id as string, session: await open(url) };
  }

  async function open(url: string) {
    const response = await fetch(scene.server.url + new URL(url).pathname, { redirect: "manual" });
    expect(response.status).toBe(303);
    return [...stripe.book.sessions.values()].at(-1)!;
  }

  const callsAbout = (stripeId: unknown) =>
    stripe.received.filter(({ path }) => path.includes(String(stripeId))).length;

  const statusOf = async (subscription: string) => (await ok(scene.client.get(subscription))).status;

  /** The customer sets another default payment method at Stripe. */
  function change(stripeId: string, method: string) {
    const customer = stripe.book.customer(stripeId);
    customer.invoice_settings.default_payment_method = method;
    stripe.book.emit("customer.updated", customer, true);
  }

  /** Does something once, after the default method was read and before it is stored. */
  function duringComparison(work: () => Promise<unknown>) {
    let isDone = false;
    stripe.fault = async ({ path }): Promise<Fault> => {
      if (path.startsWith("/v1/payment_methods/") && !isDone) {
        isDone = true;
        await work();
      }
      return "none";
    };
  }

  test("an event that arrives during a comparison causes another one", async () => {
    const { subscription, invoice, session } = await bought();
    stripe.book.completeSession(session, methods.fails);
    duringComparison(async () => {
      change(session.customer as string, methods.succeeds);
      await sendEvent(scene);
    });
    await later(2 * minute);
    await scene.server.catchUp();
    const rows = await tableContent(scene.server.database, "stripe_customers");
    const [row] = rows.filter(({ stripe_id }) => stripe_id === session.customer);
    expect(row).toMatchObject({ payment_method: methods.succeeds, lease: null });
    expect(chargesOf(invoice)).toEqual([3000]);
    expect(await statusOf(subscription)).toBe("active");
  });

  test("a method that is changed at the customer's page is found without the event", async () => {
    const { customer, invoice, session } = await bought();
    await later(25 * 60 * minute);
    const calls = callsAbout(session.customer);
    await later(25 * 60 * minute);
    expect(callsAbout(session.customer)).toBe(calls);
    expect(chargesOf(invoice)).toEqual([]);
    await ok(scene.client.post(`${customer}/$payment-portal`, { returnUrl }));
    change(session.customer as string, methods.succeeds);
    await later(2 * minute);
    expect((await ok(scene.client.get(customer))).paymentMethod).toMatchObject({ type: "stripe", last4: "4242" });
  });

  test("a card that expires soon is mailed once, unless the bank has replaced it by then", async () => {
    const expiring = async (month: number) => {
      const { customer, session } = await bought();
      await ok(scene.client.patch(customer, { email: `card-${month}@acme.example` }));
      const method = `pm_expires_${month}`;
      stripe.book.funded.add(method);
      stripe.book.entered.set(method, { expires: [year, month] });
      stripe.book.completeSession(session, method);
      await announce(scene);
      return { customer, method };
    };
    const year = new Date(scene.clock.now()).getUTCFullYear() + 1;
    const mails = async () =>
      (await ok(scene.client.get("/v1/accounts/default/mails?limit=1000"))).data.filter(
        ({ kind }: { kind: string }) => kind === "billing-card-expires",
      );
    const { customer } = await expiring(5);
    const replaced = await expiring(6);
    expect((await ok(scene.client.get(customer))).paymentMethod.expires).toBe(`${year}-05`);
    const at = (time: number) => later(time - scene.clock.now());
    await at(Date.UTC(year, 4, 3));
    expect(await mails()).toEqual([]);
    await at(Date.UTC(year, 4, 5));
    await at(Date.UTC(year, 4, 20));
    expect(await mails()).toMatchObject([{ to: "card-5@acme.example" }]);
    stripe.book.entered.set(replaced.method, { expires: [year + 4, 6] });
    await at(Date.UTC(year, 5, 20));
    // The first mail may have been removed, because mail is kept for 30 days.
    expect((await mails()).filter(({ to }: { to: string }) => to !== "card-5@acme.example")).toEqual([]);
    expect((await ok(scene.client.get(replaced.customer))).paymentMethod.expires).toBe(`${year + 4}-06`);
  });

  test("one node compares a customer at a time, and a result that comes too late is not stored", async () => {
    const { customer, session } = await bought();
    stripe.book.completeSession(session, methods.succeeds);
    const set = (values: string) => runSql(scene.server.database, `UPDATE stripe_customers SET ${values}`);
    await set(`lease = 'another', lease_until = ${scene.clock.now() + 3 * minute}`);
    const calls = callsAbout(session.customer);
    await later(2 * minute);
    expect(callsAbout(session.customer)).toBe(calls);
    duringComparison(() => set("lease = 'another'"));
    await later(2 * minute);
    expect((await ok(scene.client.get(customer))).paymentMethod).toBeUndefined();
    await later(10 * minute);
    expect((await ok(scene.client.get(customer))).paymentMethod).toMatchObject({ type: "stripe" });
  });

  test.each<[what: string, remove: (id: string) => void]>([
    ["deleted at Stripe", (id) => stripe.book.deleteCustomer(id)],
    ["of another account of Stripe", (id) => void stripe.book.customers.delete(id)],
  ])("a customer that is %s is created again at the next checkout", async (_what, remove) => {
    const first = await bought();
    stripe.book.completeSession(first.session, methods.fails);
    await announce(scene);
    expect((await ok(scene.client.get(first.customer))).paymentMethod).toMatchObject({ type: "stripe" });
    const before = first.session.customer as string;
    remove(before);
    const session = await open(first.url);
    expect(session.customer).not.toBe(before);
    await later(minute);
    expect((await ok(scene.client.get(first.customer))).paymentMethod).toBeUndefined();
    const { url } = await ok(scene.client.post(`${first.customer}/$payment-portal`, { returnUrl }));
    expect(url).toStartWith("https://billing.stripe.example/p/");
    stripe.book.completeSession(session, methods.succeeds);
    await announce(scene);
    expect((await ok(scene.client.get(first.customer))).paymentMethod).toMatchObject({ type: "stripe" });
    expect(stripe.book.customer(session.customer as string).invoice_settings.default_payment_method).toBe(
      methods.succeeds,
    );
  });

  test("a customer that is found to be deleted is forgotten with its payment method", async () => {
    const { customer, session } = await bought();
    stripe.book.completeSession(session, methods.succeeds);
    await announce(scene);
    stripe.book.deleteCustomer(session.customer as string);
    await later(10 * minute);
    expect((await ok(scene.client.get(customer))).paymentMethod).toBeUndefined();
    const calls = callsAbout(session.customer);
    await later(10 * minute);
    expect(callsAbout(session.customer)).toBe(calls);
    const rows = await tableContent(scene.server.database, "stripe_customers");
    expect(rows.filter(({ stripe_id }) => stripe_id === session.customer)).toEqual([]);
  });

  test("a customer whose deletion Stripe announces has no payment method any more", async () => {
    const { customer, session } = await bought();
    stripe.book.completeSession(session, methods.succeeds);
    await announce(scene);
    await later(2 * 24 * 60 * minute);
    expect((await ok(scene.client.get(customer))).paymentMethod).toMatchObject({ type: "stripe" });
    const deleted = stripe.book.customer(session.customer as string);
    stripe.book.deleteCustomer(deleted.id);
    stripe.book.emit("customer.deleted", deleted, true);
    await announce(scene);
    expect((await ok(scene.client.get(customer))).paymentMethod).toBeUndefined();
  });

  if (engine.name === "postgres")
    test("a comparison locks the billing of its customer before the row that a failed collection changes", async () => {
      const { bucket, customer, session } = await bought();
      stripe.book.completeSession(session, methods.succeeds);
      const connection = new SQL(scene.server.database.environment.DATABASE_URL!, { max: 2 });
      const holder = await connection.reserve();
      try {
        const [{ seq }] = await holder.unsafe("SELECT seq FROM metering_buckets WHERE id = $1", [
          bucket.split("/").at(-1),
        ]);
        const lock = `credits ${seq} acme`;
        await holder.unsafe("BEGIN");
        await holder.unsafe("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [lock]);
        const compared = later(2 * minute);
        const waiting = "(classid::bigint << 32 | objid::bigint) = hashtextextended($1, 0) AND NOT granted";
        const isWaiting = `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND ${waiting}`;
        await until(async () => (await connection.unsafe(isWaiting, [lock]))[0], { what: "the lock" });
        // As a collection does that finds that Stripe has deleted the customer.
        const locked = "SELECT 1 FROM stripe_customers WHERE bucket_seq = $1 FOR UPDATE NOWAIT";
        await holder.unsafe(locked, [seq]);
        await holder.unsafe("ROLLBACK");
        await compared;
      } finally {
        holder.release();
        await connection.close();
      }
      expect((await ok(scene.client.get(customer))).paymentMethod).toMatchObject({ type: "stripe" });
    });
});
