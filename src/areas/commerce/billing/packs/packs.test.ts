import { beforeAll, expect, test } from "bun:test";
import { billed, invoicesOf, moveTo, ok, rated, setProfile, use } from "../../../../../test/support/billing.ts";
import { callerWithRole } from "../../../../../test/support/callers.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { record, unique, usageEvent } from "../../../../../test/support/metering.ts";
import { useServer } from "../../../../../test/support/server.ts";

const start = "2031-01-01T00:00:00.000Z";
const source = "packs";
const returnUrl = "https://shop.example/billing";
const units = {
  packExternalId: "units",
  label: "1,000 requests",
  price: { currency: "EUR", amount: "10.00" },
  grant: { meter: "requests", amount: 1000, expiresInDays: 30 },
  isPublic: true,
};
const money = { ...units, packExternalId: "money", label: "50 EUR", grant: { currency: "EUR", amount: "50.00" } };

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;
  beforeAll(async () => {
    await setProfile(client, { taxRates: [{ name: "VAT", percentage: "20" }] });
  });

  /** Records events of January and returns their ids. */
  async function usedInJanuary(bucket: string, ...amounts: number[]): Promise<string[]> {
    const ids = amounts.map(() => unique("event"));
    for (const [index, requests] of amounts.entries())
      await record(
        client,
        bucket,
        usageEvent({ requests }, { id: ids[index]!, source, time: "2031-01-20T00:00:00.000Z" }),
      );
    return ids;
  }
  const takeBack = (bucket: string, id: string) =>
    ok(client.post(`${bucket}/events/$void`, { source, id, reason: "wrong" }));
  /** The amounts and the funding of the lines of the invoice that was created last. */
  const lastLines = async (bucket: string) =>
    (await invoicesOf(client, bucket))
      .findLast(({ type }) => type === "invoice")
      .lines.map(({ amount, funding }: Record<string, string>) => [amount, funding]);

  async function scene(plan: object = rated("0.10")) {
    const { bucket } = await billed(client, start, plan);
    for (const pack of [units, money]) await ok(client.post(`${bucket}/credit-packs`, pack));
    const customer = `${bucket}/customers/acme`;
    const setMethod = (behavior: string) =>
      ok(client.raw("PUT", `${customer}/payment-method`, JSON.stringify({ type: "sandbox", behavior })));
    const buy = (packExternalId: string) =>
      ok(client.post(`${customer}/packs/$purchase`, { packExternalId, returnUrl }));
    const read = (id: string) => ok(client.get(`${customer}/packs/${id}`));
    const grants = async () => (await ok(client.get(`${customer}/grants`))).data;
    const purchases = async () => (await ok(client.get(`${customer}/packs`))).data;
    const refund = (id: string) => client.post(`${customer}/packs/${id}/$refund`);
    const setTopUp = (topUp: object | null) => client.patch(customer, { topUp });
    const mails = async () => (await ok(client.get(`${bucket}/mails`))).data.map(({ kind }: { kind: string }) => kind);
    return { bucket, customer, setMethod, buy, read, grants, purchases, refund, setTopUp, mails };
  }

  test("packs are created, listed, changed and deleted; price and grant are fixed", async () => {
    const { bucket } = await scene();
    const path = `${bucket}/credit-packs`;
    const { data } = await ok(client.get(`${path}?packExternalId=units`));
    expect(data).toMatchObject([{ ...units, position: 0 }]);
    expectProblem(await client.post(path, units), 409, "credit_pack_exists");
    const one = `${path}/${data[0].id}`;
    expect(await ok(client.patch(one, { label: "More", position: 3 }))).toMatchObject({ label: "More", position: 3 });
    for (const body of [{ price: units.price }, { grant: units.grant }, { position: -1 }, { label: "" }])
      expect((await client.patch(one, body)).status).toBe(400);
    const invalid = [
      { ...units, price: { currency: "EUR", amount: "0" } },
      { ...units, price: { currency: "EUR", amount: "1.001" } },
      { ...units, grant: { meter: "requests", currency: "EUR", amount: 5 } },
      { ...units, grant: { meter: "requests", amount: "5.00" } },
      { ...units, grant: { currency: "EUR", amount: "5.001" } },
      { ...units, grant: { ...units.grant, expiresInDays: 0 } },
    ];
    for (const body of invalid)
      expect((await client.post(path, { ...body, packExternalId: "other" })).status).toBe(400);
    expect((await client.delete(one)).status).toBe(204);
    expect((await client.get(one)).status).toBe(404);
    expect((await ok(client.get(path))).total).toBe(1);
  });

  test("a pack is granted when its invoice is paid on the page, once", async () => {
    const { bucket, buy, read, grants } = await scene();
    const { purchaseId, url } = await buy("units");
    expect(await read(purchaseId)).toMatchObject({ state: "open", total: { currency: "EUR", amount: "12.00" } });
    expect(await grants()).toEqual([]);
    const form = new URLSearchParams({ method: "succeeds" });
    const { pathname } = new URL(url);
    const submit = () => fetch(server.url + pathname, { method: "POST", body: form, redirect: "manual" });
    await submit();
    await submit();
    const { grantId, invoiceId, ...paid } = await read(purchaseId);
    expect(paid).toMatchObject({ state: "paid", paidOn: start });
    expect(await grants()).toMatchObject([
      { id: grantId, meter: "requests", amount: 1000, funding: "prepaid", expiresOn: "2031-01-31T00:00:00.000Z" },
    ]);
    const invoice = await ok(client.get(`${bucket}/invoices/${invoiceId}`));
    expect(invoice).toMatchObject({ status: "paid", purchaseId, subtotal: "10.00", tax: "2.00", total: "12.00" });
    expect(invoice).not.toHaveProperty("subscriptionId");
    const credit = { lines: [{ description: "Outage", amount: "1.00" }] };
    expectProblem(await client.post(`${bucket}/invoices/${invoiceId}/$credit`, credit), 409, "invoice_of_pack");
  });

  test("money of a pack that was returned and is used again is shown as prepaid", async () => {
    const { bucket, setMethod, buy, grants } = await scene();
    await setMethod("succeeds");
    await buy("money");
    await moveTo(client, bucket, "2031-01-21T00:00:00.000Z");
    const [, first] = await usedInJanuary(bucket, 120, 30);
    await moveTo(client, bucket, "2031-02-02T00:00:00.000Z");
    await takeBack(bucket, first!);
    await moveTo(client, bucket, "2031-03-02T00:00:00.000Z");
    const left = async () =>
      (await grants()).map(({ balance, funding }: Record<string, unknown>) => [balance, funding]);
    expect(await left()).toEqual([
      ["45.00", "prepaid"],
      ["3.00", "prepaid"],
    ]);
    const [, second] = await usedInJanuary(bucket, 30, 10);
    await moveTo(client, bucket, "2031-03-02T02:00:00.000Z");
    await takeBack(bucket, second!);
    await moveTo(client, bucket, "2031-04-02T00:00:00.000Z");
    expect(await lastLines(bucket)).toEqual([
      ["3.00", undefined],
      ["-3.00", "prepaid"],
    ]);
  });

  test("an invoice shows the promotional and prepaid money that the remaining usage consumed", async () => {
    const { bucket, customer, setMethod, buy, grants } = await scene();
    await setMethod("succeeds");
    await ok(
      client.post(`${customer}/grants`, { currency: "EUR", amount: "2.00", funding: "promotional", priority: 1 }),
    );
    await buy("money");
    await moveTo(client, bucket, "2031-01-21T00:00:00.000Z");
    const [, id] = await usedInJanuary(bucket, 140, 10);
    await moveTo(client, bucket, "2031-01-21T02:00:00.000Z");
    await takeBack(bucket, id!);
    expect((await grants()).map(({ balance }: { balance: string }) => balance)).toEqual(["0.00", "47.00", "1.00"]);
    await moveTo(client, bucket, "2031-02-02T00:00:00.000Z");
    expect(await lastLines(bucket)).toEqual([
      ["4.00", undefined],
      ["-2.00", "promotional"],
      ["-2.00", "prepaid"],
    ]);
  });

  test("no grant pays a pack, and its money reduces later invoices before tax", async () => {
    const { bucket, customer, setMethod, buy } = await scene();
    await setMethod("succeeds");
    await ok(client.post(`${customer}/grants`, { currency: "EUR", amount: "5.00", funding: "paid", priority: 90 }));
    const { purchaseId, ...rest } = await buy("money");
    expect(rest).toEqual({});
    const [sale] = await invoicesOf(client, bucket);
    expect(sale).toMatchObject({ purchaseId, status: "paid", total: "12.00", amountDue: "0.00" });
    expect(sale).not.toHaveProperty("fromCredits");
    await use(client, bucket, 400);
    await moveTo(client, bucket, "2031-02-02T00:00:00.000Z");
    const usage = (await invoicesOf(client, bucket)).find(({ total }) => total !== "12.00");
    expect(usage).toMatchObject({ subtotal: "0.00", tax: "0.00", total: "0.00" });
    const kinds = usage.lines.map(({ amount, funding }: Record<string, string>) => [amount, funding]);
    expect(kinds).toEqual([
      ["30.00", undefined],
      ["-30.00", "prepaid"],
    ]);
    const { data } = await ok(client.get(`${bucket}/revenue?from=2031-01&to=2031-02`));
    expect(data.map(({ month, total }: Record<string, string>) => [month, total])).toEqual([
      ["2031-01", "10.00"],
      ["2031-02", "30.00"],
      ["2031-02", "-30.00"],
    ]);
  });

  test("what is left is refunded with tax, rounded down, and restored if that fails", async () => {
    const { bucket, setMethod, buy, read, grants, purchases, refund } = await scene(rated("0.10", { max: 0 }));
    await setMethod("succeeds");
    const { purchaseId } = await buy("units");
    expect(await read(purchaseId)).toMatchObject({ refundable: "12.00" });
    await use(client, bucket, 333);
    expect(await read(purchaseId)).toMatchObject({ refundable: "8.00" });
    expect(await purchases()).toMatchObject([{ refundable: "8.00" }]);
    await setMethod("fails");
    expect(await ok(refund(purchaseId))).toEqual({ amount: "8.00", state: "failed" });
    expect(await grants()).toMatchObject([{ balance: 667 }]);
    await setMethod("succeeds");
    expect(await ok(refund(purchaseId))).toEqual({ amount: "8.00", state: "succeeded" });
    expect(await grants()).toMatchObject([{ balance: 0, status: "depleted" }]);
    const refunded = await read(purchaseId);
    expect(refunded).toMatchObject({ refunded: "8.00" });
    expect(refunded).not.toHaveProperty("refundable");
    expectProblem(await refund(purchaseId), 409, "nothing_to_refund");
    const notes = (await invoicesOf(client, bucket)).filter(({ type }) => type === "credit-note");
    expect(notes.map(({ status, total }) => [status, total]).toSorted()).toEqual([
      ["paid", "8.00"],
      ["void", "8.00"],
    ]);
    const { data } = await ok(client.get(`${bucket}/customers/acme/grants/${(await grants())[0].id}/entries`));
    const entries = data.map(({ kind, amount }: { kind: string; amount: number }) => [kind, amount]);
    expect(entries.toSorted()).toEqual([
      ["consumed", -333],
      ["granted", 1000],
      ["refunded", -667],
      ["refunded", -667],
      ["restored", 667],
    ]);
  });

  test("an unpaid purchase is replaced by the next one, and canceled after a day", async () => {
    const { bucket, customer, buy, read, refund } = await scene();
    const first = (await buy("units")).purchaseId;
    const second = (await buy("money")).purchaseId;
    expect((await read(first)).state).toBe("canceled");
    expectProblem(await refund(second), 409, "purchase_not_paid");
    await moveTo(client, bucket, "2031-01-02T00:00:00.000Z");
    expect((await read(second)).state).toBe("canceled");
    expect((await invoicesOf(client, bucket)).map(({ status }) => status)).toEqual(["void", "void"]);
    for (const packExternalId of ["nothing", 5])
      expect((await client.post(`${customer}/packs/$purchase`, { packExternalId, returnUrl })).status).toBe(400);
    const unknown = `${bucket}/customers/nobody/packs/$purchase`;
    expect((await client.post(unknown, { packExternalId: "units", returnUrl })).status).toBe(404);
    expect(await invoicesOf(client, bucket)).toHaveLength(2);
  });

  test("a top-up is validated, and removed with null", async () => {
    const { customer, setTopUp } = await scene();
    const valid = { packExternalId: "units", below: 100, maximumPerMonth: "30.00", isEnabled: true };
    const invalid = [
      { packExternalId: "nothing" },
      { below: 1000 },
      { below: "100" },
      { below: 0 },
      { packExternalId: "money", below: "50.00" },
      { packExternalId: "money", below: 5 },
      { maximumPerMonth: "1.001" },
      { maximumPerMonth: "0" },
      { maximumPerMonth: "11.99" },
      { isEnabled: "yes" },
    ];
    for (const change of invalid) expect((await setTopUp({ ...valid, ...change })).status).toBe(400);
    expect(await ok(client.get(customer))).not.toHaveProperty("topUp");
    expect(await ok(setTopUp(valid))).toMatchObject({ topUp: valid });
    const rejected = await setTopUp({ ...valid, maximumPerMonth: "11.99" });
    expectProblem(rejected, 400, "validation_failed");
    expect(rejected.body.errors).toEqual([
      {
        pointer: "/topUp/maximumPerMonth",
        detail: "must be at least 12.00, which the pack costs with tax: otherwise nothing is bought",
      },
    ]);
    expect(await ok(client.get(customer))).toMatchObject({ topUp: valid });
    // One that is off buys nothing anyway, and a customer without tax pays less.
    const lower = { ...valid, maximumPerMonth: "11.99" };
    expect(await ok(setTopUp({ ...lower, isEnabled: false }))).toMatchObject({ topUp: { isEnabled: false } });
    expect((await client.patch(customer, { topUp: lower, taxStatus: "taxable" })).status).toBe(400);
    expect(await ok(client.patch(customer, { topUp: lower, taxStatus: "exempt" }))).toMatchObject({ topUp: lower });
    expect(await ok(setTopUp(null))).not.toHaveProperty("topUp");
  });

  test("credit that falls below is topped up, within the maximum of the month by the bucket's clock", async () => {
    const { bucket, setMethod, setTopUp, purchases, grants } = await scene(rated("0.10", { max: 0 }));
    await setMethod("succeeds");
    await ok(setTopUp({ packExternalId: "units", below: 100, maximumPerMonth: "24.00", isEnabled: true }));
    const balance = async () =>
      (await grants()).reduce((sum: number, { balance }: { balance: number }) => sum + balance, 0);
    await server.catchUp();
    expect(await balance()).toBe(1000);
    await use(client, bucket, 850);
    await use(client, bucket, 60);
    await server.runTasks();
    expect(await balance()).toBe(1090);
    await use(client, bucket, 1050);
    await server.catchUp();
    await server.catchUp();
    expect(await balance()).toBe(40);
    expect(await purchases()).toMatchObject([
      { isTopUp: true, state: "paid" },
      { isTopUp: true, state: "paid" },
    ]);
    await moveTo(client, bucket, "2031-02-01T00:00:00.000Z");
    await server.catchUp();
    expect(await purchases()).toHaveLength(3);
  });

  test("a top-up whose pack costs more than the maximum since taxes have risen is turned off", async () => {
    const { bucket, customer, setMethod, setTopUp, purchases } = await scene(rated("0.10", { max: 0 }));
    await setMethod("succeeds");
    await ok(setTopUp({ packExternalId: "units", below: 100, maximumPerMonth: "12.00", isEnabled: true }));
    await server.catchUp();
    expect(await purchases()).toHaveLength(1);
    await use(client, bucket, 950);
    await moveTo(client, bucket, "2031-02-01T00:00:00.000Z");
    const rates = (percentage: string) => ({ taxRates: [{ name: "VAT", percentage }] });
    // The maximum of the month is used up, and the next month has one again.
    await server.catchUp();
    expect(await purchases()).toHaveLength(2);
    await use(client, bucket, 950);
    try {
      await setProfile(client, rates("21"));
      // Unchanged credit is compared once a minute.
      server.clock.advance(60_000);
      await server.catchUp();
      expect((await ok(client.get(customer))).topUp).toMatchObject({ isEnabled: true });
      await moveTo(client, bucket, "2031-03-01T00:00:00.000Z");
      await server.catchUp();
      expect((await ok(client.get(customer))).topUp).toMatchObject({
        isEnabled: false,
        stopped: { on: "2031-03-01T00:00:00.000Z", reason: "maximum_too_low" },
      });
      expect((await purchases()).length).toBe(2);
    } finally {
      await setProfile(client, rates("20"));
    }
  });

  test("a top-up of a customer without tax compares an inclusive price without its tax", async () => {
    const { customer, setMethod, setTopUp, purchases } = await scene(rated("0.10", { max: 0 }));
    const rates = { taxRates: [{ name: "VAT", percentage: "20" }] };
    try {
      await setProfile(client, { ...rates, taxBehavior: "inclusive" });
      await ok(client.patch(customer, { taxStatus: "reverse-charge" }));
      await setMethod("succeeds");
      await ok(setTopUp({ packExternalId: "units", below: 100, maximumPerMonth: "8.33", isEnabled: true }));
      await server.catchUp();
      expect(await purchases()).toMatchObject([{ total: { currency: "EUR", amount: "8.33" } }]);
    } finally {
      await setProfile(client, { ...rates, taxBehavior: "exclusive" });
    }
  });

  test("a failed top-up is off, sends mail and is not repeated", async () => {
    const { bucket, customer, setMethod, setTopUp, purchases, mails } = await scene();
    await ok(client.patch(customer, { email: "billing@acme.example" }));
    await setMethod("fails");
    const topUp = { packExternalId: "units", below: 100, maximumPerMonth: "24.00", isEnabled: true };
    await ok(setTopUp(topUp));
    await server.catchUp();
    expect((await ok(client.get(customer))).topUp.isEnabled).toBe(false);
    await server.catchUp();
    expect(await purchases()).toMatchObject([{ state: "failed" }]);
    expect((await invoicesOf(client, bucket)).map(({ status }) => status)).toEqual(["void"]);
    expect(await mails()).toEqual(["top-up-failed"]);
    await setMethod("succeeds");
    await ok(setTopUp(topUp));
    await server.catchUp();
    expect((await purchases()).map(({ state }: { state: string }) => state).toSorted()).toEqual(["failed", "paid"]);
  });

  test("a top-up that requires confirmation stays open, and fails without it", async () => {
    const { bucket, customer, setMethod, setTopUp, purchases, mails } = await scene();
    await ok(client.patch(customer, { email: "billing@acme.example" }));
    await setMethod("needs-action");
    const topUp = { packExternalId: "units", below: 100, maximumPerMonth: "50.00", isEnabled: true };
    await ok(setTopUp(topUp));
    await server.catchUp();
    expect(await purchases()).toHaveLength(1);
    await server.catchUp();
    const [{ invoiceId, ...open }] = await purchases();
    expect(open).toMatchObject({ state: "open", needsAction: true });
    // Its page permits to replace the payment method.
    for (const role of ["reader", "verifier", "billing"] as const) {
      const caller = await callerWithRole(client, role);
      const { status, body, text } = await caller.get(`${customer}/packs/${open.id}`);
      const list = await caller.get(`${customer}/packs`);
      if (role === "verifier") expect([status, list.status]).toEqual([403, 403]);
      else expect([body.url, list.body.data[0].url]).toEqual(Array(2).fill(role === "billing" ? open.url : undefined));
      if (role === "reader") expect(text + list.text).not.toContain("tgco_");
      if (role === "reader") expectProblem(await caller.get(`${bucket}/mails`), 403, "forbidden");
    }
    expect(await mails()).toEqual(["top-up-action"]);
    const [mail] = (await ok(client.get(`${bucket}/mails`))).data;
    expect(mail.text).toContain(open.url);
    const { pathname } = new URL(open.url);
    const form = new URLSearchParams({ confirm: "yes" });
    await fetch(server.url + pathname, { method: "POST", body: form, redirect: "manual" });
    const [paid] = await purchases();
    expect(paid).toMatchObject({ state: "paid", invoiceId });
    expect(paid).not.toHaveProperty("url");
    await use(client, bucket, 1050);
    await server.catchUp();
    expect(await purchases()).toHaveLength(2);
    await moveTo(client, bucket, "2031-01-02T00:00:00.000Z");
    expect((await purchases()).map(({ state }: { state: string }) => state).toSorted()).toEqual(["failed", "paid"]);
    expect((await ok(client.get(customer))).topUp.isEnabled).toBe(false);
  });
});
