import { beforeAll, expect, test } from "bun:test";
import { billed, invoicesOf, monthly, moveTo, ok, perUnit, setProfile } from "../../../../../test/support/billing.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { useServer } from "../../../../../test/support/server.ts";
import { parseCsv } from "../../../../lib/text/csv.ts";

const start = "2031-01-01T00:00:00.000Z";
const html = { accept: "text/html" };
const csv = { accept: "text/csv" };
const hostile = `<script>alert(1)</script>"'&<img src=x onerror=alert(2)>`;

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;
  beforeAll(async () => {
    await setProfile(client, { taxId: "DE123", taxRates: [{ name: "VAT", percentage: "19", country: "GB" }] });
  });

  /** An invoice with a fee, overage and tax of a customer with an address. */
  async function renewed() {
    const plan = { label: "Gold", ...monthly("1230.00"), rates: { requests: perUnit("0.015") } };
    const meters = { requests: { label: "Requests", max: 10 } };
    const { bucket } = await billed(client, start, { ...plan, meters });
    const address = { line1: "1 High St", postalCode: "N1", city: "London", country: "GB" };
    await ok(client.patch(`${bucket}/customers/acme`, { legalName: "Acme Ltd", address, taxIds: ["GB1"] }));
    const event = { specversion: "1.0", id: "1", source: "api", type: "request", subject: "acme" };
    await ok(client.post(`${bucket}/events`, { ...event, data: { requests: 110 } }));
    await moveTo(client, bucket, "2031-02-01T01:00:00.000Z");
    const [, invoice] = await invoicesOf(client, bucket);
    return { bucket, invoice, path: `${bucket}/invoices/${invoice.id}` };
  }

  test("an invoice is a page with its parties, lines, taxes and sums", async () => {
    const { path, invoice } = await renewed();
    const { status, headers, text } = await client.get(path, html);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/]{43}='; /);
    expect(text).toContain(`<h1>Invoice ${invoice.number}</h1>`);
    expect(text).toContain("Seller GmbH\nHauptstr. 1\nBerlin\nGermany\nTax id DE123");
    expect(text).toContain("Acme Ltd\n1 High St\nN1 London\nUnited Kingdom\nTax id GB1");
    expect(textsOf(text, "td")).toEqual([
      ...["Gold", "2031-02-01 – 2031-03-01", "1", "1\u202f230.00", "1\u202f230.00"],
      ...["RequestsUsage beyond the plan", "2031-01-01 – 2031-02-01", "100", "0.015", "1.50"],
      ...["1\u202f231.50", "233.99", "1\u202f465.49", "1\u202f465.49"],
    ]);
    expect(textsOf(text, "th").slice(5)).toEqual(["Subtotal", "VAT 19 %", "Total EUR", "Amount due EUR"]);
    expect(textsOf(text, "dd")).toEqual(["2031-02-01", "2031-02-15"]);
  });

  test("as CSV, the amounts of its rows add up to the total, and negative ones are numbers", async () => {
    const { bucket, path, invoice } = await renewed();
    const { status, headers, text } = await client.get(path, csv);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present");
    const [columns, ...rows] = parseCsv(text).map(({ cells }) => cells);
    const cell = (row: string[], name: string) => row[columns!.indexOf(name)]!;
    expect(rows.map((row) => [cell(row, "kind"), cell(row, "amount")])).toEqual([
      ["plan", "1230.00"],
      ["overage", "1.50"],
      ["tax", "233.99"],
    ]);
    for (const row of rows)
      expect([cell(row, "number"), cell(row, "currency"), cell(row, "customerKey")]).toEqual([
        invoice.number,
        "EUR",
        "acme",
      ]);
    await ok(client.post(`${bucket}/invoices/${invoice.id}/$mark-paid`));
    const change = { label: "Pro", planExternalId: "pro", ...monthly("2000.00"), meters: { requests: { max: 10 } } };
    await ok(client.post(`${bucket}/plans`, change));
    await ok(client.post(`${bucket}/subscriptions/${invoice.subscriptionId}/$change`, { planExternalIds: ["pro"] }));
    const changed = (await invoicesOf(client, bucket)).at(-1);
    const text2 = (await client.get(`${bucket}/invoices/${changed.id}`, csv)).text;
    expect(text2).toMatch(/,proration,Gold,.*,-\d+\.\d\d,/);
  });

  test("hostile texts of seller, customer, plan and credit note are escaped", async () => {
    await setProfile(client, { legalName: hostile });
    const { bucket } = await billed(client, start, { label: hostile, ...monthly("30.00") });
    await ok(client.patch(`${bucket}/customers/acme`, { legalName: `=${hostile}` }));
    await moveTo(client, bucket, "2031-02-01T00:00:00.000Z");
    const [, invoice] = await invoicesOf(client, bucket);
    const path = `${bucket}/invoices/${invoice.id}`;
    const reference = { reference: hostile };
    await ok(client.post(`${path}/$mark-paid`, reference));
    const lines = [{ description: hostile, amount: "5.00" }];
    const note = await ok(client.post(`${path}/$credit`, { lines }));
    const pages = [await client.get(path, html), await client.get(`${bucket}/invoices/${note.id}`, html)];
    for (const { text } of pages) {
      expect(text).not.toMatch(/<script|<img|onerror=alert\(2\)>/);
      expect(text).toContain("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;");
    }
    expect(pages[0]!.text).toContain('<p class="state">Paid</p>');
    expect(pages[0]!.text).toContain("<dd>&lt;script&gt;");
    expect(pages[1]!.text).toContain(`<h1>Credit note ${note.number}</h1>`);
    expect(textsOf(pages[1]!.text, "dd")).toContain(invoice.number);
    await ok(client.patch(`${bucket}/plans/${invoice.lines[0].planId}`, { label: "=1+1" }));
    await moveTo(client, bucket, "2031-03-01T00:00:00.000Z");
    const last = (await invoicesOf(client, bucket)).at(-1);
    expect((await client.get(`${bucket}/invoices/${last.id}`, csv)).text).toContain(",'=1+1,");
    await setProfile(client);
  });

  test("amounts have the digits of their currency, and states are shown", async () => {
    const { bucket } = await billed(client, start, { label: "Gold", ...monthly("12300", "JPY") });
    const [invoice] = await invoicesOf(client, bucket);
    const path = `${bucket}/invoices/${invoice.id}`;
    expect(textsOf((await client.get(path, html)).text, "td")).toContain("12\u202f300");
    await ok(client.post(`${path}/$void`));
    expect((await client.get(path, html)).text).toContain('<p class="state">Void: nothing is due</p>');
  });

  test("what credits, credit notes and payments paid is between the total and the amount due", async () => {
    const { bucket } = await billed(client, start, { ...monthly("100.00"), meters: { requests: { max: 10 } } });
    await ok(client.post(`${bucket}/customers/acme/grants`, { currency: "EUR", amount: "30.00", funding: "paid" }));
    await moveTo(client, bucket, "2031-02-01T00:00:00.000Z");
    const [, invoice] = await invoicesOf(client, bucket);
    const path = `${bucket}/invoices/${invoice.id}`;
    const sums = async () => {
      const { text } = await client.get(path, html);
      const table = text.slice(text.indexOf('class="sums"'));
      const amounts = textsOf(table, "td");
      return textsOf(table, "th").map((label, index) => `${label}: ${amounts[index]}`);
    };
    const before = ["Subtotal: 100.00", "Total EUR: 100.00", "Paid from credits: \u221230.00"];
    expect(await sums()).toEqual([...before, "Amount due EUR: 70.00"]);
    await ok(client.post(`${path}/$mark-paid`));
    expect(await sums()).toEqual([...before, "Paid: \u221270.00", "Amount due EUR: 0.00"]);
    const credit = (amount: string) =>
      ok(client.post(`${path}/$credit`, { lines: [{ description: "Outage", amount }] }));
    await credit("20.00");
    const credited = (amount: string) => [...before, `Credited: \u2212${amount}`];
    expect(await sums()).toEqual([
      ...credited("20.00"),
      "Paid, after credit notes: \u221250.00",
      "Amount due EUR: 0.00",
    ]);
    await credit("80.00");
    expect(await sums()).toEqual([...credited("100.00"), "Returned to credits: 30.00", "Amount due EUR: 0.00"]);
  });

  test("the type is selected by Accept, and JSON is the default", async () => {
    const { bucket } = await billed(client, start, monthly("30.00"));
    const [invoice] = await invoicesOf(client, bucket);
    const path = `${bucket}/invoices/${invoice.id}`;
    const typeOf = async (accept: string) =>
      (await client.get(path, { accept })).headers.get("content-type")!.split(";")[0];
    expect(await typeOf("*/*")).toBe("application/json");
    expect(await typeOf("image/png")).toBe("application/json");
    expect(await typeOf("application/json, text/html;q=0.9")).toBe("application/json");
    expect(await typeOf("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")).toBe("text/html");
    expect(await typeOf("text/csv;q=0.9, application/json;q=0.1")).toBe("text/csv");
    const { headers } = await client.get(path);
    expect((await client.get(path, { "if-none-match": headers.get("etag")! })).status).toBe(304);
  });

  test("without a credential, with a weak one, or for another invoice, it is a problem in JSON", async () => {
    const { bucket } = await billed(client, start, monthly("30.00"));
    const [invoice] = await invoicesOf(client, bucket);
    const path = `${bucket}/invoices/${invoice.id}`;
    expectProblem(await client.anonymous().get(path, html), 401, "unauthenticated");
    const { token } = await ok(client.post("/v1/accounts/default/tokens", { role: "verifier" }));
    expectProblem(await client.as(token).get(path, html), 403, "forbidden");
    const other = await billed(client, start, monthly("30.00"));
    for (const accept of [html, csv]) {
      expectProblem(await client.get(`${other.bucket}/invoices/${invoice.id}`, accept), 404, "not_found");
      expectProblem(await client.get(`${bucket}/invoices/inv_none`, accept), 404, "not_found");
    }
  });
});

/** The texts of the elements with a name, without tags. */
function textsOf(page: string, name: string): string[] {
  return [...page.matchAll(new RegExp(`<${name}(?: [^>]*)?>(.*?)</${name}>`, "gs"))].map(([, inner]) =>
    inner!.replaceAll(/<[^>]*>/g, ""),
  );
}
