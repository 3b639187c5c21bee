import { beforeAll, expect, test } from "bun:test";
import { billed, invoicesOf, moveTo, ok, rated, setProfile, use } from "../../../../../test/support/billing.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { useServer } from "../../../../../test/support/server.ts";

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;
  const csv = { accept: "text/csv" };
  beforeAll(() => setProfile(client));

  const rowsOf = async (path: string) => {
    const { status, text } = await client.get(path, csv);
    expect(status).toBe(200);
    const [header = "", ...lines] = text.trimEnd().split("\r\n");
    const names = header.split(",");
    return lines.map((line) => Object.fromEntries(line.split(",").map((cell, index) => [names[index], cell])));
  };

  test("lists of invoices, grants and entries are CSV in pages, and no cell is a formula", async () => {
    const { bucket } = await billed(client, "2031-01-01T00:00:00.000Z", rated("0.10", { amount: "30.00" }));
    const grants = `${bucket}/customers/acme/grants`;
    const reason = "=HYPERLINK(1)";
    const grant = await ok(client.post(grants, { currency: "EUR", amount: "5.00", funding: "paid", reason }));
    await ok(client.post(grants, { meter: "requests", amount: 7, funding: "promotional" }));
    const [invoice] = await invoicesOf(client, bucket);
    await ok(client.post(`${bucket}/invoices/${invoice.id}/$mark-paid`, { reference: "-transfer" }));
    await ok(
      client.post(`${bucket}/invoices/${invoice.id}/$credit`, { lines: [{ description: "S", amount: "1.00" }] }),
    );
    expect(await rowsOf(`${bucket}/invoices?status=paid`)).toMatchObject([
      { id: invoice.id, type: "invoice", status: "paid", total: "30.00", amountDue: "0.00", reference: "'-transfer" },
      { type: "credit-note", correctsId: invoice.id, total: "1.00" },
    ]);
    const first = await client.get(`${bucket}/invoices?limit=1`, csv);
    expect(first.headers.get("link")).toContain('offset=1>; rel="next"');
    expect((await rowsOf(grants)).slice(0, 2)).toMatchObject([
      { currency: "EUR", amount: "5.00", funding: "paid", reason: `'${reason}` },
      { meter: "requests", amount: "7", balance: "7" },
    ]);
    expect(await rowsOf(`${grants}/${grant.id}/entries`)).toMatchObject([{ kind: "granted", amount: "5.00" }]);
    // Without the header, a list is JSON as before.
    expect((await ok(client.get(grants))).data).toHaveLength(3);
  });

  test("payments and refunds are listed in their order, and as CSV that adds up; what credits paid is none", async () => {
    const { bucket } = await billed(client, "2031-01-01T00:00:00.000Z", rated("0.10", { amount: "30.00" }));
    const payments = async (query = "") => (await ok(client.get(`${bucket}/payments${query}`))).data;
    expect(await payments()).toEqual([]);
    const [invoice] = await invoicesOf(client, bucket);
    const method = JSON.stringify({ type: "sandbox", behavior: "succeeds" });
    await ok(client.raw("PUT", `${bucket}/customers/acme/payment-method`, method));
    await ok(client.post(`${bucket}/invoices/${invoice.id}/$collect`));
    const credit = { lines: [{ description: "S", amount: "1.00" }], to: "payment-method" };
    await moveTo(client, bucket, "2031-01-02T00:00:00.000Z");
    const note = await ok(client.post(`${bucket}/invoices/${invoice.id}/$credit`, credit));
    await ok(client.post(`${bucket}/customers/acme/grants`, { currency: "EUR", amount: "30.00", funding: "paid" }));
    await moveTo(client, bucket, "2031-02-01T02:00:00.000Z");
    await moveTo(client, bucket, "2031-03-01T02:00:00.000Z");
    const first = { customerKey: "acme", invoiceId: invoice.id, currency: "EUR", state: "succeeded" };
    const refund = { ...first, type: "refund", creditNoteId: note.id, amount: "1.00" };
    expect(await payments()).toMatchObject([
      { ...first, type: "payment", number: invoice.number, amount: "30.00", paidOn: "2031-01-01T00:00:00.000Z" },
      { ...refund, number: note.number, paidOn: "2031-01-02T00:00:00.000Z" },
      { type: "payment", amount: "30.00", paidOn: "2031-03-01T01:00:00.000Z" },
    ]);
    expect(await payments("?from=2031-01-02T00:00:00Z&to=2031-02-01T00:00:00Z")).toMatchObject([refund]);
    expect(await payments("?customerKey=other")).toEqual([]);
    expect((await client.get(`${bucket}/payments?from=yesterday`)).status).toBe(400);
    expect((await rowsOf(`${bucket}/payments`)).map(({ type, amount }) => [type, amount])).toEqual([
      ["payment", "30.00"],
      ["refund", "-1.00"],
      ["payment", "30.00"],
    ]);
    const page = await client.get(`${bucket}/payments?limit=1&offset=1`, csv);
    expect(page.headers.get("link")).toContain('offset=2>; rel="next"');
    // A refund that fails moves no money.
    await ok(client.raw("PUT", `${bucket}/customers/acme/payment-method`, method.replace("succeeds", "fails")));
    await ok(client.post(`${bucket}/invoices/${invoice.id}/$credit`, credit));
    expect(await payments()).toHaveLength(3);
  });

  test("a list shows drafts with the overage so far", async () => {
    const { bucket } = await billed(client, "2031-01-01T00:00:00.000Z", rated("0.10", { amount: "30.00" }));
    await use(client, bucket, 150);
    await moveTo(client, bucket, "2031-02-01T00:00:00.000Z");
    const [, draft] = await invoicesOf(client, bucket);
    expect(draft).toMatchObject({ status: "draft", total: "35.00", amountDue: "35.00" });
    expect(draft).toEqual(await ok(client.get(`${bucket}/invoices/${draft.id}`)));
    expect(await rowsOf(`${bucket}/invoices?status=draft`)).toMatchObject([{ total: "35.00" }]);
    // Reading changed nothing: the invoice is finalized in an hour.
    await moveTo(client, bucket, "2031-02-01T02:00:00.000Z");
    expect((await invoicesOf(client, bucket))[1]).toMatchObject({ status: "open", total: "35.00" });
  });
});
