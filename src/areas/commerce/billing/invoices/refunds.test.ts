import { beforeAll, expect, test } from "bun:test";
import { billed, invoicesOf, monthly, moveTo, ok, setProfile } from "../../../../../test/support/billing.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { useServer } from "../../../../../test/support/server.ts";
import { account } from "../../../../../test/support/server-settings.ts";
import { useWebhookReceiver } from "../../../../../test/support/webhook-receiver.ts";
import { parseCsv } from "../../../../lib/text/csv.ts";

const start = "2031-01-01T00:00:00.000Z";
const february = "2031-02-01T00:00:00.000Z";
const webhooks = `/v1/accounts/${account}/webhooks`;

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;
  const receiver = useWebhookReceiver();
  beforeAll(async () => {
    await setProfile(client);
  });

  /** An invoice of 100.00, of which credits pay a part and a card of the sandbox the rest. */
  async function paid({ credits }: { credits?: string } = {}) {
    const { bucket } = await billed(client, start, monthly("100.00"));
    await setMethod(bucket, "succeeds");
    if (credits !== undefined) {
      const grant = { currency: "EUR", amount: credits, funding: "paid" };
      await ok(client.post(`${bucket}/customers/acme/grants`, grant));
    }
    await moveTo(client, bucket, february);
    const [, invoice] = await invoicesOf(client, bucket);
    expect(invoice).toMatchObject({ status: "paid", total: "100.00" });
    const path = `${bucket}/invoices/${invoice.id}`;
    const credit = (amount: string, more: object = { to: "payment-method" }) =>
      client.post(`${path}/$credit`, { lines: [{ description: "Outage", amount }], ...more });
    return { bucket, path, invoice, credit };
  }

  const setMethod = (bucket: string, behavior: string) =>
    ok(client.raw("PUT", `${bucket}/customers/acme/payment-method`, JSON.stringify({ type: "sandbox", behavior })));

  async function balanceOf(bucket: string): Promise<string | undefined> {
    return (await ok(client.get(`${bucket}/customers/acme`))).balances?.[0].amount;
  }

  test("a part and then the rest is returned to the payment method, and never more", async () => {
    const { bucket, path, credit } = await paid();
    const note = await ok(credit("30.00"));
    expect(note).toMatchObject({
      type: "credit-note",
      total: "30.00",
      refund: { amount: "30.00", state: "succeeded" },
    });
    expect(await ok(client.get(`${bucket}/invoices/${note.id}`))).toEqual(note);
    expect(await ok(client.get(path))).toMatchObject({ status: "paid", credited: "30.00", refunded: "30.00" });
    expectProblem(await credit("70.01"), 409, "credit_exceeds_invoice");
    expect((await ok(credit("70.00"))).refund).toEqual({ amount: "70.00", state: "succeeded" });
    expect(await ok(client.get(path))).toMatchObject({ credited: "100.00", refunded: "100.00" });
    expect(await balanceOf(bucket)).toBeUndefined();
  });

  test("without `to` the amount becomes a grant, and can not be refunded again", async () => {
    const { bucket, path, credit } = await paid();
    expect(await ok(credit("60.00", {}))).not.toHaveProperty("refund");
    expect(await ok(client.get(path))).not.toHaveProperty("refunded");
    expectProblem(await credit("40.01"), 409, "credit_exceeds_invoice");
    expect((await ok(credit("40.00"))).refund).toEqual({ amount: "40.00", state: "succeeded" });
    expect(await balanceOf(bucket)).toBe("60.00");
  });

  test("what credits paid of the invoice becomes a grant again", async () => {
    const { bucket, path, invoice, credit } = await paid({ credits: "40.00" });
    expect(invoice).toMatchObject({ fromCredits: "40.00" });
    expect((await ok(credit("50.00"))).refund).toEqual({ amount: "50.00", state: "succeeded" });
    expect(await balanceOf(bucket)).toBeUndefined();
    expect((await ok(credit("30.00"))).refund).toEqual({ amount: "10.00", state: "succeeded" });
    expect(await balanceOf(bucket)).toBe("20.00");
    expect(await ok(client.get(path))).toMatchObject({ credited: "80.00", refunded: "60.00" });
    expectProblem(await credit("20.00"), 409, "nothing_to_refund");
    await ok(credit("20.00", { to: "balance" }));
    expect(await balanceOf(bucket)).toBe("40.00");
  });

  test("a refund that fails becomes a grant, and webhooks get both results", async () => {
    // Earlier credit notes are not sent to the webhook.
    await server.catchUp();
    const hook = await ok(client.post(webhooks, { url: receiver.url(), events: ["credit-note.*", "grant.created"] }));
    const { bucket, path, credit } = await paid();
    const first = await ok(credit("30.00"));
    const [refunded] = await receiver.waitForType("credit-note.refunded");
    expect(refunded!.message.data).toMatchObject({ id: first.id, refund: { amount: "30.00", state: "succeeded" } });
    await setMethod(bucket, "fails");
    const note = await ok(credit("20.00"));
    expect(note.refund).toEqual({ amount: "20.00", state: "failed" });
    const [failed] = await receiver.waitForType("credit-note.refund_failed");
    expect(failed!.message.data).toMatchObject({ id: note.id, refund: { amount: "20.00", state: "failed" } });
    const [granted] = await receiver.waitForType("grant.created");
    expect(granted!.message.data).toMatchObject({ balance: "20.00", reason: "A refund failed" });
    expect(await ok(client.get(path))).toMatchObject({ credited: "50.00", refunded: "30.00" });
    expect(await balanceOf(bucket)).toBe("20.00");
    const { data } = await ok(client.get(`/v1/accounts/${account}/audit-log?resource=${note.id}`));
    expect(data.map(({ action }: { action: string }) => action).toSorted()).toEqual([
      "credit-note.created",
      "credit-note.refund_failed",
    ]);
    await client.delete(`${webhooks}/${hook.id}`);
  });

  test("a payment outside of Tollgate is refunded outside, with a reference", async () => {
    const { bucket } = await billed(client, start, monthly("100.00"));
    const [invoice] = await invoicesOf(client, bucket);
    const path = `${bucket}/invoices/${invoice.id}`;
    const body = { lines: [{ description: "Outage", amount: "30.00" }], to: "payment-method", reference: "transfer 7" };
    expectProblem(await client.post(`${path}/$credit`, body), 409, "nothing_to_refund");
    expect(await ok(client.get(path))).toEqual(invoice);
    // The part that is credited before the payment was not paid.
    await ok(client.post(`${path}/$credit`, { lines: [{ description: "Outage", amount: "20.00" }] }));
    await ok(client.post(`${path}/$mark-paid`));
    const note = await ok(client.post(`${path}/$credit`, body));
    expect(note).toMatchObject({ refund: { amount: "30.00", state: "succeeded" }, reference: "transfer 7" });
    const rest = { ...body, lines: [{ description: "Outage", amount: "50.00" }] };
    expect((await ok(client.post(`${path}/$credit`, rest))).refund.amount).toBe("50.00");
    expect(await ok(client.get(path))).toMatchObject({ credited: "100.00", refunded: "80.00" });
  });

  test("a void invoice, a credit note and an unknown target are rejected", async () => {
    const { bucket } = await billed(client, start, monthly("100.00"));
    const [invoice] = await invoicesOf(client, bucket);
    const path = `${bucket}/invoices/${invoice.id}`;
    const body = { lines: [{ description: "Outage", amount: "30.00" }], to: "payment-method" };
    const wrong = await client.post(`${path}/$credit`, { ...body, to: "card" });
    expectProblem(wrong, 400, "validation_failed", { pointer: "/to" });
    await ok(client.post(`${path}/$void`));
    expectProblem(await client.post(`${path}/$credit`, body), 409, "invoice_not_final");
  });

  test("page, CSV and mail show the refund", async () => {
    const { bucket, path, invoice, credit } = await paid();
    await ok(client.patch(`${bucket}/customers/acme`, { email: "billing@acme.example" }));
    const note = await ok(credit("30.00"));
    for (const shown of [path, `${bucket}/invoices/${note.id}`]) {
      expect((await client.get(shown, { accept: "text/html" })).text).toContain("<dt>Refunded</dt><dd>30.00 EUR</dd>");
      const [names, values] = parseCsv((await client.get(shown, { accept: "text/csv" })).text);
      expect(values!.cells[names!.cells.indexOf("refunded")]).toBe("30.00");
    }
    const { data } = await ok(client.get(`${bucket}/mails`));
    const { kind, subject, text } = data.at(-1);
    expect({ kind, subject }).toEqual({ kind: "refund", subject: "Refund of 30.00 EUR from Seller GmbH" });
    expect(text).toContain(`We have refunded 30.00 EUR of invoice ${invoice.number}:`);
    await setMethod(bucket, "fails");
    const failed = await ok(credit("10.00"));
    const page = await client.get(`${bucket}/invoices/${failed.id}`, { accept: "text/html" });
    expect(page.text).toContain("<dt>Refunded</dt><dd>Failed: added to the credits</dd>");
    expect((await ok(client.get(`${bucket}/mails`))).data).toHaveLength(data.length);
  });
});
