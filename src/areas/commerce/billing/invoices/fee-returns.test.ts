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
  setProfile,
} from "../../../../../test/support/billing.ts";
import type { ClientResponse } from "../../../../../test/support/client.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { createPlan, subscribe, subscribed } from "../../../../../test/support/metering.ts";
import { useServer } from "../../../../../test/support/server.ts";

type Body = ClientResponse["body"];

/** April has 30 days. */
const start = "2031-04-01T00:00:00.000Z";
const half = "2031-04-16T00:00:00.000Z";
const halfOfMay = "2031-05-16T12:00:00.000Z";
const expiresOn = "2031-12-01T00:00:00.000Z";

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;
  beforeAll(async () => {
    await setProfile(client, { termsDays: 365, graceDays: 365 });
  });

  const taxed = (...taxRates: object[]) => setProfile(client, { termsDays: 365, graceDays: 365, taxRates });
  const untaxed = () => taxed();

  /** A subscription whose first fee is invoiced, and a plan without a fee. */
  async function scene(amount = "60.00") {
    const its = await billed(client, start, monthly(amount));
    const free = (await createPlan(client, its.bucket)).planExternalId as string;
    const [first] = await invoicesOf(client, its.bucket);
    return { ...its, free, first: `${its.bucket}/invoices/${first.id}` };
  }

  const post = (path: string, action: string, body?: object) => ok(client.post(`${path}/$${action}`, body));
  const changeTo = (path: string, plan: string) => post(path, "change", { planExternalIds: [plan], timing: "now" });
  const refund = (path: string) => post(path, "cancel", { timing: "now", refund: true });
  const balancesOf = async (bucket: string) => (await ok(client.get(`${bucket}/customers/acme`))).balances;
  const grantsOf = async (bucket: string): Promise<Body[]> =>
    (await ok(client.get(`${bucket}/customers/acme/grants`))).data;
  const notesOf = async (bucket: string) =>
    (await invoicesOf(client, bucket)).filter(({ type }) => type === "credit-note");
  const grant = (bucket: string, more: object) =>
    ok(client.post(`${bucket}/customers/acme/grants`, { currency: "EUR", ...more }));
  const method = (bucket: string, behavior: string) =>
    ok(client.raw("PUT", `${bucket}/customers/acme/payment-method`, JSON.stringify({ type: "sandbox", behavior })));

  test("a declined renewal is not returned: a change reduces what is due", async () => {
    const { bucket, path, first, free } = await scene();
    await post(first, "mark-paid");
    await method(bucket, "fails");
    await moveTo(client, bucket, halfOfMay);
    const [, renewal] = await invoicesOf(client, bucket);
    expect(renewal).toMatchObject({ status: "open", amountDue: "60.00" });
    await changeTo(path, free);
    expect(await balancesOf(bucket)).toBeUndefined();
    expect(await ok(client.get(`${bucket}/invoices/${renewal.id}`))).toMatchObject({
      status: "open",
      credited: "30.00",
      amountDue: "30.00",
    });
    const [note] = await notesOf(bucket);
    expect(note).toMatchObject({ correctsId: renewal.id, total: "30.00", subscriptionId: path.split("/").at(-1) });
    expect(note.lines).toMatchObject([
      { kind: "proration", description: "Gold", amount: "30.00", credits: { invoiceId: renewal.id, line: 0 } },
    ]);
    // Nothing was received, so nothing buys another plan.
    const silver = await createPlan(client, bucket, monthly("50.00"));
    await changeTo(path, silver.planExternalId);
    expect((await invoicesOf(client, bucket)).at(-1)).toMatchObject({
      status: "open",
      total: "25.00",
      amountDue: "25.00",
    });
  });

  test("a voided invoice is not returned", async () => {
    const { bucket, path, first, free } = await scene();
    await post(first, "void");
    await moveTo(client, bucket, half);
    await changeTo(path, free);
    expect(await grantsOf(bucket)).toEqual([]);
    expect(await notesOf(bucket)).toEqual([]);
  });

  test("a fee that was credited in full is not returned again", async () => {
    const { bucket, path, first } = await scene();
    await post(first, "mark-paid");
    await post(first, "credit", { lines: [{ description: "Sorry", amount: "60.00" }] });
    await moveTo(client, bucket, half);
    await refund(path);
    expect(await balancesOf(bucket)).toEqual([{ currency: "EUR", amount: "60.00" }]);
    expect(await notesOf(bucket)).toHaveLength(1);
  });

  test("after a credit of a part, a fee has received the rest of it", async () => {
    const { bucket, path, first } = await scene();
    await post(first, "mark-paid");
    await post(first, "credit", { lines: [{ description: "Sorry", amount: "45.00" }] });
    await moveTo(client, bucket, half);
    await refund(path);
    expect(await balancesOf(bucket)).toEqual([{ currency: "EUR", amount: "60.00" }]);
    expect(await ok(client.get(first))).toMatchObject({ credited: "60.00" });
  });

  test("an invoice that was given up is not returned, and less of it is due", async () => {
    const { bucket, path, first, free } = await scene();
    await post(first, "mark-uncollectible");
    await moveTo(client, bucket, half);
    await changeTo(path, free);
    expect(await balancesOf(bucket)).toBeUndefined();
    expect(await ok(client.get(first))).toMatchObject({ status: "uncollectible", amountDue: "30.00" });
  });

  test("an invoice whose whole fee is returned before it is paid has nothing due", async () => {
    const { bucket, path, first, free } = await scene();
    await changeTo(path, free);
    expect(await ok(client.get(first))).toMatchObject({ status: "paid", credited: "60.00", amountDue: "0.00" });
    expect(await balancesOf(bucket)).toBeUndefined();
    expect((await ok(client.get(path))).payment).toMatchObject({ state: "paid" });
  });

  /** A subscription that begins when its customer has grants already. */
  async function granted(grants: object[], amount = "60.00") {
    const bucket = await newTestBucket(client, start);
    const gold = await createPlan(client, bucket, monthly(amount));
    const free = await createPlan(client, bucket);
    const other = await subscribe(client, bucket, [free]);
    await ok(client.patch(`${bucket}/subscriptions/${other.id}`, { status: "canceled" }));
    for (const each of grants) await grant(bucket, each);
    const { id } = await subscribe(client, bucket, [gold]);
    const [first] = await invoicesOf(client, bucket);
    return {
      bucket,
      path: `${bucket}/subscriptions/${id}`,
      free: free.planExternalId as string,
      first: `${bucket}/invoices/${first.id}`,
    };
  }

  const termsOf = (grants: Body[]) =>
    grants.map(({ funding, amount, priority, expiresOn: until, status }) => [funding, amount, priority, until, status]);

  test("promotional money is returned with its priority and expiry", async () => {
    const promotional = { amount: "60.00", funding: "promotional", priority: 7, expiresOn };
    const { bucket, path, free } = await granted([promotional]);
    await moveTo(client, bucket, half);
    await changeTo(path, free);
    const [, returned, ...others] = await grantsOf(bucket);
    expect(others).toEqual([]);
    expect(termsOf([returned])).toEqual([["promotional", "30.00", 7, expiresOn, "active"]]);
    expect(await notesOf(bucket)).toEqual([]);
  });

  test.each(["2031-04-10T00:00:00.000Z", half])(
    "promotional money that expired on %s is not usable again",
    async (on) => {
      const promotional = { amount: "60.00", funding: "promotional", expiresOn: on };
      const { bucket, path, free } = await granted([promotional]);
      await moveTo(client, bucket, half);
      await changeTo(path, free);
      expect(await balancesOf(bucket)).toBeUndefined();
      const [, returned] = await grantsOf(bucket);
      expect(returned).toMatchObject({ status: "expired", amount: "30.00", balance: "0.00" });
    },
  );

  test("each part is returned as what it was, with the tax of the invoice", async () => {
    await taxed({ name: "VAT", percentage: "10" });
    const { bucket, path, first, free } = await granted([
      { amount: "30.00", funding: "promotional", priority: 7, expiresOn },
      { amount: "11.00", funding: "paid", priority: 9, expiresOn },
    ]);
    expect(await ok(client.get(first))).toMatchObject({ subtotal: "30.00", total: "33.00", amountDue: "22.00" });
    await post(first, "mark-paid");
    await moveTo(client, bucket, half);
    await changeTo(path, free);
    expect(termsOf((await grantsOf(bucket)).slice(2)).toSorted()).toEqual([
      ["paid", "11.00", 50, undefined, "active"],
      ["paid", "5.50", 9, expiresOn, "active"],
      ["promotional", "15.00", 7, expiresOn, "active"],
    ]);
    const [note] = await notesOf(bucket);
    expect(note).toMatchObject({ subtotal: "15.00", tax: "1.50", total: "16.50" });
    await untaxed();
  });

  test("a fee that a former fee and credit have paid in part has nothing due after it is returned", async () => {
    const { bucket, path, first } = await scene("30.00");
    await post(first, "mark-paid");
    const silver = await createPlan(client, bucket, monthly("60.00"));
    const bronze = await createPlan(client, bucket, monthly("30.00"));
    await method(bucket, "fails");
    await grant(bucket, { amount: "20.00", funding: "paid" });
    await changeTo(path, silver.planExternalId);
    const open = (await invoicesOf(client, bucket)).at(-1)!;
    expect(open).toMatchObject({ status: "open", total: "30.00", fromCredits: "20.00", amountDue: "10.00" });
    await changeTo(path, bronze.planExternalId);
    const invoice = `${bucket}/invoices/${open.id}`;
    expect(await ok(client.get(invoice))).toMatchObject({
      status: "paid",
      credited: "10.00",
      netted: "20.00",
      amountDue: "0.00",
    });
    expect(await ok(client.get(first))).toMatchObject({ credited: "20.00", netted: "10.00" });
    // It cannot return the credit a second time.
    expectProblem(await client.post(`${invoice}/$void`), 409, "invoice_not_open");
    expect(await balancesOf(bucket)).toEqual([{ currency: "EUR", amount: "20.00" }]);
  });

  test("a return first reduces what is due, and the rest comes from what was received", async () => {
    const { bucket, path, first, free } = await granted([{ amount: "45.00", funding: "paid", priority: 9 }]);
    expect(await ok(client.get(first))).toMatchObject({ status: "open", amountDue: "15.00" });
    await moveTo(client, bucket, half);
    await changeTo(path, free);
    expect(await ok(client.get(first))).toMatchObject({ status: "paid", credited: "30.00", amountDue: "0.00" });
    expect(termsOf((await grantsOf(bucket)).slice(1))).toEqual([["paid", "15.00", 9, undefined, "active"]]);
  });

  describe("taxes", () => {
    test("a fee is returned with its tax", async () => {
      await taxed({ name: "VAT", percentage: "10" });
      const { bucket, path, first } = await scene("62.00");
      await post(first, "mark-paid");
      await moveTo(client, bucket, half);
      await refund(path);
      expect(await balancesOf(bucket)).toEqual([{ currency: "EUR", amount: "34.10" }]);
      const [note] = await notesOf(bucket);
      expect(note).toMatchObject({ subtotal: "31.00", tax: "3.10", total: "34.10" });
      const { data } = await ok(client.get(`${bucket}/revenue`));
      expect(data).toMatchObject([{ fees: "62.00", credits: "-31.00", total: "31.00" }]);
      await untaxed();
    });

    test("credit notes have the taxes of their invoice, which add up to them, and are revenue without them", async () => {
      await taxed({ name: "VAT", percentage: "15" }, { name: "City", percentage: "5" });
      const { bucket, first } = await scene("100.00");
      const note = await post(first, "credit", { lines: [{ description: "Sorry", amount: "60.00" }] });
      expect(note).toMatchObject({ subtotal: "50.00", tax: "10.00", total: "60.00" });
      expect(linesOf(note)).toEqual([
        ["credit", "50.00"],
        ["tax", "7.50"],
        ["tax", "2.50"],
      ]);
      expect(note.lines[1].description).toBe("VAT 15 %");
      const revenue = async () => (await ok(client.get(`${bucket}/revenue`))).data;
      expect(await revenue()).toMatchObject([{ fees: "100.00" }, { credits: "-50.00" }]);
      const taxes = [note.tax];
      for (const amount of ["19.99", "20.01", "20.00"])
        taxes.push((await post(first, "credit", { lines: [{ description: "Sorry", amount }] })).tax);
      expect(taxes).toEqual(["10.00", "3.33", "3.34", "3.33"]);
      expect(await revenue()).toMatchObject([{ fees: "100.00" }, { credits: "-100.00" }]);
      await untaxed();
    });

    test("the next invoice credits a fee if its taxes are the same, which counts as returned", async () => {
      await taxed({ name: "VAT", percentage: "10" });
      const { bucket, path, first } = await scene("60.00");
      await post(first, "mark-paid");
      await moveTo(client, bucket, half);
      const up = await createPlan(client, bucket, monthly("90.00"));
      const preview = await ok(
        client.post(`${path}/$change/preview`, { planExternalIds: [up.planExternalId], timing: "now" }),
      );
      await changeTo(path, up.planExternalId);
      const [, second, ...others] = await invoicesOf(client, bucket);
      expect(others).toEqual([]);
      expect(linesOf(second)).toEqual([
        ["proration", "-30.00"],
        ["proration", "45.00"],
        ["tax", "1.50"],
      ]);
      expect(second.lines).toEqual(preview.invoice.lines);
      expect(second.lines[0].credits).toEqual({ invoiceId: first.split("/").at(-1), line: 0 });
      expect(await ok(client.get(first))).toMatchObject({ netted: "33.00", total: "66.00" });
      const credit = (amount: string) => client.post(`${first}/$credit`, { lines: [{ description: "Sorry", amount }] });
      expectProblem(await credit("33.01"), 409, "credit_exceeds_invoice");
      expect(await notesOf(bucket)).toEqual([]);
      // The new fee has received the credit of the former one, whether the rest is paid or not.
      await refund(path);
      expect(await balancesOf(bucket)).toEqual([{ currency: "EUR", amount: "33.00" }]);
      // A credit note has at most the total: what the former fee has paid is credited on its own invoice.
      expect(await notesOf(bucket)).toMatchObject([
        { correctsId: second.id, subtotal: "15.00", tax: "1.50", total: "16.50" },
        { correctsId: first.split("/").at(-1), subtotal: "30.00", tax: "3.00", total: "33.00" },
      ]);
      const after = await ok(client.get(first));
      expect(after).toMatchObject({ credited: "33.00" });
      expect(after).not.toHaveProperty("netted");
      const { data } = await ok(client.get(`${bucket}/revenue`));
      expect(data.map(({ total }: Body) => total).toSorted()).toEqual(["0.00", "30.00"]);
      await untaxed();
    });

    test("with other taxes, the fee is returned with its own, and pays the next invoice after tax", async () => {
      await taxed({ name: "VAT", percentage: "10", country: "DE" }, { name: "MwSt", percentage: "20", country: "AT" });
      const bucket = await newTestBucket(client, start);
      const gold = await createPlan(client, bucket, monthly("60.00"));
      const up = await createPlan(client, bucket, monthly("90.00"));
      const live = (country: string) =>
        ok(client.patch(`${bucket}/customers/acme`, { address: { line1: "A", country } }));
      const free = await createPlan(client, bucket);
      const { id } = await subscribe(client, bucket, [free]);
      await live("DE");
      const path = `${bucket}/subscriptions/${id}`;
      await changeTo(path, gold.planExternalId);
      const [first] = await invoicesOf(client, bucket);
      expect(first).toMatchObject({ total: "66.00" });
      await post(`${bucket}/invoices/${first.id}`, "mark-paid");
      await live("AT");
      await moveTo(client, bucket, half);
      await changeTo(path, up.planExternalId);
      const [note] = await notesOf(bucket);
      expect(note).toMatchObject({ subtotal: "30.00", tax: "3.00", total: "33.00" });
      const second = (await invoicesOf(client, bucket)).at(-1);
      expect(second).toMatchObject({ subtotal: "45.00", tax: "9.00", total: "54.00", fromCredits: "33.00" });
      await untaxed();
    });

    test("a fee that is smaller than the credit is covered by it, and the rest is a credit note", async () => {
      await taxed({ name: "VAT", percentage: "10" });
      const { bucket, path, first, free } = await scene("60.00");
      await post(first, "mark-paid");
      await moveTo(client, bucket, half);
      const down = await createPlan(client, bucket, monthly("20.00"));
      await changeTo(path, down.planExternalId);
      const [, , second] = await invoicesOf(client, bucket);
      expect(linesOf(second)).toEqual([
        ["proration", "-10.00"],
        ["proration", "10.00"],
      ]);
      expect((await notesOf(bucket))[0]).toMatchObject({ subtotal: "20.00", tax: "2.00", total: "22.00" });
      expect(await balancesOf(bucket)).toEqual([{ currency: "EUR", amount: "22.00" }]);
      // The tax is that of the invoice whose fee was credited: its own has no amount.
      await changeTo(path, free);
      expect(await balancesOf(bucket)).toEqual([{ currency: "EUR", amount: "33.00" }]);
      await untaxed();
    });
  });

  describe("a credit that names a line", () => {
    async function twoPlans() {
      const bucket = await newTestBucket(client, start);
      const plans = [];
      for (const amount of ["60.00", "40.00"]) plans.push(await createPlan(client, bucket, monthly(amount)));
      const { id } = await subscribe(client, bucket, plans);
      const [first] = await invoicesOf(client, bucket);
      const path = `${bucket}/subscriptions/${id}`;
      return { bucket, path, first: `${bucket}/invoices/${first.id}`, names: plans.map((each) => each.planExternalId) };
    }
    const named = (amount: string, line?: number) => ({ lines: [{ description: "Sorry", amount, line }] });

    test.each<[line: number | undefined, balance: string]>([
      // 30.00 of 60.00 were credited, so half of it has received 30.00, and 20.00 of 40.00 are unused.
      [0, "80.00"],
      [1, "70.00"],
      [undefined, "80.00"],
    ])("line %p: both fees return %s", async (line, balance) => {
      const { bucket, path, first } = await twoPlans();
      await post(first, "mark-paid");
      await post(first, "credit", named("30.00", line));
      await moveTo(client, bucket, half);
      await refund(path);
      expect(await balancesOf(bucket)).toEqual([{ currency: "EUR", amount: balance }]);
    });

    test("reduces only that line, also before the invoice is paid", async () => {
      const { bucket, path, first, names } = await twoPlans();
      const note = await post(first, "credit", named("60.00", 0));
      expect(note.lines).toMatchObject([{ credits: { invoiceId: first.split("/").at(-1), line: 0 } }]);
      await post(first, "mark-paid");
      await changeTo(path, names[1]!);
      expect(await balancesOf(bucket)).toBeUndefined();
      await refund(path);
      expect(await balancesOf(bucket)).toEqual([{ currency: "EUR", amount: "40.00" }]);
    });

    test("must name a line with an amount, and not exceed it", async () => {
      await taxed({ name: "VAT", percentage: "10" });
      const { first } = await twoPlans();
      const before = await ok(client.get(first));
      const credit = (amount: string, line: number) => client.post(`${first}/$credit`, named(amount, line));
      for (const [amount, line, pointer] of [
        ["1.00", 2, "/lines/0/line"],
        ["1.00", 3, "/lines/0/line"],
        ["1.00", -1, "/lines/0/line"],
        ["1.00", 0.5, "/lines/0/line"],
        ["66.01", 0, "/lines/0/amount"],
      ] as const)
        expectProblem(await credit(amount, line), 400, "validation_failed", { pointer });
      const twice = { lines: ["40.00", "26.01"].map((amount) => ({ description: "Sorry", amount, line: 0 })) };
      expectProblem(await client.post(`${first}/$credit`, twice), 400, "validation_failed", {
        pointer: "/lines/1/amount",
      });
      expect(await ok(client.get(first))).toEqual(before);
      await ok(credit("66.00", 0));
      expectProblem(await credit("0.01", 0), 400, "validation_failed", { pointer: "/lines/0/amount" });
      await untaxed();
    });
  });

  test("with manual payments, a fee that was marked as paid is returned, and one that is open is not due", async () => {
    const { bucket, path } = await subscribed(client, monthly("60.00"));
    const free = await createPlan(client, bucket);
    const [first] = await invoicesOf(client, bucket);
    await changeTo(path, free.planExternalId);
    expect(await ok(client.get(`${bucket}/invoices/${first.id}`))).toMatchObject({ amountDue: "0.00", status: "paid" });
    expect(await balancesOf(bucket)).toBeUndefined();
    const paid = await subscribed(client, monthly("60.00"));
    const [invoice] = await invoicesOf(client, paid.bucket);
    await post(`${paid.bucket}/invoices/${invoice.id}`, "mark-paid");
    await refund(paid.path);
    expect(await balancesOf(paid.bucket)).toEqual([{ currency: "EUR", amount: "60.00" }]);
  });

  test("a fee whose invoice is a draft is returned there", async () => {
    const plan = { ...monthly("60.00"), rates: { requests: perUnit("0.10") } };
    const { bucket, path } = await billed(client, start, plan);
    const free = await createPlan(client, bucket);
    const [first] = await invoicesOf(client, bucket);
    await post(`${bucket}/invoices/${first.id}`, "mark-paid");
    await moveTo(client, bucket, "2031-05-01T00:30:00.000Z");
    await changeTo(path, free.planExternalId);
    await moveTo(client, bucket, "2031-05-02T00:00:00.000Z");
    const [, renewal, ...others] = await invoicesOf(client, bucket);
    expect(others).toEqual([]);
    expect(linesOf(renewal)).toEqual([
      ["plan", "60.00"],
      ["proration", "-59.96"],
    ]);
    expect(renewal).toMatchObject({ total: "0.04", finalizedOn: "2031-05-01T01:00:00.000Z" });
    expect(await balancesOf(bucket)).toBeUndefined();
  });
});
