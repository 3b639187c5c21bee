import { beforeEach, expect, test } from "bun:test";
import { invoicesOf, monthly, ok } from "../../../../../../../test/support/billing.ts";
import { eachEngine } from "../../../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../../../test/support/expect-problem.ts";
import { createPlan, newMeteringBucket } from "../../../../../../../test/support/metering.ts";
import { readSql, runSql } from "../../../../../../../test/support/run-sql.ts";
import { operatorToken } from "../../../../../../../test/support/server-settings.ts";
import { methods } from "../../../../../../../test/support/stripe/book.ts";
import { liveProvider, useStripeScene, webhookSecret } from "../../../../../../../test/support/stripe/stripe-scene.ts";

eachEngine((engine) => {
  const scene = useStripeScene(engine);
  const { stripe, remoteOf, chargesOf, subscribed } = scene;
  const set = (body: object, query = "") => scene.client.raw("PUT", `${liveProvider}${query}`, JSON.stringify(body));
  const typeNow = async () => (await ok(scene.client.get(liveProvider))).type;
  const queuedOf = (id: string) =>
    readSql<Record<string, unknown>>(
      scene.server.database,
      `SELECT * FROM stripe_invoices WHERE invoice_seq IN (SELECT seq FROM invoices WHERE id = '${id}')`,
    );
  beforeEach(() => ok(set({ type: "stripe", secretKey: "sk_live_1", webhookSecret })));

  test("the keys stay while Stripe has invoices that are not finished", async () => {
    stripe.book.defaultMethod = methods.fails;
    const [failed, voided] = [await subscribed(), await subscribed()];
    await scene.server.catchUp();
    for (const type of ["manual", "sandbox"]) {
      const rejected = await set({ type });
      expectProblem(rejected, 409, "collections_unfinished");
      expect(rejected.body.detail).toStartWith("Stripe has 2 invoices that are not paid yet, in live mode");
    }
    await ok(scene.client.post(`${voided.path}/$void`));
    await ok(scene.client.post(`${failed.path}/$mark-paid`, {}));
    // Stripe does not know it yet.
    stripe.fault = () => "rate-limit";
    await scene.server.catchUp();
    expectProblem(await set({ type: "manual" }), 409, "collections_unfinished");
    expect(await typeNow()).toBe("stripe");
    stripe.fault = () => "none";
    await scene.later();
    expect(remoteOf(voided.id).status).toBe("void");
    expect(remoteOf(failed.id).status).toBe("paid");
    await ok(set({ type: "manual" }));
    expect(await typeNow()).toBe("manual");
  });

  test("an invoice that was given up here and at Stripe does not count", async () => {
    stripe.book.defaultMethod = methods.fails;
    const { id, path } = await subscribed();
    await scene.server.catchUp();
    await ok(scene.client.post(`${path}/$mark-uncollectible`));
    expectProblem(await set({ type: "manual" }), 409, "collections_unfinished");
    await scene.server.catchUp();
    expect(remoteOf(id).status).toBe("uncollectible");
    await ok(set({ type: "manual" }));
  });

  test("other keys of Stripe can be set at any time", async () => {
    stripe.book.defaultMethod = methods.fails;
    const { path } = await subscribed();
    await scene.server.catchUp();
    expect((await ok(set({ type: "stripe", secretKey: "sk_live_2" }))).type).toBe("stripe");
    await ok(scene.client.post(`${path}/$void`));
    await scene.server.catchUp();
  });

  test("an invoice that was not sent to Stripe gets a number of ours, and is paid here", async () => {
    const bucket = await newMeteringBucket(scene.client);
    const { planExternalId } = await createPlan(scene.client, bucket, monthly("30.00"));
    const purchase = { customerKey: "acme", planExternalIds: [planExternalId], returnUrl: "https://shop.example" };
    stripe.book.defaultMethod = null;
    await ok(scene.client.post(`${bucket}/subscriptions/$purchase`, purchase));
    await scene.server.catchUp();
    const queued = await subscribed();
    await ok(set({ type: "manual" }));
    await scene.server.catchUp();
    const [waiting] = await invoicesOf(scene.client, bucket);
    const invoices = [waiting, await ok(scene.client.get(queued.path))];
    for (const invoice of invoices) {
      expect(invoice).toMatchObject({ status: "open", number: expect.stringMatching(/^[A-Z]+-\d{6}$/) });
      expect(invoice.collection).toBeUndefined();
      expect([remoteOf(invoice.id), chargesOf(invoice.id)]).toEqual([undefined as never, []]);
    }
    expect(new Set(invoices.map(({ number }) => number)).size).toBe(2);
    await ok(scene.client.post(`${queued.path}/$mark-paid`, {}));
    expect((await ok(scene.client.get(queued.path))).status).toBe("paid");
  });

  test("a refund of an invoice that was not sent to Stripe is made outside of it", async () => {
    const { bucket, path } = await subscribed();
    await ok(scene.client.post(`${path}/$mark-paid`, {}));
    const lines = [{ description: "Outage", amount: "10.00" }];
    const note = await ok(scene.client.post(`${path}/$credit`, { lines, to: "payment-method" }));
    expect(note.refund.state).toBe("pending");
    await ok(set({ type: "manual" }));
    await scene.server.catchUp();
    const { refund } = await ok(scene.client.get(`${bucket}/invoices/${note.id}`));
    expect(refund).toEqual({ amount: "10.00", state: "succeeded" });
    expect((await ok(scene.client.get(path))).number).toMatch(/^INV-\d{6}$/);
  });

  test("an invoice that was queued while Stripe was left is paid here", async () => {
    const { id, path } = await subscribed();
    const [row] = await queuedOf(id);
    await ok(set({ type: "manual" }));
    await scene.server.catchUp();
    // Its transaction began before, and ended after that of the settings.
    const columns = Object.keys(row!);
    const values = Object.values(row!).map((value) => (value === null ? "NULL" : `'${value}'`));
    await runSql(
      scene.server.database,
      `INSERT INTO stripe_invoices (${columns.join(", ")}) VALUES (${values.join(", ")})`,
    );
    await runSql(
      scene.server.database,
      `UPDATE invoices SET number = NULL, collection_state = 'pending' WHERE id = '${id}'`,
    );
    await scene.server.catchUp();
    const invoice = await ok(scene.client.get(path));
    expect(invoice).toMatchObject({ status: "open", number: expect.stringMatching(/^INV-\d{6}$/) });
    expect(invoice.collection).toBeUndefined();
    expect(await queuedOf(id)).toEqual([]);
  });

  test("force leaves at once, and the collection continues if Stripe is set again", async () => {
    stripe.book.defaultMethod = methods.fails;
    const { id, path } = await subscribed();
    await scene.server.catchUp();
    expectProblem(await set({ type: "manual" }, "?force=false"), 409, "collections_unfinished");
    expectProblem(await set({ type: "manual" }, "?force=maybe"), 400, "validation_failed");
    await ok(set({ type: "manual" }, "?force=true"));
    expect(await typeNow()).toBe("manual");
    stripe.book.settle(remoteOf(id));
    await scene.later();
    expect((await ok(scene.client.get(path))).status).toBe("open");
    await ok(set({ type: "stripe", secretKey: "sk_live_1", webhookSecret }));
    await scene.server.catchUp();
    expect((await ok(scene.client.get(path))).status).toBe("paid");
    expect(chargesOf(id)).toEqual([3000]);
  });

  test("invoices of another account do not count", async () => {
    const operator = scene.client.as(operatorToken);
    const other = "other-seller";
    await ok(operator.post("/v1/accounts", { name: other }));
    stripe.book.defaultMethod = methods.fails;
    const { path } = await subscribed();
    await scene.server.catchUp();
    const provider = liveProvider.replace("/default/", `/${other}/`);
    await ok(operator.raw("PUT", provider, JSON.stringify({ type: "stripe", secretKey: "sk_live_2", webhookSecret })));
    await ok(operator.raw("PUT", provider, JSON.stringify({ type: "manual" })));
    await ok(scene.client.post(`${path}/$void`));
    await scene.server.catchUp();
  });
});
