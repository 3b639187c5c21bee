import { afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { billed, invoicesOf, monthly, moveTo, ok, perUnit, setProfile } from "../../../../../test/support/billing.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { useServer } from "../../../../../test/support/server.ts";
import { account } from "../../../../../test/support/server-settings.ts";
import { until } from "../../../../../test/support/until.ts";
import { useWebhookReceiver, verifySignature } from "../../../../../test/support/webhook-receiver.ts";

const webhooks = `/v1/accounts/${account}/webhooks`;
const start = "2031-01-01T00:00:00.000Z";
const due = "2031-01-15T00:00:00.000Z";

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;
  const receiver = useWebhookReceiver();
  let hook: { id: string; secret: string };

  beforeAll(async () => {
    await setProfile(client);
  });
  beforeEach(async () => {
    receiver.received.length = 0;
    hook = await ok(client.post(webhooks, { url: receiver.url(), events: ["invoice.*", "customer.updated"] }));
  });
  afterEach(() => client.delete(`${webhooks}/${hook.id}`));

  /** The types of all messages, sorted: deliveries of one webhook may overtake each other. */
  async function typesOf(count: number): Promise<string[]> {
    await receiver.wait(count);
    await server.catchUp();
    return receiver.received.map(({ message }) => message.type).toSorted();
  }

  test("an invoice is created, finalized, and fails when it is due", async () => {
    const { bucket } = await billed(client, start, monthly("30.00"));
    const [invoice] = await invoicesOf(client, bucket);
    await receiver.wait(2);
    for (const one of receiver.received) verifySignature(hook.secret, one);
    const [created] = receiver.ofType("invoice.created");
    expect(created!.message.data).toMatchObject({ id: invoice.id, status: "draft", total: "30.00" });
    expect(created!.message.data).not.toHaveProperty("number");
    const [finalized] = receiver.ofType("invoice.finalized");
    expect(finalized!.message.data).toMatchObject(invoice);

    await moveTo(client, bucket, due);
    const [failed] = await receiver.waitForType("invoice.payment_failed");
    expect(failed!.message.data).toMatchObject({
      id: invoice.id,
      number: invoice.number,
      status: "open",
      failedOn: due,
    });

    await ok(client.post(`${bucket}/invoices/${invoice.id}/$mark-paid`, { reference: "transfer" }));
    const [paid] = await receiver.waitForType("invoice.paid");
    expect(paid!.message.data).toMatchObject({ id: invoice.id, status: "paid", reference: "transfer", paidOn: due });
    expect(await typesOf(4)).toEqual([
      "invoice.created",
      "invoice.finalized",
      "invoice.paid",
      "invoice.payment_failed",
    ]);
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(4);
  });

  test("a payment method that fails and then succeeds", async () => {
    const { bucket } = await billed(client, start, monthly("30.00"));
    const method = (behavior: string) =>
      client.raw("PUT", `${bucket}/customers/acme/payment-method`, JSON.stringify({ type: "sandbox", behavior }));
    await ok(method("fails"));
    const [invoice] = await invoicesOf(client, bucket);
    const collect = () => ok(client.post(`${bucket}/invoices/${invoice.id}/$collect`));
    await collect();
    const [failed] = await receiver.waitForType("invoice.payment_failed");
    expect(failed!.message.data).toMatchObject({ id: invoice.id, status: "open", failedOn: start });
    await ok(method("succeeds"));
    await collect();
    const [paid] = await receiver.waitForType("invoice.paid");
    expect(paid!.message.data).toMatchObject({ id: invoice.id, status: "paid", amountDue: "0.00" });
  });

  test("a renewal with overage is created at the period's end, finalized an hour later, and paid", async () => {
    const rates = { requests: perUnit("0.10") };
    const { bucket } = await billed(client, start, { ...monthly("30.00"), rates });
    const method = { type: "sandbox", behavior: "succeeds" };
    await ok(client.raw("PUT", `${bucket}/customers/acme/payment-method`, JSON.stringify(method)));
    await moveTo(client, bucket, "2031-02-01T01:00:00.000Z");
    const [, renewal] = await invoicesOf(client, bucket);
    const ofRenewal = (type: string) => receiver.ofType(type).filter(({ message }) => message.data.id === renewal.id);
    for (const type of ["invoice.created", "invoice.finalized", "invoice.paid"])
      await until(() => ofRenewal(type).length > 0, { what: () => type });
    const [created] = ofRenewal("invoice.created");
    const [finalized] = ofRenewal("invoice.finalized");
    expect(created!.message).toMatchObject({ timestamp: "2031-02-01T00:00:00.000Z", data: { status: "draft" } });
    expect(finalized!.message).toMatchObject({ timestamp: "2031-02-01T01:00:00.000Z", data: { status: "open" } });
    await server.catchUp();
    for (const type of ["invoice.created", "invoice.finalized", "invoice.paid"])
      expect(ofRenewal(type)).toHaveLength(1);
  });

  test("a voided invoice, and none for an action that is rejected", async () => {
    const { bucket } = await billed(client, start, monthly("30.00"));
    const [invoice] = await invoicesOf(client, bucket);
    const path = `${bucket}/invoices/${invoice.id}`;
    await ok(client.post(`${path}/$void`));
    const [voided] = await receiver.waitForType("invoice.voided");
    expect(voided!.message.data).toMatchObject({ id: invoice.id, number: invoice.number, status: "void" });
    for (const action of ["$void", "$collect", "$mark-paid"])
      expectProblem(await client.post(`${path}/${action}`), 409, "invoice_not_open");
    // A later change has its message after all earlier ones were created.
    await ok(client.patch(`${bucket}/customers/acme`, { legalName: "Last" }));
    expect(await typesOf(4)).toEqual(["customer.updated", "invoice.created", "invoice.finalized", "invoice.voided"]);
  });

  test("a customer's details and payment method are updated; a change of nothing has no message", async () => {
    const { bucket } = await billed(client, start, monthly("30.00"));
    const path = `${bucket}/customers/acme`;
    await ok(client.patch(path, {}));
    // What is due changes with invoices, which have messages of their own.
    const { amountDue: _, ...changed } = await ok(
      client.patch(path, { email: "billing@acme.example", legalName: "Acme Ltd" }),
    );
    const [first] = await receiver.waitForType("customer.updated");
    verifySignature(hook.secret, first!);
    expect(first!.message.data).toMatchObject(changed);
    await ok(client.raw("PUT", `${path}/payment-method`, JSON.stringify({ type: "sandbox", behavior: "succeeds" })));
    const updates = await receiver.waitForType("customer.updated", 2);
    expect(updates[1]!.message.data.paymentMethod).toEqual({ type: "sandbox", behavior: "succeeds" });
    expect((await client.delete(`${path}/payment-method`)).status).toBe(204);
    const [, , last] = await receiver.waitForType("customer.updated", 3);
    expect(last!.message.data).not.toHaveProperty("paymentMethod");
    await server.catchUp();
    expect(receiver.ofType("customer.updated")).toHaveLength(3);
  });

  test("a credit note, the grant that it creates, and an invoice that is given up", async () => {
    const changed = { events: ["invoice.*", "credit-note.*", "grant.*"] };
    await ok(client.patch(`${webhooks}/${hook.id}`, changed));
    const { bucket } = await billed(client, start, monthly("30.00"));
    const [invoice] = await invoicesOf(client, bucket);
    const path = `${bucket}/invoices/${invoice.id}`;
    await ok(client.post(`${path}/$mark-uncollectible`));
    const [givenUp] = await receiver.waitForType("invoice.marked_uncollectible");
    expect(givenUp!.message.data).toMatchObject({ id: invoice.id, status: "uncollectible" });
    await ok(client.post(`${path}/$mark-paid`));
    const note = await ok(client.post(`${path}/$credit`, { lines: [{ description: "Outage", amount: "5.00" }] }));
    const [created] = await receiver.waitForType("credit-note.created");
    expect(created!.message.data).toMatchObject({ id: note.id, number: note.number, correctsId: invoice.id });
    const [granted] = await receiver.waitForType("grant.created");
    expect(granted!.message.data).toMatchObject({ customerKey: "acme", currency: "EUR", balance: "5.00" });
    await ok(client.post(`${bucket}/customers/acme/grants/${granted!.message.data.id}/$void`));
    const expiring = { meter: "requests", amount: 5, funding: "paid", expiresOn: due };
    await ok(client.post(`${bucket}/customers/acme/grants`, expiring));
    await ok(client.post(`${bucket}/customers/acme/grants`, { currency: "EUR", amount: "10.00", funding: "paid" }));
    await moveTo(client, bucket, "2031-02-01T00:00:00.000Z");
    for (const type of ["grant.voided", "grant.expired", "grant.consumed", "grant.depleted"]) {
      const [sent] = await receiver.waitForType(type);
      expect(sent!.message.data).toMatchObject({ customerKey: "acme" });
    }
  });
});
