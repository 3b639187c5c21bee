import { beforeAll, describe, expect, test } from "bun:test";
import {
  billed,
  invoicesOf,
  linesOf,
  monthly,
  moveTo,
  ok,
  profilePath,
  setProfile,
} from "../../../../../test/support/billing.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { createPlan, newMeteringBucket, subscribe } from "../../../../../test/support/metering.ts";
import { startServer, useServer } from "../../../../../test/support/server.ts";
import { account } from "../../../../../test/support/server-settings.ts";

const start = "2031-01-01T00:00:00.000Z";
const due = "2031-01-15T00:00:00.000Z";
const blocked = "2031-01-18T00:00:00.000Z";

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;
  beforeAll(async () => {
    await setProfile(client);
  });

  async function statusOf(path: string) {
    const { status, payment } = await ok(client.get(path));
    return { status, payment };
  }

  test("an unpaid invoice fails when it is due, ends access after the grace period, and paying it restores access", async () => {
    const { bucket, path } = await billed(client, start, monthly("30.00"));
    const [invoice] = await invoicesOf(client, bucket);
    const pending = { state: "pending", since: start, blocksOn: blocked };
    expect(await statusOf(path)).toEqual({ status: "active", payment: pending });
    await moveTo(client, bucket, due);
    const failed = { state: "failed", since: due, blocksOn: blocked };
    expect(await statusOf(path)).toEqual({ status: "active", payment: failed });
    expect(await ok(client.get(`${bucket}/invoices/${invoice.id}`))).toMatchObject({ status: "open", failedOn: due });
    await moveTo(client, bucket, "2031-01-17T23:59:59.999Z");
    expect((await statusOf(path)).status).toBe("active");
    await moveTo(client, bucket, blocked);
    expect(await statusOf(path)).toEqual({ status: "unpaid", payment: failed });
    expect((await ok(client.get(`${bucket}/subscriptions?status=unpaid`))).total).toBe(1);
    const consume = () => client.post(`${path}/quotas/consume`, { meters: { requests: 1 } });
    expect(await ok(consume())).toMatchObject({ allowed: false, reason: "payment_required" });
    const paid = await ok(client.post(`${bucket}/invoices/${invoice.id}/$mark-paid`, { reference: "cash" }));
    expect(paid).toMatchObject({ status: "paid", amountDue: "0.00", reference: "cash", paidOn: blocked });
    expect(await statusOf(path)).toEqual({ status: "active", payment: { state: "paid", since: blocked } });
    expect((await ok(consume())).allowed).toBe(true);
    expectProblem(await client.post(`${bucket}/invoices/${invoice.id}/$mark-paid`), 409, "invoice_not_open");
  });

  test("a status that a client set is not overwritten", async () => {
    const { bucket, path } = await billed(client, start, monthly("30.00"));
    await ok(client.patch(path, { status: "past-due" }));
    await moveTo(client, bucket, blocked);
    expect((await statusOf(path)).status).toBe("past-due");
  });

  describe("the sandbox pays by the behavior of the payment method:", () => {
    test.each<[behavior: string, status: string, state: string]>([
      ["succeeds", "paid", "paid"],
      ["fails", "open", "failed"],
      ["needs-action", "open", "pending"],
    ])("%s", async (behavior, status, state) => {
      const { bucket, path } = await billed(client, start, monthly("30.00"));
      const method = `${bucket}/customers/acme/payment-method`;
      const set = (value: string) => client.raw("PUT", method, JSON.stringify({ type: "sandbox", behavior: value }));
      expect((await ok(set(behavior))).paymentMethod).toEqual({ type: "sandbox", behavior });
      const [invoice] = await invoicesOf(client, bucket);
      const collected = await ok(client.post(`${bucket}/invoices/${invoice.id}/$collect`));
      expect(collected.status).toBe(status);
      expect((await statusOf(path)).payment.state).toBe(state);
      await ok(set("succeeds"));
      if (status === "open")
        expect((await ok(client.post(`${bucket}/invoices/${invoice.id}/$collect`))).status).toBe("paid");
      await moveTo(client, bucket, "2031-02-01T00:00:00.000Z");
      expect((await invoicesOf(client, bucket)).map((each) => each.status)).toEqual(["paid", "paid"]);
      expect((await client.delete(method)).status).toBe(204);
      expect(await ok(client.get(`${bucket}/customers/acme`))).not.toHaveProperty("paymentMethod");
    });
  });

  test("with manual, no payment method is used", async () => {
    const provider = `/v1/accounts/${account}/payment-provider/test`;
    expect(await ok(client.get(provider))).toEqual({
      mode: "test",
      type: "sandbox",
      webhookUrl: `${server.url}${provider}/events`,
    });
    await ok(client.raw("PUT", provider, JSON.stringify({ type: "manual" })));
    const { bucket } = await billed(client, start, monthly("30.00"));
    const method = { type: "sandbox", behavior: "succeeds" };
    await ok(client.raw("PUT", `${bucket}/customers/acme/payment-method`, JSON.stringify(method)));
    const [invoice] = await invoicesOf(client, bucket);
    expect((await ok(client.post(`${bucket}/invoices/${invoice.id}/$collect`))).status).toBe("open");
    await ok(client.raw("PUT", provider, JSON.stringify({ type: "sandbox" })));
    expect((await client.get(`/v1/accounts/${account}/payment-provider/other`)).status).toBe(404);
  });

  describe("the second step of a payment in the sandbox", () => {
    async function waiting(behavior: string) {
      const { bucket, path } = await billed(client, start, monthly("30.00"));
      const method = JSON.stringify({ type: "sandbox", behavior });
      await ok(client.raw("PUT", `${bucket}/customers/acme/payment-method`, method));
      const [{ id }] = await invoicesOf(client, bucket);
      return { bucket, path, invoice: `${bucket}/invoices/${id}` };
    }

    test("is confirmed once", async () => {
      const { path, invoice } = await waiting("needs-action");
      expect((await ok(client.post(`${invoice}/$collect`))).status).toBe("open");
      expect(await ok(client.post(`${invoice}/$confirm`))).toMatchObject({ status: "paid", amountDue: "0.00" });
      expect((await statusOf(path)).payment.state).toBe("paid");
      expectProblem(await client.post(`${invoice}/$confirm`), 409, "invoice_not_open");
    });

    test("completes a purchase", async () => {
      const { bucket, plan } = await billed(client, start, monthly("30.00"));
      const planExternalIds = [plan.planExternalId];
      const purchase = { customerKey: "buyer", planExternalIds, returnUrl: "https://shop.example/" };
      const { subscriptionId } = await ok(client.post(`${bucket}/subscriptions/$purchase`, purchase));
      const method = JSON.stringify({ type: "sandbox", behavior: "needs-action" });
      await ok(client.raw("PUT", `${bucket}/customers/buyer/payment-method`, method));
      const [{ id }] = await invoicesOf(client, bucket, "?customerKey=buyer");
      const bought = `${bucket}/subscriptions/${subscriptionId}`;
      expect((await ok(client.get(bought))).status).toBe("incomplete");
      await ok(client.post(`${bucket}/invoices/${id}/$confirm`));
      expect((await ok(client.get(bought))).status).toBe("active");
    });

    test("is not there with another method or another provider", async () => {
      const other = await waiting("fails");
      expectProblem(await client.post(`${other.invoice}/$confirm`), 409, "nothing_to_confirm");
      expect((await ok(client.get(other.invoice))).status).toBe("open");
      const { invoice } = await waiting("needs-action");
      const provider = `/v1/accounts/${account}/payment-provider/test`;
      await ok(client.raw("PUT", provider, JSON.stringify({ type: "manual" })));
      expectProblem(await client.post(`${invoice}/$confirm`), 409, "payment_not_in_sandbox");
      await ok(client.raw("PUT", provider, JSON.stringify({ type: "sandbox" })));
      expect((await ok(client.get(invoice))).status).toBe("open");
    });
  });

  test("a voided invoice keeps its number, and nothing is due", async () => {
    const { bucket, path } = await billed(client, start, monthly("30.00"));
    const [invoice] = await invoicesOf(client, bucket);
    const voided = await ok(client.post(`${bucket}/invoices/${invoice.id}/$void`));
    expect(voided).toMatchObject({ status: "void", number: invoice.number, total: "30.00", amountDue: "0.00" });
    expect((await statusOf(path)).payment.state).toBe("not_required");
    await moveTo(client, bucket, "2031-01-31T00:00:00.000Z");
    expect((await statusOf(path)).status).toBe("active");
    for (const action of ["$void", "$collect", "$mark-paid"])
      expectProblem(await client.post(`${bucket}/invoices/${invoice.id}/${action}`), 409, "invoice_not_open");
    expectProblem(await client.post(`${bucket}/invoices/${invoice.id}/$finalize`), 409, "invoice_not_draft");
  });

  test("credit notes have a series of their own, reduce what is due, and never exceed the invoice", async () => {
    const { bucket } = await billed(client, start, monthly("30.00"));
    const [invoice] = await invoicesOf(client, bucket);
    const path = `${bucket}/invoices/${invoice.id}`;
    const credit = (amount: string) => client.post(`${path}/$credit`, { lines: [{ description: "Outage", amount }] });
    const note = await ok(credit("10.00"));
    expect(note).toMatchObject({ type: "credit-note", correctsId: invoice.id, total: "10.00", status: "paid" });
    expect(note.number).toMatch(/^TEST-INV-CN-\d{6}$/);
    expect(linesOf(note)).toEqual([["credit", "10.00"]]);
    const reduced = await ok(client.get(path));
    expect(reduced).toMatchObject({ status: "open", total: "30.00", amountDue: "20.00", credited: "10.00" });
    expect(reduced.lines).toEqual(invoice.lines);
    expectProblem(await credit("20.01"), 409, "credit_exceeds_invoice");
    expectProblem(await credit("0.001"), 400, "validation_failed", { pointer: "/lines/0/amount" });
    await ok(client.post(`${path}/$mark-paid`));
    await ok(credit("5.00"));
    expect((await ok(client.get(`${bucket}/customers/acme`))).balances).toEqual([{ currency: "EUR", amount: "5.00" }]);
    await moveTo(client, bucket, "2031-02-01T00:00:00.000Z");
    const next = (await invoicesOf(client, bucket)).at(-1);
    expect(next).toMatchObject({ total: "30.00", amountDue: "25.00" });
    await ok(client.post(`${bucket}/invoices/${next.id}/$void`));
    expect((await ok(client.get(`${bucket}/customers/acme`))).balances).toEqual([{ currency: "EUR", amount: "5.00" }]);
  });

  test("without a billing profile invoices stay drafts; setting it finalizes them, without gaps", async () => {
    const other = await startServer(engine);
    try {
      const { bucket } = await billed(other.client, start, monthly("30.00"));
      await moveTo(other.client, bucket, "2031-03-15T00:00:00.000Z");
      const drafts = await invoicesOf(other.client, bucket);
      expect(drafts.map(({ status, total }) => [status, total])).toEqual(Array(3).fill(["draft", "30.00"]));
      expectProblem(await other.client.get(profilePath), 404, "not_found");
      const rejected = await other.client.post(`${bucket}/invoices/${drafts[0].id}/$finalize`);
      expectProblem(rejected, 409, "billing_profile_missing");
      expect(await invoicesOf(other.client, bucket)).toEqual(drafts);
      await setProfile(other.client);
      await other.runTasks();
      const finalized = await invoicesOf(other.client, bucket);
      expect(finalized.map(({ number }) => number)).toEqual([1, 2, 3].map((n) => `TEST-INV-00000${n}`));
    } finally {
      await other.stop();
    }
  });

  test("a bucket with finalized invoices is kept, unless it is a test bucket", async () => {
    const bucket = await newMeteringBucket(client);
    const plan = await createPlan(client, bucket, monthly("30.00"));
    const subscription = await subscribe(client, bucket, [plan]);
    expectProblem(await client.delete(`${bucket}?force=true`), 409, "bucket_has_invoices");
    expectProblem(await client.post(`${bucket}/clock`, { now: "2050-01-01T00:00:00Z" }), 409, "not_a_test_bucket");
    expect((await client.delete(`${bucket}/subscriptions/${subscription.id}`)).status).toBe(204);
    expect((await invoicesOf(client, bucket)).length).toBe(1);
    expectProblem(await client.delete(bucket), 409, "bucket_has_invoices");
    const test = await billed(client, start, monthly("30.00"));
    expect((await client.delete(`${test.bucket}?force=true`)).status).toBe(204);
  });

  test("periods that ended while the server was down are billed once, by one of two nodes", async () => {
    const bucket = await newMeteringBucket(client);
    const plan = await createPlan(client, bucket, monthly("30.00"));
    await subscribe(client, bucket, [plan], { customerKey: "late" });
    server.clock.advance(100 * 24 * 60 * 60 * 1000);
    const second =
      engine.name === "postgres"
        ? await startServer(engine, { database: server.database, clock: server.clock })
        : undefined;
    try {
      await Promise.all([server.catchUp(), second?.catchUp(), server.catchUp()]);
    } finally {
      await second?.stop();
    }
    const invoices = await invoicesOf(client, bucket);
    expect(invoices.map(({ lines }) => lines[0].periodStart)).toEqual([
      "2026-01-15T10:00:00.000Z",
      "2026-02-15T10:00:00.000Z",
      "2026-03-15T10:00:00.000Z",
      "2026-04-15T10:00:00.000Z",
    ]);
    const numbers = invoices.map(({ number }) => Number(number.slice(-6)));
    expect(numbers).toEqual(numbers.map((_, index) => numbers[0]! + index));
  });

  test("the clock moves forward only", async () => {
    const { bucket } = await billed(client, start, monthly("30.00"));
    const back = await client.post(`${bucket}/clock`, { now: "2030-12-31T00:00:00Z" });
    expectProblem(back, 400, "validation_failed", { pointer: "/now" });
    expect((await ok(client.get(bucket))).clock).toBe(start);
  });

  test("the clock moves far in several transactions, and not if it takes too many", async () => {
    const { bucket } = await billed(client, start, monthly("30.00"));
    const far = await client.post(`${bucket}/clock`, { now: "2500-01-01T00:00:00.000Z" });
    expectProblem(far, 400, "validation_failed", { pointer: "/now" });
    expect((await ok(client.get(bucket))).clock).toBe(start);
    expect(await invoicesOf(client, bucket)).toHaveLength(1);
    const end = "2034-01-01T00:00:00.000Z";
    await moveTo(client, bucket, end);
    const query = `?resource=${bucket.split("/").at(-1)}&action=metering-bucket.updated`;
    const { data } = await ok(client.get(`/v1/accounts/${account}/audit-log${query}`));
    type Change = { pointer: string; after: string };
    const changes: Change[] = data.flatMap((entry: { changes: Change[] }) => entry.changes);
    const clocks = changes.filter(({ pointer }) => pointer === "/clock").map(({ after }) => after);
    clocks.sort();
    expect(clocks.length).toBeGreaterThan(2);
    expect(new Set(clocks).size).toBe(clocks.length);
    expect(clocks.at(-1)).toBe(end);
    expect(await invoicesOf(client, bucket, "?limit=1000")).toHaveLength(1 + 3 * 12);
  });
});
