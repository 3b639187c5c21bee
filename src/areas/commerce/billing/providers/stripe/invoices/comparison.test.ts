import { expect, test } from "bun:test";
import { ok } from "../../../../../../../test/support/billing.ts";
import { eachEngine } from "../../../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../../../test/support/expect-problem.ts";
import { operatorToken } from "../../../../../../../test/support/server-settings.ts";
import { methods } from "../../../../../../../test/support/stripe/book.ts";
import { announce, hour, liveProvider, useStripeScene } from "../../../../../../../test/support/stripe/stripe-scene.ts";

const path = `${liveProvider}/comparison`;

eachEngine((engine) => {
  const scene = useStripeScene(engine);
  const { stripe, clock, remoteOf, subscribed } = scene;

  async function differences() {
    const { differences: found } = await ok(scene.client.get(path));
    return found as { kind: string; invoiceId: string }[];
  }
  const kindsOf = async (id: string) =>
    (await differences()).filter(({ invoiceId }) => invoiceId === id).map(({ kind }) => kind);

  test("invoices that are the same are counted, whatever their state", async () => {
    await subscribed();
    stripe.book.defaultMethod = methods.fails;
    const failed = await subscribed();
    const voided = await subscribed();
    await scene.server.catchUp();
    await ok(scene.client.post(`${failed.path}/$credit`, { lines: [{ description: "Outage", amount: "10.00" }] }));
    await ok(scene.client.post(`${voided.path}/$void`));
    await scene.server.catchUp();
    const report = await ok(scene.client.get(path));
    const since = clock.iso(-30 * 24 * hour);
    expect(report).toEqual({ since, isTruncated: false, compared: 3, differences: [] });
  });

  test("a difference in status, in amount, and an invoice that one side lacks are reported", async () => {
    const paid = await subscribed();
    const amount = await subscribed();
    const missing = await subscribed();
    const twice = await subscribed();
    await scene.server.catchUp();
    remoteOf(paid.id).status = "open";
    remoteOf(amount.id).total = 2999;
    const gone = remoteOf(missing.id);
    stripe.book.invoices.delete(gone.id);
    const copy = structuredClone(remoteOf(twice.id));
    stripe.book.invoices.set("in_copy", { ...copy, id: "in_copy" });
    stripe.book.invoices.set("in_unknown", {
      ...copy,
      id: "in_unknown",
      metadata: { tollgate_invoice: "inv_unknown" },
    });
    stripe.book.invoices.set("in_foreign", { ...copy, id: "in_foreign", metadata: {} });
    expect(await kindsOf(paid.id)).toEqual(["status"]);
    expect(await kindsOf(amount.id)).toEqual(["amount"]);
    expect(await kindsOf(missing.id)).toEqual(["missing"]);
    expect(await kindsOf(twice.id)).toEqual(["twice", "twice"]);
    expect(await kindsOf("inv_unknown")).toEqual(["unknown"]);
    expect((await differences()).find(({ invoiceId }) => invoiceId === amount.id)).toMatchObject({
      number: remoteOf(amount.id).number!,
      ours: { status: "paid", amount: 3000 },
      stripe: { status: "paid", amount: 2999 },
    });
    const later = await ok(scene.client.get(`${path}?since=${clock.iso(1)}`));
    expect(later.compared).toBe(0);
  });

  test("a refund that is pending at Stripe is a difference only if it fails", async () => {
    const { id, path: invoice } = await subscribed();
    await scene.server.catchUp();
    const lines = [{ description: "Outage", amount: "10.00" }];
    await ok(scene.client.post(`${invoice}/$credit`, { lines, to: "payment-method" }));
    await scene.server.catchUp();
    const [refund] = stripe.book.refundsOf(remoteOf(id));
    for (const status of ["pending", "requires_action", "succeeded"]) {
      refund!.status = status;
      expect(await kindsOf(id)).toEqual([]);
    }
    for (const status of ["failed", "canceled"]) {
      refund!.status = status;
      expect((await differences()).filter(({ invoiceId }) => invoiceId === id)).toMatchObject([
        { kind: "refund", ours: { amount: 1000 }, stripe: { amount: 0 } },
      ]);
    }
    refund!.status = "succeeded";
    const other = stripe.book.refundCharge(remoteOf(id), 500);
    expect(await kindsOf(id)).toEqual(["refund"]);
    other.status = "pending";
    expect(await kindsOf(id)).toEqual([]);
  });

  test("a refund of a payment that became a grant, because the invoice is void here, is reported", async () => {
    stripe.book.defaultMethod = methods.fails;
    const { bucket, id, path: invoice } = await subscribed();
    await scene.server.catchUp();
    await ok(scene.client.post(`${invoice}/$void`));
    stripe.book.settle(remoteOf(id));
    await scene.server.catchUp();
    const balances = [{ currency: "EUR", amount: "30.00" }];
    expect(await ok(scene.client.get(`${bucket}/customers/acme`))).toMatchObject({ balances });
    expect(await kindsOf(id)).toEqual(["status"]);
    stripe.book.refundCharge(remoteOf(id), 3000);
    await announce(scene);
    expect((await differences()).filter(({ invoiceId }) => invoiceId === id)).toMatchObject([
      { kind: "status" },
      { kind: "refund", ours: { status: "void", amount: 0 }, stripe: { status: "paid", amount: 3000 } },
    ]);
  });

  test("an invoice of ours from before the time is not reported as unknown", async () => {
    const { id } = await subscribed();
    await scene.server.catchUp();
    expect(remoteOf(id).status).toBe("paid");
    clock.advance(hour);
    const { compared, differences: found } = await ok(scene.client.get(`${path}?since=${clock.iso()}`));
    expect(compared).toBe(0);
    expect(found.filter(({ invoiceId }: { invoiceId: string }) => invoiceId === id)).toEqual([]);
  });

  test("an invoice that cannot be sent to Stripe is reported with the reason", async () => {
    stripe.isKnownKey = () => false;
    const { id } = await subscribed();
    await scene.server.catchUp();
    stripe.isKnownKey = () => true;
    const found = (await differences()).find(({ invoiceId }) => invoiceId === id);
    expect(found).toMatchObject({ kind: "failing", detail: "Invalid API Key provided" });
  });

  test("is rejected without a credential, with bad input, in another account, and without Stripe", async () => {
    expectProblem(await scene.client.anonymous().get(path), 401, "unauthenticated");
    expectProblem(await scene.client.get(`${path}?since=yesterday`), 400, "validation_failed");
    expectProblem(await scene.client.get(path.replace("/default/", "/other/")), 404, "not_found");
    expectProblem(await scene.client.get(path.replace("live", "none")), 404, "not_found");
    expectProblem(await scene.client.as(operatorToken).get(path.replace("live", "test")), 404, "not_found");
    stripe.fault = () => "lost-request";
    expectProblem(await scene.client.get(path), 503, "payment_provider_unavailable");
  });
});
