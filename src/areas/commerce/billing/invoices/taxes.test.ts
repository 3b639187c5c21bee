import { beforeAll, describe, expect, test } from "bun:test";
import {
  billed,
  invoicesOf,
  linesOf,
  monthly,
  moveTo,
  newTestBucket,
  ok,
  perUnit,
  rated,
  setProfile,
  use,
} from "../../../../../test/support/billing.ts";
import type { ClientResponse } from "../../../../../test/support/client.ts";
import { eachEngine, sqlite } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { createPlan, record, subscribe, usageEvent } from "../../../../../test/support/metering.ts";
import { useServer } from "../../../../../test/support/server.ts";

type Body = ClientResponse["body"];

/** April has 30 days. */
const start = "2031-04-01T00:00:00.000Z";
const half = "2031-04-16T00:00:00.000Z";
const later = "2031-05-02T00:00:00.000Z";

const german = { name: "VAT", percentage: "19", country: "DE" };
const reverseCharge = "Reverse charge: the customer is liable for the tax.";

// Where storage does not matter, one engine is enough.
eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;
  const taxed = (taxBehavior: string, ...taxRates: object[]) =>
    setProfile(client, { termsDays: 365, graceDays: 365, taxRates, taxBehavior });
  beforeAll(() => taxed("inclusive", german));

  const post = (path: string, action: string, body?: object) => ok(client.post(`${path}/$${action}`, body));

  /** A customer with an address and a tax status before its first fee is invoiced. */
  async function scene(amount: string, { country = "DE", ...customer }: { country?: string; taxStatus?: string } = {}) {
    const bucket = await newTestBucket(client, start);
    const free = await createPlan(client, bucket);
    const { id } = await subscribe(client, bucket, [free]);
    await ok(client.patch(`${bucket}/customers/acme`, { address: { line1: "A", country }, ...customer }));
    const path = `${bucket}/subscriptions/${id}`;
    const gold = await createPlan(client, bucket, monthly(amount));
    await post(path, "change", { planExternalIds: [gold.planExternalId], timing: "now" });
    const [invoice] = await invoicesOf(client, bucket);
    return { bucket, path, free: free.planExternalId, invoice, first: `${bucket}/invoices/${invoice.id}` };
  }

  test("an inclusive price is the total, and the invoice says how much of it is tax", async () => {
    const { bucket, invoice } = await scene("119.00");
    expect(invoice).toMatchObject({
      taxBehavior: "inclusive",
      subtotal: "100.00",
      tax: "19.00",
      total: "119.00",
      amountDue: "119.00",
    });
    expect(invoice).not.toHaveProperty("taxNote");
    expect(linesOf(invoice)).toEqual([
      ["plan", "119.00"],
      ["tax", "19.00"],
    ]);
    expect(invoice.lines[1]).toMatchObject({ description: "VAT 19 %", isIncluded: true });
    const { data } = await ok(client.get(`${bucket}/revenue`));
    expect(data).toMatchObject([{ fees: "100.00", total: "100.00" }]);
  });

  test("a customer without tax pays an inclusive price without its tax, and the invoice states the reason", async () => {
    for (const [taxStatus, country, note] of [
      ["reverse-charge", "DE", reverseCharge],
      // The price includes the tax of the seller's country where no rate applies.
      ["reverse-charge", "FR", reverseCharge],
      ["exempt", "DE", "The customer is exempt from tax."],
      ["taxable", "US", undefined],
    ] as const) {
      const { bucket, invoice, first } = await scene("119.00", { country, taxStatus });
      expect(invoice).toMatchObject({ subtotal: "100.00", tax: "0.00", total: "100.00", amountDue: "100.00" });
      expect(invoice.taxNote).toBe(note);
      expect(invoice.buyer.taxStatus).toBe(taxStatus);
      expect(linesOf(invoice)).toEqual([
        ["plan", "119.00"],
        ["tax", "-19.00"],
      ]);
      expect(invoice.lines[1].description).toBe("Without VAT 19 %");
      expect((await ok(client.get(`${bucket}/revenue`))).data).toMatchObject([{ fees: "100.00" }]);
      // The status of the invoice stays, also on its credit notes.
      await ok(client.patch(`${bucket}/customers/acme`, { taxStatus: "taxable" }));
      const credit = await post(first, "credit", { lines: [{ description: "Sorry", amount: "40.00" }] });
      expect(credit).toMatchObject({ subtotal: "40.00", tax: "0.00", total: "40.00", taxBehavior: "inclusive" });
      expect(credit.taxNote).toBe(note);
    }
  });

  test("a fee is returned as it was paid, of prices with and without tax", async () => {
    for (const [taxStatus, back, tax] of [
      ["taxable", "59.50", "9.50"],
      ["exempt", "50.00", "0.00"],
    ] as const) {
      const { bucket, path, first } = await scene("119.00", { taxStatus });
      await post(first, "mark-paid");
      await moveTo(client, bucket, half);
      await post(path, "cancel", { timing: "now", refund: true });
      const { balances } = await ok(client.get(`${bucket}/customers/acme`));
      expect(balances).toEqual([{ currency: "EUR", amount: back }]);
      const note = (await invoicesOf(client, bucket)).find(({ type }) => type === "credit-note");
      expect(note).toMatchObject({ total: back, tax });
      const { data } = await ok(client.get(`${bucket}/revenue`));
      expect(data).toMatchObject([{ fees: "100.00", credits: "-50.00", total: "50.00" }]);
    }
  });

  test("a change of plans nets inclusive fees with their tax", async () => {
    for (const [taxStatus, total, tax, netted] of [
      ["taxable", "59.50", "9.50", "59.50"],
      ["reverse-charge", "50.00", "0.00", "50.00"],
    ] as const) {
      const { bucket, path, first } = await scene("119.00", { taxStatus });
      await post(first, "mark-paid");
      await moveTo(client, bucket, half);
      const up = await createPlan(client, bucket, monthly("238.00"));
      await post(path, "change", { planExternalIds: [up.planExternalId], timing: "now" });
      const [, second, ...others] = await invoicesOf(client, bucket);
      expect(others).toEqual([]);
      expect(linesOf(second).slice(0, 2)).toEqual([
        ["proration", "-59.50"],
        ["proration", "119.00"],
      ]);
      expect(second).toMatchObject({ total, tax });
      expect(await ok(client.get(first))).toMatchObject({ netted });
    }
  });

  test("credits reduce an inclusive price, and usage includes tax like fees", async () => {
    const { bucket } = await billed(client, start, rated("1.19", { max: 0 }));
    await ok(client.patch(`${bucket}/customers/acme`, { address: { line1: "A", country: "DE" } }));
    await ok(
      client.post(`${bucket}/customers/acme/grants`, { currency: "EUR", amount: "19.00", funding: "promotional" }),
    );
    await use(client, bucket, 100);
    await moveTo(client, bucket, later);
    const invoice = (await invoicesOf(client, bucket)).at(-1);
    expect(linesOf(invoice)).toEqual([
      ["overage", "119.00"],
      ["credit", "-19.00"],
      ["tax", "15.97"],
    ]);
    expect(invoice).toMatchObject({ subtotal: "84.03", tax: "15.97", total: "100.00" });
    expect((await ok(client.get(`${bucket}/revenue`))).data).toMatchObject([
      { overage: "100.00" },
      { credits: "-15.97" },
    ]);
  });

  test("usage that a grant paid at an inclusive price returns the tax to a customer without tax, on the grant's terms", async () => {
    const expiresOn = "2031-09-01T00:00:00.000Z";
    for (const [overage, fee, total, back] of [
      ["prepaid", "0.00", "100.00", ["19.00"]],
      ["bill", "0.00", "100.00", ["19.00"]],
      // The fee is due too: what the grant paid is not more than the total.
      ["prepaid", "119.00", "200.00", []],
    ] as const) {
      const plan = rated({ ...perUnit("1.19"), overage }, { amount: fee, max: 0 });
      const { bucket } = await billed(client, start, plan);
      await ok(client.patch(`${bucket}/customers/acme`, { taxStatus: "reverse-charge" }));
      const grants = `${bucket}/customers/acme/grants`;
      const terms = { currency: "EUR", funding: "paid" };
      await ok(client.post(grants, { ...terms, amount: "100.00", priority: 7, expiresOn: later }));
      await ok(client.post(grants, { ...terms, amount: "19.00", priority: 8, expiresOn }));
      await use(client, bucket, 100);
      await moveTo(client, bucket, later);
      const invoice = (await invoicesOf(client, bucket)).at(-1);
      const fromCredits = fee === "0.00" ? total : "119.00";
      expect(invoice).toMatchObject({ total, tax: "0.00", fromCredits, taxNote: reverseCharge });
      const { data } = await ok(client.get(grants));
      expect(data.map(({ balance }: Body) => balance)).toEqual(["0.00", "0.00", ...back]);
      if (back.length > 0)
        expect(data[2]).toMatchObject({ funding: "paid", priority: 8, expiresOn, invoiceId: invoice.id });
    }
  });

  test("usage of a customer without tax that is taken back after its invoice leaves nothing to return twice", async () => {
    for (const overage of ["prepaid", "bill"]) {
      const { bucket } = await billed(client, start, rated({ ...perUnit("1.19"), overage }, { max: 0 }));
      const customer = `${bucket}/customers/acme`;
      await ok(client.patch(customer, { taxStatus: "reverse-charge" }));
      await ok(client.post(`${customer}/grants`, { currency: "EUR", amount: "500.00", funding: "paid" }));
      const used = async (requests: number) => {
        const event = usageEvent({ requests }, { time: start });
        await record(client, bucket, event);
        return () => post(`${bucket}/events`, "void", { source: event.source, id: event.id, reason: "Sent twice" });
      };
      const balanceAt = async (now: string) => {
        await moveTo(client, bucket, now);
        return (await ok(client.get(customer))).balances[0].amount;
      };
      const takeBack = await used(100);
      expect(await balanceAt(later)).toBe("400.00");
      await takeBack();
      expect(await balanceAt("2031-06-02T00:00:00.000Z")).toBe("500.00");
      await used(60);
      const takeMoreBack = await used(40);
      expect(await balanceAt("2031-06-03T00:00:00.000Z")).toBe("381.00");
      // 40 × 1.19: the invoice of what is left returns the tax.
      await takeMoreBack();
      expect(await balanceAt("2031-06-04T00:00:00.000Z")).toBe("428.60");
      expect(await balanceAt("2031-07-02T00:00:00.000Z")).toBe("440.00");
    }
  });

  test("an invoice keeps the behavior of the time at which its draft was created", async () => {
    const its = await billed(client, start, rated("1.00", { max: 0 }));
    await ok(client.patch(`${its.bucket}/customers/acme`, { address: { line1: "A", country: "DE" } }));
    await use(client, its.bucket, 119);
    await moveTo(client, its.bucket, "2031-05-01T00:00:00.000Z");
    const [draft] = await invoicesOf(client, its.bucket);
    expect(draft).toMatchObject({ status: "draft", taxBehavior: "inclusive" });
    await taxed("exclusive", german);
    await moveTo(client, its.bucket, later);
    const [invoice] = await invoicesOf(client, its.bucket);
    expect(invoice).toMatchObject({ status: "open", taxBehavior: "inclusive", total: "119.00", tax: "19.00" });
    await taxed("inclusive", german);
  });

  if (engine !== sqlite) return;

  describe("exclusive prices", () => {
    test("a customer without tax pays the price, and the invoice states the reason", async () => {
      await taxed("exclusive", german);
      const { invoice } = await scene("100.00", { taxStatus: "reverse-charge" });
      expect(invoice).toMatchObject({ taxBehavior: "exclusive", taxNote: reverseCharge, tax: "0.00", total: "100.00" });
      expect(linesOf(invoice)).toEqual([["plan", "100.00"]]);
      expect((await scene("100.00")).invoice).toMatchObject({ tax: "19.00", total: "119.00" });
      await taxed("inclusive", german);
    });
  });

  test("several included rates share the tax, and credit notes add up to it", async () => {
    await taxed("inclusive", { name: "VAT", percentage: "15" }, { name: "City", percentage: "5" });
    const { first, invoice } = await scene("120.00", { country: "CH" });
    expect(linesOf(invoice)).toEqual([
      ["plan", "120.00"],
      ["tax", "15.00"],
      ["tax", "5.00"],
    ]);
    const notes: Body[] = [];
    for (const amount of ["60.00", "19.99", "20.01", "20.00"])
      notes.push(await post(first, "credit", { lines: [{ description: "Sorry", amount, line: 0 }] }));
    expect(notes.map(({ total, tax }) => [total, tax])).toEqual([
      ["60.00", "10.00"],
      ["19.99", "3.33"],
      ["20.01", "3.34"],
      ["20.00", "3.33"],
    ]);
    expect(linesOf(notes[0])).toEqual([
      ["credit", "60.00"],
      ["tax", "7.50"],
      ["tax", "2.50"],
    ]);
    await taxed("inclusive", german);
  });

  test("the page shows included tax after the total, and why none is charged", async () => {
    const pageOf = async (path: string) =>
      (await client.get(path, { accept: "text/html" })).text.replace(/<[^>]*>/g, " ");
    expect(await pageOf((await scene("119.00")).first)).toMatch(
      /Total EUR\s+119.00\s+Includes VAT 19 %\s+19.00\s+Total without tax\s+100.00[\s\S]+Prices include tax./,
    );
    const { first } = await scene("119.00", { taxStatus: "reverse-charge" });
    expect(await pageOf(first)).toMatch(
      /Without VAT 19 %\s+−19.00\s+Total EUR\s+100.00[\s\S]+Reverse charge: the customer/,
    );
    const { text } = await client.get(first, { accept: "text/csv" });
    expect(text.split("\r\n").slice(1, 3)).toEqual([
      expect.stringContaining(",119.00,"),
      expect.stringContaining(",-19.00,"),
    ]);
  });

  test("a behavior or a status that does not exist is rejected, and nothing changes", async () => {
    const { bucket } = await scene("1.00", { taxStatus: "exempt" });
    expectProblem(await client.patch(`${bucket}/customers/acme`, { taxStatus: "none" }), 400, "validation_failed");
    expect(await ok(client.get(`${bucket}/customers/acme`))).toMatchObject({ taxStatus: "exempt" });
    await ok(client.patch(`${bucket}/customers/acme`, { taxStatus: null }));
    expect(await ok(client.get(`${bucket}/customers/acme`))).not.toHaveProperty("taxStatus");
  });
});
