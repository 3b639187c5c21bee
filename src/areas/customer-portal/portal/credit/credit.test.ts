import { afterEach, beforeAll, expect, test } from "bun:test";
import { invoicesOf, moveTo, newTestBucket, ok, rated, setProfile, use } from "../../../../../test/support/billing.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { createPlan, subscribe } from "../../../../../test/support/metering.ts";
import { customerBrowser, type PortalBrowser, setPortal } from "../../../../../test/support/portal.ts";
import { useServer } from "../../../../../test/support/server.ts";
import { account } from "../../../../../test/support/server-settings.ts";

const start = "2031-01-01T00:00:00.000Z";
const units = {
  packExternalId: "units",
  label: "1,000 requests",
  price: { currency: "EUR", amount: "10.00" },
  grant: { meter: "requests", amount: 1000, expiresInDays: 30 },
};
const money = { ...units, packExternalId: "money", label: "€50", grant: { currency: "EUR", amount: "50.00" } };
const provider = `/v1/accounts/${account}/payment-provider/test`;

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;

  beforeAll(async () => {
    await setProfile(client, { taxRates: [{ name: "VAT", percentage: "20" }] });
    await client.post(`/v1/accounts/${account}/key-buckets/main/consumers`, { name: "acme" });
  });
  afterEach(() => ok(client.raw("PUT", provider, JSON.stringify({ type: "sandbox" }))));

  /** A bucket of its own with packs, and `acme` signed in. */
  async function shop(session: object = {}) {
    const bucket = await newTestBucket(client, start);
    const plan = await createPlan(client, bucket, rated("0.10", { max: 0 }));
    const ids = (position: number) => ({ isPublic: true, position });
    await ok(client.post(`${bucket}/credit-packs`, { ...money, ...ids(2) }));
    await ok(client.post(`${bucket}/credit-packs`, { ...units, ...ids(1) }));
    await ok(client.post(`${bucket}/credit-packs`, { ...units, packExternalId: "secret" }));
    const { url } = await setPortal(client, { meteringBucket: bucket.replace("/v1/metering/", "") });
    const customer = `${bucket}/customers/acme`;
    const setMethod = (behavior: string) =>
      ok(client.raw("PUT", `${customer}/payment-method`, JSON.stringify({ type: "sandbox", behavior })));
    const browser = await customerBrowser(server, url, "acme", session);
    return { bucket, plan, customer, url, browser, setMethod };
  }

  const credit = async (browser: PortalBrowser) => (await browser.get("/credit")).body;
  const buy = (browser: PortalBrowser, packExternalId: string) => browser.post("/credit/$purchase", { packExternalId });
  const pay = (browser: PortalBrowser, url: string, form: Record<string, string>) =>
    browser.fetch(new URL(url).pathname, { method: "POST", body: new URLSearchParams(form) });

  test("public packs are offered in order, and one is bought at the payment page, with tax", async () => {
    const { bucket, browser } = await shop();
    expect((await browser.get("/session")).body.pages).toContain("credit");
    expect(await credit(browser)).toEqual({
      packs: [units, money],
      ...{ isAvailable: true, taxBehavior: "exclusive", paysOnline: true, hasPlan: false },
      ...{ meters: { requests: "Requests" }, left: [], credits: [], purchases: [] },
    });
    const { body: preview } = await browser.post("/credit/$preview", { packExternalId: "units" });
    expect(preview).toMatchObject({ invoice: { total: "12.00", tax: "2.00" }, expiresOn: "2031-01-31T00:00:00.000Z" });
    expect(await invoicesOf(client, bucket)).toEqual([]);
    for (const packExternalId of ["secret", "none"]) {
      for (const path of ["/credit/$preview", "/credit/$purchase"])
        expectProblem(await browser.post(path, { packExternalId }), 400, "validation_failed", {
          pointer: "/packExternalId",
        });
    }
    expect(await invoicesOf(client, bucket)).toEqual([]);
    const { body } = await buy(browser, "units");
    expect(body.state).toBe("open");
    const total = { currency: "EUR", amount: "12.00" };
    expect((await credit(browser)).purchases).toMatchObject([{ label: units.label, isTopUp: false, total }]);
    await pay(browser, body.url, { method: "fails" });
    expect((await credit(browser)).purchases).toMatchObject([{ hasFailed: true }]);
    const { body: again } = await browser.post("/checkouts", { returnTo: "credit" });
    const paid = await pay(browser, again.url, { method: "succeeds" });
    expect([paid.status, paid.headers.get("location")]).toEqual([303, `${browser.origin}/credit?paid`]);
    const after = await credit(browser);
    expect(after).toMatchObject({ purchases: [], left: [{ meter: "requests", amount: 1000 }] });
    expect(after.credits).toMatchObject([{ balance: 1000, expiresOn: "2031-01-31T00:00:00.000Z" }]);
    // The method that is kept pays at once.
    expect((await buy(browser, "money")).body).toEqual({ state: "paid" });
    expect((await credit(browser)).left).toEqual([
      { meter: "requests", amount: 1000 },
      { currency: "EUR", amount: "50.00" },
    ]);
  });

  test("the history has grants, uses, refunds and expiries, the newest first", async () => {
    const { bucket, plan, browser, customer, setMethod } = await shop();
    await subscribe(client, bucket, [plan], { customerKey: "acme" });
    await setMethod("succeeds");
    await buy(browser, "units");
    await use(client, bucket, 300);
    expect((await credit(browser)).left).toEqual([{ meter: "requests", amount: 700 }]);
    await moveTo(client, bucket, "2031-01-01T02:00:00.000Z");
    const [purchase] = (await ok(client.get(`${customer}/packs`))).data;
    await ok(client.post(`${customer}/packs/${purchase.id}/$refund`));
    await ok(
      client.post(`${customer}/grants`, {
        ...{ currency: "EUR", amount: "5.00", funding: "promotional", reason: "Welcome" },
        expiresOn: "2031-01-03T00:00:00.000Z",
      }),
    );
    await moveTo(client, bucket, "2031-01-04T00:00:00.000Z");
    const { body } = await browser.get("/credit/history?order=desc&limit=10");
    expect(body.total).toBe(5);
    expect(body.data.map(({ kind, amount }: { kind: string; amount: unknown }) => [kind, amount])).toEqual([
      ["expired", "-5.00"],
      ["granted", "5.00"],
      ["refunded", -700],
      ["consumed", -300],
      ["granted", 1000],
    ]);
    expect(body.data[0]).toMatchObject({ currency: "EUR", reason: "Welcome" });
    expect(body.data[3]).toMatchObject({ meter: "requests", reason: units.label, hour: start });
    expect((await browser.get("/credit/history?limit=1&offset=1")).body.data).toMatchObject([{ kind: "consumed" }]);
    // The operator reads the same, as JSON and as CSV.
    const entries = await client.get(`${customer}/credit-entries?order=desc`);
    expect(entries.body.data.map(({ id }: { id: string }) => id)).toEqual(
      body.data.map(({ id }: { id: string }) => id),
    );
    const { text } = await client.get(`${customer}/credit-entries`, { accept: "text/csv" });
    expect(text.split("\r\n")[1]).toContain("granted,1000");
    expect((await client.get(`${customer}/credit-entries?order=up`)).status).toBe(400);
    expect((await client.get(`${bucket}/customers/nobody/credit-entries`)).status).toBe(404);
  });

  test("a top-up is set for a pack that is offered, reports why it is off, and asks for the second step", async () => {
    const { bucket, plan, browser, setMethod } = await shop();
    await subscribe(client, bucket, [plan], { customerKey: "acme" });
    const topUp = { packExternalId: "units", below: 100, maximumPerMonth: "24.00", isEnabled: true };
    const set = (change: object | null) => browser.patch("/credit", { topUp: change });
    for (const packExternalId of ["secret", "none"])
      expectProblem(await set({ ...topUp, packExternalId }), 400, "validation_failed", {
        pointer: "/topUp/packExternalId",
      });
    expectProblem(await set({ ...topUp, below: 1000 }), 400, "validation_failed", { pointer: "/topUp/below" });
    expectProblem(await set({ ...topUp, maximumPerMonth: "0.01" }), 400, "validation_failed", {
      pointer: "/topUp/maximumPerMonth",
    });
    expect(await credit(browser)).not.toHaveProperty("topUp");
    // Nothing is bought without a payment method.
    expect((await set(topUp)).body.topUp).toEqual({ ...topUp, spent: "0.00", currency: "EUR" });
    await setMethod("fails");
    const failed = {
      ...topUp,
      isEnabled: false,
      stopped: { on: start, reason: "payment_failed" },
      spent: "0.00",
      currency: "EUR",
    };
    await server.catchUp();
    expect((await credit(browser)).topUp).toEqual(failed);
    await setMethod("needs-action");
    await set(topUp);
    await server.catchUp();
    expect((await credit(browser)).purchases).toMatchObject([{ isTopUp: true, needsAction: true }]);
    const { body } = await browser.post("/checkouts", { returnTo: "credit" });
    await pay(browser, body.url, { confirm: "yes" });
    expect(await credit(browser)).toMatchObject({
      topUp: { ...topUp, spent: "12.00" },
      left: [{ meter: "requests", amount: 1000 }],
      purchases: [],
    });
    expect((await credit(browser)).topUp).not.toHaveProperty("stopped");
    // A pack that is not offered any more stays as it was set.
    const { data } = await ok(client.get(`${bucket}/credit-packs?packExternalId=units`));
    await ok(client.patch(`${bucket}/credit-packs/${data[0].id}`, { isPublic: false }));
    expect((await set({ ...topUp, isEnabled: false })).body.topUp).toMatchObject({ isEnabled: false });
    expect((await set(null)).body).not.toHaveProperty("topUp");
    expectProblem(await set(topUp), 400, "validation_failed");
  });

  test("with manual payments an invoice says how to pay, and a top-up is a 409", async () => {
    const { bucket, browser } = await shop();
    await ok(client.raw("PUT", provider, JSON.stringify({ type: "manual" })));
    expect((await buy(browser, "units")).body).toEqual({ state: "open" });
    expect((await credit(browser)).purchases).toHaveLength(1);
    expect(await credit(browser)).toMatchObject({ paysOnline: false });
    const topUp = { packExternalId: "units", below: 100, maximumPerMonth: "24.00", isEnabled: true };
    expectProblem(await browser.patch("/credit", { topUp }), 409, "top_up_unavailable");
    const [invoice] = await invoicesOf(client, bucket);
    await ok(client.post(`${bucket}/invoices/${invoice.id}/$mark-paid`, {}));
    expect((await credit(browser)).left).toEqual([{ meter: "requests", amount: 1000 }]);
  });

  test("the scopes for seeing and for buying credit are independent", async () => {
    const { bucket, url, browser: reader, customer } = await shop({ scopes: ["usage:read"] });
    const topUp = { packExternalId: "units", below: 100, maximumPerMonth: "24.00", isEnabled: true };
    expect(await credit(reader)).toHaveProperty("left");
    const denied = [
      await buy(reader, "units"),
      await reader.post("/credit/$preview", { packExternalId: "units" }),
      await reader.patch("/credit", { topUp }),
    ];
    for (const response of denied) expectProblem(response, 403, "portal_scope_missing");
    expect((await client.get(customer)).status).toBe(404);
    expect(await invoicesOf(client, bucket)).toEqual([]);
    const buyer = await customerBrowser(server, url, "acme", { scopes: ["plans:write"] });
    expect(await credit(buyer)).not.toHaveProperty("left");
    expect(await credit(buyer)).not.toHaveProperty("credits");
    expectProblem(await buyer.get("/credit/history"), 403, "portal_scope_missing");
    expect((await buy(buyer, "units")).status).toBe(200);
    const neither = await customerBrowser(server, url, "acme", { scopes: ["keys:read"] });
    expectProblem(await neither.get("/credit"), 403, "portal_scope_missing");
  });

  test("prices include tax where the profile says so, and say nothing without a tax", async () => {
    const { browser } = await shop();
    const taxRates = [{ name: "VAT", percentage: "20", country: "DE" }];
    await setProfile(client, { taxRates, taxBehavior: "inclusive" });
    expect((await credit(browser)).taxBehavior).toBe("inclusive");
    expect((await browser.get("/plans")).body.taxBehavior).toBe("inclusive");
    await setProfile(client, { taxRates });
    // No rate applies to a customer without an address.
    expect(await credit(browser)).not.toHaveProperty("taxBehavior");
    await setProfile(client, { taxRates: [{ name: "VAT", percentage: "20" }] });
  });
});
