import { beforeAll, describe, expect, test } from "bun:test";
import {
  billed,
  invoicesOf,
  linesOf,
  moveTo,
  ok,
  rated,
  setProfile,
  use,
} from "../../../../../test/support/billing.ts";
import type { ClientResponse } from "../../../../../test/support/client.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { useServer } from "../../../../../test/support/server.ts";

type Body = ClientResponse["body"];

const january1 = "2031-01-01T00:00:00.000Z";
const january10 = "2031-01-10T00:00:00.000Z";
const february1 = "2031-02-01T01:00:00.000Z";
const march1 = "2031-03-01T01:00:00.000Z";

/** Up to 150 units cost 0.10 each, and more of them 0.05 each: 150 cost 15.00, 170 cost 8.50. */
const volume = {
  overage: "bill",
  tierMode: "volume",
  tiers: [
    { upTo: 150, unitAmount: "0.10" },
    { upTo: null, unitAmount: "0.05" },
  ],
};

eachEngine((engine) => {
  const { client } = useServer(engine);
  beforeAll(async () => {
    await setProfile(client, {
      termsDays: 365,
      graceDays: 365,
      taxRates: [{ name: "VAT", percentage: "20", country: "AT" }],
    });
  });

  /** A subscription whose invoice of January, with 150 units for 15.00, is finalized. */
  async function invoiced(amount: string, prepare: (bucket: string) => Promise<unknown> = async () => {}) {
    const { bucket, path } = await billed(client, january1, rated(volume, { amount }));
    await ok(client.patch(`${bucket}/customers/acme`, { email: "a@acme.example" }));
    await prepare(bucket);
    await use(client, bucket, 250, january10);
    await moveTo(client, bucket, february1);
    const invoice = (await invoicesOf(client, bucket)).at(-1);
    return { bucket, path, invoice, own: `${bucket}/invoices/${invoice.id}` };
  }

  /** More usage of January, which then costs 8.50 instead of 15.00. */
  async function useLate(bucket: string) {
    await use(client, bucket, 20, january10);
    await moveTo(client, bucket, march1);
  }

  const ofMarch = async (bucket: string): Promise<Body[]> =>
    (await invoicesOf(client, bucket)).filter(({ createdOn }) => createdOn > february1);

  const grantsOf = async (bucket: string): Promise<Body[]> =>
    (await ok(client.get(`${bucket}/customers/acme/grants`))).data;

  describe("late usage that reaches a cheaper tier", () => {
    test("reduces the next invoice by what was paid too much", async () => {
      const { bucket, path, own, invoice } = await invoiced("10.00");
      expect(linesOf(invoice)).toEqual([
        ["plan", "10.00"],
        ["overage", "15.00"],
      ]);
      await ok(client.post(`${own}/$mark-paid`));
      await use(client, bucket, 20, january10);
      const upcoming = await ok(client.get(`${path}/upcoming-invoice`));
      await moveTo(client, bucket, march1);
      const [next, ...others] = await ofMarch(bucket);
      expect(others).toEqual([]);
      expect(linesOf(next)).toEqual([
        ["plan", "10.00"],
        ["proration", "-6.50"],
      ]);
      expect(next.lines).toEqual(upcoming.lines);
      expect(next.lines[1]).toMatchObject({ meter: "requests", credits: { invoiceId: invoice.id, line: 1 } });
      expect(await ok(client.get(own))).toMatchObject({ status: "paid", netted: "6.50" });
      expect(await grantsOf(bucket)).toEqual([]);
      const { data } = await ok(client.get(`${bucket}/revenue?from=2031-01&to=2031-03`));
      expect(data.map((each: Body) => [each.month, each.fees, each.overage])).toEqual([
        ["2031-01", "10.00", "0.00"],
        ["2031-02", "10.00", "15.00"],
        ["2031-03", "10.00", "-6.50"],
      ]);
    });

    test("reduces what is due on an invoice that is not paid, by a credit note", async () => {
      const { bucket, own } = await invoiced("10.00");
      await useLate(bucket);
      expect(await ok(client.get(own))).toMatchObject({ status: "open", credited: "6.50", amountDue: "18.50" });
      expect((await ofMarch(bucket)).map((each) => [each.type, each.total])).toEqual([
        ["invoice", "10.00"],
        ["credit-note", "6.50"],
      ]);
      expect(await grantsOf(bucket)).toEqual([]);
    });

    test("returns nothing of a void invoice", async () => {
      const { bucket, own } = await invoiced("10.00");
      await ok(client.post(`${own}/$void`));
      await useLate(bucket);
      expect((await ofMarch(bucket)).map(({ total }) => total)).toEqual(["10.00"]);
      expect(await grantsOf(bucket)).toEqual([]);
    });

    test("is granted with its tax if the next invoice has nothing to reduce", async () => {
      const { bucket, own, invoice } = await invoiced("0.00", (bucket) =>
        ok(client.patch(`${bucket}/customers/acme`, { address: { line1: "Ring 1", country: "AT" } })),
      );
      expect(invoice.total).toBe("18.00");
      await ok(client.post(`${own}/$mark-paid`));
      await useLate(bucket);
      expect((await ofMarch(bucket)).map((each) => [each.type, each.total, each.tax])).toEqual([
        ["credit-note", "7.80", "1.30"],
      ]);
      expect(await grantsOf(bucket)).toMatchObject([{ funding: "paid", amount: "7.80", invoiceId: invoice.id }]);
      // Once it is returned, more usage at the same price is billed again.
      await use(client, bucket, 10, january10);
      await moveTo(client, bucket, "2031-04-01T01:00:00.000Z");
      expect((await invoicesOf(client, bucket)).at(-1)).toMatchObject({ subtotal: "0.50", fromCredits: "0.60" });
    });

    test("returns each part as what it was", async () => {
      const expiresOn = "2032-01-01T00:00:00.000Z";
      const { bucket, own, invoice } = await invoiced("0.00", async (bucket) => {
        const grants = `${bucket}/customers/acme/grants`;
        await ok(
          client.post(grants, { currency: "EUR", amount: "6.00", funding: "promotional", priority: 1, expiresOn }),
        );
        await ok(client.post(grants, { currency: "EUR", amount: "3.00", funding: "paid", priority: 2, expiresOn }));
      });
      expect(invoice).toMatchObject({ total: "9.00", fromCredits: "3.00", amountDue: "6.00" });
      await ok(client.post(`${own}/$mark-paid`));
      await useLate(bucket);
      const returned = (await grantsOf(bucket)).filter(({ invoiceId }) => invoiceId === invoice.id);
      const byTerms = returned.map((each) => [each.funding, each.priority, each.expiresOn, each.amount]).sort();
      expect(byTerms).toEqual([
        ["paid", 2, expiresOn, "1.30"],
        ["paid", 50, undefined, "2.60"],
        ["promotional", 1, expiresOn, "2.60"],
      ]);
      // Never more than the rest, however often the price falls.
      await ok(client.post(`${own}/$credit`, { lines: [{ description: "All", amount: "5.10", line: 0 }] }));
      const more = await client.post(`${own}/$credit`, { lines: [{ description: "More", amount: "0.01" }] });
      expect(more).toMatchObject({ status: 409, body: { code: "credit_exceeds_invoice" } });
    });
  });

  test("money of grants returns while usage is not billed yet", async () => {
    const { bucket } = await billed(client, january1, rated(volume));
    const grants = `${bucket}/customers/acme/grants`;
    await ok(client.post(grants, { currency: "EUR", amount: "20.00", funding: "promotional" }));
    await use(client, bucket, 250);
    await moveTo(client, bucket, january10);
    expect((await ok(client.get(`${bucket}/customers/acme`))).balances).toMatchObject([{ amount: "5.00" }]);
    await use(client, bucket, 20);
    await moveTo(client, bucket, february1);
    expect((await ok(client.get(`${bucket}/customers/acme`))).balances).toMatchObject([{ amount: "11.50" }]);
    expect((await invoicesOf(client, bucket)).at(-1)).toMatchObject({ total: "0.00" });
  });

  describe("with a cap,", () => {
    const capped = async (amount: string) => {
      const { bucket, path } = await billed(client, january1, rated(volume));
      await setCap(bucket, amount);
      const consume = async (requests: number) =>
        (await ok(client.post(`${path}/quotas/consume`, { meters: { requests } }))).allowed;
      return { bucket, path, consume };
    };
    const setCap = (bucket: string, amount: string) =>
      ok(client.patch(`${bucket}/customers/acme`, { spendCap: { amount, action: "block" } }));

    test("usage that costs too much is rejected, and usage that reaches a cheaper tier is not", async () => {
      const { bucket, consume } = await capped("9.00");
      expect(await consume(190)).toBe(true);
      expect(await consume(1)).toBe(false);
      expect(await consume(60)).toBe(false);
      expect(await consume(61)).toBe(true);
      expect(await consume(29)).toBe(true);
      expect(await consume(1)).toBe(false);
      await moveTo(client, bucket, february1);
      expect((await invoicesOf(client, bucket)).map(({ total }) => total)).toEqual(["9.00"]);
    });

    test("beyond it, usage that lowers the cost is possible", async () => {
      const { bucket, consume } = await capped("5.00");
      await use(client, bucket, 250);
      expect(await consume(1)).toBe(true);
      expect(await consume(1)).toBe(false);
      await moveTo(client, bucket, february1);
      expect(await invoicesOf(client, bucket)).toMatchObject([{ total: "5.00", writtenOff: "2.55" }]);
    });

    test("what was written off is not returned", async () => {
      const { bucket } = await capped("9.00");
      await use(client, bucket, 250, january10);
      await moveTo(client, bucket, february1);
      const [invoice] = await invoicesOf(client, bucket);
      expect(invoice).toMatchObject({ total: "9.00", writtenOff: "6.00" });
      await ok(client.post(`${bucket}/invoices/${invoice.id}/$mark-paid`));
      await useLate(bucket);
      expect(await grantsOf(bucket)).toMatchObject([{ amount: "0.50", invoiceId: invoice.id }]);
    });

    test("a changed cap does not remove what a cheaper tier makes cheaper than the old one", async () => {
      const { bucket } = await capped("9.00");
      await use(client, bucket, 250);
      await setCap(bucket, "20.00");
      await use(client, bucket, 20);
      await moveTo(client, bucket, february1);
      const [invoice] = await invoicesOf(client, bucket);
      expect(linesOf(invoice)).toEqual([["overage", "8.50"]]);
    });
  });

  test("a package size is rejected", async () => {
    const { bucket } = await billed(client, january1, rated(volume));
    const plan = { label: "P", planExternalId: "p", ...rated({ ...volume, packageSize: 10 }) };
    expect(await client.post(`${bucket}/plans`, plan)).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: "/rates/requests/packageSize", detail: "is for the tierMode package" }] },
    });
    expect((await ok(client.get(`${bucket}/plans`))).data).toHaveLength(1);
  });
});
