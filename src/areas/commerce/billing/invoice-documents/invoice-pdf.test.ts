import { beforeAll, expect, test } from "bun:test";
import { billed, invoicesOf, monthly, ok, rated, setProfile, use } from "../../../../../test/support/billing.ts";
import { sqlite } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { pdfText } from "../../../../../test/support/pdf-text.ts";
import { useServer } from "../../../../../test/support/server.ts";
import { adminToken } from "../../../../../test/support/server-settings.ts";
import { contentOf } from "./invoice-content.ts";
import { InvoicePdfs } from "./invoice-response.ts";

// The document does not depend on the engine.
const server = useServer(sqlite);
const { client } = server;

/** Names with letters that need marks, ligatures, contextual forms, or another direction. */
const names = {
  Latin: "Łódź Überseeländer & Söhne, Ñandú",
  Greek: "Εταιρεία Μετεωρολογίας Α.Ε. Ἀθῆναι",
  Cyrillic: "ООО «Погода и ветер» Ёлка, Київ",
  Arabic: "شركة الطقس المحدودة للأرصاد",
  Chinese: "北京天气数据有限公司",
  Traditional: "臺灣氣象資料股份有限公司",
  Japanese: "株式会社お天気データ",
  Korean: "한국기상데이터 주식회사",
  Hebrew: "חברת מזג האוויר",
  Devanagari: "मौसम डेटा प्राइवेट लिमिटेड",
  Thai: "บริษัท ข้อมูลสภาพอากาศ จำกัด",
};

beforeAll(() => setProfile(client, { taxRates: [{ name: "ΦΠΑ", percentage: "24" }], legalName: names.Greek }));

async function pdfOf(path: string): Promise<Uint8Array> {
  const headers = { authorization: `Bearer ${adminToken}`, accept: "application/pdf" };
  const response = await fetch(`${server.url}${path}`, { headers });
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/pdf"]);
  return new Uint8Array(await response.arrayBuffer());
}

const words = (text: string) => text.split(/\s+/u).filter((word) => word !== "");

/** The words of the page without its style, title and link. */
async function wordsOfPage(path: string): Promise<string[]> {
  const { text } = await client.get(path, { accept: "text/html" });
  const body = text.slice(text.indexOf("<header>"), text.indexOf("</main>")).replace(/<[^>]*>/g, " ");
  return words(body.replaceAll("&amp;", "&").replaceAll("&quot;", '"'));
}

async function invoiceFor(label: string, legalName: string) {
  const its = await billed(client, "2031-01-01T00:00:00.000Z", { label, ...monthly("1234.50") });
  const address = { line1: `${legalName} 12`, city: legalName, country: "GR" };
  await ok(client.patch(`${its.bucket}/customers/acme`, { legalName, address }));
  const [first] = await invoicesOf(client, its.bucket);
  const note = await ok(
    client.post(`${its.bucket}/invoices/${first.id}/$credit`, { lines: [{ description: legalName, amount: "5.00" }] }),
  );
  return { ...its, first: `${its.bucket}/invoices/${first.id}`, note: `${its.bucket}/invoices/${note.id}` };
}

test.each(Object.entries(names))("a PDF has the words of the page, in %s", async (_, name) => {
  const { first, note } = await invoiceFor(name, name);
  for (const path of [first, note]) {
    const text = await pdfText(await pdfOf(path));
    expect(text).toContain(name);
    // The layout of columns changes the order of lines, but no word is lost or added.
    expect(words(text).toSorted()).toEqual((await wordsOfPage(path)).toSorted());
  }
});

test("the same invoice is the same bytes, until it is paid", async () => {
  const { first } = await invoiceFor("Gold", "Acme");
  const [one, other] = [await pdfOf(first), await pdfOf(first)];
  expect(Buffer.from(one).equals(Buffer.from(other))).toBe(true);
  await ok(client.post(`${first}/$mark-paid`));
  expect(await pdfText(await pdfOf(first))).toContain("Paid");
});

test("a document is built once for each version of an invoice, and again after a failure", async () => {
  const { first } = await invoiceFor("Gold", "Acme");
  const invoice = () => ok(client.get(first));
  const open = contentOf(await invoice());
  const on = new Date(0);
  let built = 0;
  let fails = true;
  const pdfs = new InvoicePdfs(async ({ title }) => {
    built += 1;
    if (fails) throw new Error("a font could not be read");
    return Buffer.from(`${title} ${built}`);
  });
  await expect(pdfs.get(open, on)).rejects.toThrow("a font could not be read");
  fails = false;
  const same = contentOf(await invoice());
  const all = [...(await Promise.all([pdfs.get(open, on), pdfs.get(same, on)])), await pdfs.get(open, on)];
  expect([built, new Set(all.map(String)).size]).toEqual([2, 1]);
  await ok(client.post(`${first}/$mark-paid`));
  expect(String(await pdfs.get(contentOf(await invoice()), on))).toEndWith(" 3");
  expect(String(await pdfs.get(open, on))).toEndWith(" 2");
});

test("many lines continue on further pages, and long words are broken", async () => {
  const label = `A ${"long-word".repeat(12)}`;
  const { bucket } = await billed(client, "2031-01-01T00:00:00.000Z", { label, ...monthly("1.00") });
  const invoice = (await invoicesOf(client, bucket))[0];
  const lines = Array.from({ length: 60 }, (_, index) => ({ description: `Line ${index}`, amount: "0.01" }));
  const note = await ok(client.post(`${bucket}/invoices/${invoice.id}/$credit`, { lines }));
  const text = await pdfText(await pdfOf(`${bucket}/invoices/${note.id}`));
  for (const index of [0, 59]) expect(text).toContain(`Line ${index} `);
  expect(text.match(/Page \d of \d/g)).toEqual(["Page 1 of 3", "Page 2 of 3", "Page 3 of 3"]);
  expect(text.match(/Unit price/g)).toHaveLength(3);
  const broken = await pdfText(await pdfOf(`${bucket}/invoices/${invoice.id}`));
  expect(broken.replace(/\s+/g, "")).toContain("long-word".repeat(3));
});

test("the page links to the PDF, and a draft has none", async () => {
  const { first } = await invoiceFor("Gold", "Acme");
  const { text } = await client.get(first, { accept: "text/html" });
  const [, href] = /<a href="([^"]+)" download>Download PDF/.exec(text) ?? [];
  expect(href).toBe("?format=pdf");
  const headers = { authorization: `Bearer ${adminToken}`, accept: "text/html" };
  const linked = await fetch(`${server.url}${first}${href}`, { headers });
  expect(linked.headers.get("content-type")).toBe("application/pdf");
  expect(linked.headers.get("content-disposition")).toMatch(/^inline; filename="invoice-test-inv-\d+\.pdf"$/);

  const { bucket } = await billed(client, "2031-01-01T00:00:00.000Z", rated("0.10", { amount: "0.00" }));
  await use(client, bucket, 200);
  await ok(client.post(`${bucket}/clock`, { now: "2031-02-01T00:00:00.000Z" }));
  const [draft] = await invoicesOf(client, bucket);
  expect(draft.status).toBe("draft");
  const path = `${bucket}/invoices/${draft.id}`;
  expectProblem(await client.get(path, { accept: "application/pdf" }), 409, "invoice_is_draft");
  expect((await client.get(path, { accept: "text/html" })).text).not.toContain("Download PDF");
});
