import { beforeAll, expect, test } from "bun:test";
import { invoicesOf, monthly, moveTo, newTestBucket, ok, setProfile } from "../../../../../test/support/billing.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { createPlan, subscribe } from "../../../../../test/support/metering.ts";
import { customerBrowser, type PortalBrowser, setPortal } from "../../../../../test/support/portal.ts";
import { useServer } from "../../../../../test/support/server.ts";
import { account } from "../../../../../test/support/server-settings.ts";

const start = "2031-01-01T00:00:00.000Z";

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;
  const consumers = `/v1/accounts/${account}/key-buckets/main/consumers`;
  let customers = 0;

  beforeAll(async () => {
    await setProfile(client);
  });

  /** A bucket with plans, a portal, and a new customer who is signed in. */
  async function shop(settings: object = {}, session: object = {}) {
    const bucket = await newTestBucket(client, start);
    const plans = {
      free: await createPlan(client, bucket, { planExternalId: "free", isPublic: true, position: 1 }),
      gold: await createPlan(client, bucket, {
        planExternalId: "gold",
        ...monthly("30.00"),
        isPublic: true,
        position: 3,
      }),
      pro: await createPlan(client, bucket, {
        planExternalId: "pro",
        ...monthly("90.00"),
        isPublic: true,
        position: 2,
      }),
      secret: await createPlan(client, bucket, { planExternalId: "secret", ...monthly("1.00") }),
    };
    const name = `shop-${++customers}`;
    await client.post(consumers, { name });
    const meteringBucket = bucket.replace("/v1/metering/", "");
    const { url } = await setPortal(client, { meteringBucket, ...settings });
    return { bucket, plans, name, url, browser: await customerBrowser(server, url, name, session) };
  }

  const choose = (browser: PortalBrowser, planExternalId: string, more: object = {}) =>
    browser.post("/subscription/$choose", { planExternalId, ...more });
  const names = (body: { data: { planExternalId: string }[] }) => body.data.map(({ planExternalId }) => planExternalId);
  const pay = (browser: PortalBrowser, url: string, method = "succeeds") =>
    browser.fetch(new URL(url).pathname, {
      method: "POST",
      headers: { accept: "text/html" },
      body: new URLSearchParams({ method }),
    });

  test("the plans are the public ones by position, or those of the settings in their order", async () => {
    const { browser, bucket } = await shop();
    expect((await browser.get("/plans")).body).toMatchObject({ paysOnline: true });
    expect(names((await browser.get("/plans")).body)).toEqual(["free", "pro", "gold"]);
    const meteringBucket = bucket.replace("/v1/metering/", "");
    await setPortal(client, { meteringBucket, plans: ["secret", "free"] });
    expect(names((await browser.get("/plans")).body)).toEqual(["secret", "free"]);
    expectProblem(await choose(browser, "gold"), 400, "validation_failed");
    await setPortal(client, {});
    expect((await browser.get("/plans")).body).toEqual({ data: [], paysOnline: false });
    const path = `/v1/accounts/${account}/key-buckets/main/portal`;
    const set = (input: object) => client.raw("PUT", path, JSON.stringify({ title: "Weather", ...input }));
    for (const input of [{ plans: ["free"] }, { plans: ["free", "none"], meteringBucket }])
      expectProblem(await set(input), 400, "validation_failed");
  });

  test("a plan is bought at its payment page, and active only once it is paid", async () => {
    const { browser, bucket, name, plans } = await shop();
    await subscribe(client, bucket, [plans.free], { customerKey: name });
    const preview = await browser.post("/plans/$preview", { planExternalId: "gold" });
    expect(preview.body).toMatchObject({ isPurchase: true, timing: "now", invoice: { total: "30.00" } });
    expect(await invoicesOf(client, bucket)).toEqual([]);
    const { body } = await choose(browser, "gold");
    expect(body).toMatchObject({ subscription: { plans: [{ planExternalId: "free" }] } });
    expect((await browser.get("/plans")).body).toMatchObject({
      subscription: { plans: [{ planExternalId: "free" }] },
      purchase: { status: "incomplete", plans: [{ planExternalId: "gold" }] },
    });
    const declined = await pay(browser, body.url, "fails");
    expect(await declined.text()).toContain("The card was declined.");
    const { body: again } = await browser.post("/checkouts");
    const paid = await pay(browser, again.url);
    expect(paid.status).toBe(200);
    expect(await paid.text()).toContain(`http-equiv="refresh" content="2;url=${browser.origin}/plans?paid"`);
    const { body: after } = await browser.get("/plans");
    expect(after).toMatchObject({
      subscription: { status: "active", plans: [{ planExternalId: "gold" }], payment: { state: "paid" } },
      paymentMethod: { label: "Test card (succeeds)" },
    });
    expect(after.purchase).toBeUndefined();
    expect((await browser.get("/usage")).body.subscription.plans).toEqual(["Gold"]);
  });

  test("a plan is changed now or at the end of the period, canceled, and both are undone", async () => {
    const { browser, bucket } = await shop();
    const { body } = await choose(browser, "gold");
    await pay(browser, body.url);
    const up = await browser.post("/plans/$preview", { planExternalId: "pro" });
    expect(up.body).toMatchObject({ isPurchase: false, timing: "now", invoice: { total: "60.00" } });
    expect((await choose(browser, "pro")).body.subscription.plans).toMatchObject([{ planExternalId: "pro" }]);
    const end = "2031-02-01T00:00:00.000Z";
    const down = await browser.post("/plans/$preview", { planExternalId: "gold" });
    const limits = [{ meter: "requests", label: "Requests", before: 100, after: 100, used: 0 }];
    expect(down.body).toEqual({ isPurchase: false, timing: "period-end", on: end, limits });
    const scheduled = (await choose(browser, "gold")).body.subscription;
    expect(scheduled).toMatchObject({ planChange: { planExternalIds: ["gold"], on: end } });
    expect((await browser.post("/subscription/$resume")).body.subscription.planChange).toBeUndefined();
    expect((await browser.post("/subscription/$cancel")).body.subscription.cancelsOn).toBe(end);
    expect((await browser.post("/subscription/$resume")).body.subscription.cancelsOn).toBeUndefined();
    expectProblem(await browser.post("/subscription/$resume"), 409, "subscription_not_canceling");
    await browser.post("/subscription/$cancel");
    await moveTo(client, bucket, end);
    expect((await browser.get("/plans")).body.subscription).toBeUndefined();
    expectProblem(await browser.post("/subscription/$cancel"), 409, "subscription_not_in_force");
  });

  test("a preview names the limits before and after, beside what was used", async () => {
    const { browser, bucket, name, plans } = await shop();
    const small = { requests: { label: "Requests", max: 10 }, images: { max: 5 } };
    await createPlan(client, bucket, { planExternalId: "small", meters: small, isPublic: true });
    const limits = async () => (await browser.post("/plans/$preview", { planExternalId: "small" })).body.limits;
    expect(await limits()).toEqual([
      { meter: "requests", label: "Requests", after: 10, used: 0 },
      { meter: "images", after: 5, used: 0 },
    ]);
    const extra = await createPlan(client, bucket, { meters: { pages: { max: 7 } } });
    const { id } = await subscribe(client, bucket, [plans.free, extra], { customerKey: name });
    const consumed = { meters: { requests: 40, pages: 1 } };
    await ok(client.post(`${bucket}/subscriptions/${id}/quotas/consume`, consumed));
    expect(await limits()).toEqual([
      { meter: "requests", label: "Requests", before: 100, after: 10, used: 40 },
      { meter: "images", after: 5, used: 0 },
      { meter: "pages", before: 7, used: 1 },
    ]);
  });

  test("a customer whose renewal was declined gets no credits for it, and cannot buy a plan with them", async () => {
    const { browser, bucket, name } = await shop();
    await pay(browser, (await choose(browser, "pro")).body.url);
    const method = JSON.stringify({ type: "sandbox", behavior: "fails" });
    await ok(client.raw("PUT", `${bucket}/customers/${name}/payment-method`, method));
    await moveTo(client, bucket, "2031-02-01T00:00:00.000Z");
    const [, renewal] = await invoicesOf(client, bucket);
    expect(renewal).toMatchObject({ status: "open", amountDue: "90.00" });
    const now = { timing: "now" };
    const preview = (await browser.post("/plans/$preview", { planExternalId: "free", ...now })).body;
    expect(preview).toMatchObject({ timing: "now", creditNotes: [{ correctsId: renewal.id, total: "90.00" }] });
    expect(preview).not.toHaveProperty("invoice");
    expect(await invoicesOf(client, bucket)).toHaveLength(2);
    await choose(browser, "free", now);
    expect(await ok(client.get(`${bucket}/customers/${name}`))).not.toHaveProperty("balances");
    const { body } = await choose(browser, "gold");
    expect(body).toMatchObject({ url: expect.any(String), subscription: { plans: [{ planExternalId: "free" }] } });
    expect((await invoicesOf(client, bucket)).at(-1)).toMatchObject({ status: "open", amountDue: "30.00" });
  });

  test("usage names the plan whose renewal is not paid", async () => {
    const { browser, bucket, name } = await shop();
    await pay(browser, (await choose(browser, "gold")).body.url);
    const method = JSON.stringify({ type: "sandbox", behavior: "fails" });
    await ok(client.raw("PUT", `${bucket}/customers/${name}/payment-method`, method));
    await moveTo(client, bucket, "2031-02-01T00:00:00.000Z");
    const { body } = await browser.get("/usage");
    expect(body).toMatchObject({ subscription: { plans: ["Gold"] } });
    expect(body).not.toHaveProperty("unpaidPlans");
    await moveTo(client, bucket, "2031-02-04T00:00:00.000Z");
    expect((await browser.get("/usage")).body).toMatchObject({ subscription: null, meters: {}, unpaidPlans: ["Gold"] });
  });

  test("free plans are chosen, changed and canceled without a payment", async () => {
    const { browser, bucket } = await shop();
    await createPlan(client, bucket, { planExternalId: "free-2", isPublic: true });
    const { body } = await choose(browser, "free");
    expect(body).toMatchObject({ subscription: { status: "active", plans: [{ planExternalId: "free" }] } });
    expect(body.url).toBeUndefined();
    expect((await choose(browser, "free-2", { timing: "now" })).body.subscription.plans).toMatchObject([
      { planExternalId: "free-2" },
    ]);
    const canceled = await browser.post("/subscription/$cancel");
    expect(canceled.body.subscription.cancelsOn).toBe("2031-02-01T00:00:00.000Z");
    expect((await browser.post("/subscription/$resume")).body.subscription.cancelsOn).toBeUndefined();
    await browser.post("/subscription/$cancel");
    await moveTo(client, bucket, "2031-02-01T00:00:00.000Z");
    expect((await browser.get("/plans")).body.subscription).toBeUndefined();
    expect(await invoicesOf(client, bucket)).toEqual([]);
  });

  test("a free plan that is canceled and chosen again has no second quota", async () => {
    const { browser, bucket, name } = await shop();
    await choose(browser, "free");
    const consume = async (requests: number) => {
      const { data } = await ok(client.get(`${bucket}/subscriptions?customerKey=${name}`));
      const { id } = data.at(-1);
      return (await ok(client.post(`${bucket}/subscriptions/${id}/quotas/consume`, { meters: { requests } }))).allowed;
    };
    expect(await consume(100)).toBe(true);
    expect(await consume(1)).toBe(false);
    expectProblem(await browser.post("/subscription/$cancel", { timing: "now" }), 400, "validation_failed");
    expect((await browser.post("/subscription/$cancel")).status).toBe(200);
    await choose(browser, "free");
    expect(await consume(1)).toBe(false);
  });

  test("invoices are listed, shown as a page and as CSV, and name the customer", async () => {
    const { browser, bucket } = await shop();
    expect((await browser.get("/billing")).body).toEqual({ isRequired: false });
    const details = { legalName: "Acme Ltd", address: { line1: "1 High St", country: "GB" }, taxIds: ["GB 123"] };
    expect((await browser.patch("/billing", details)).body).toEqual({ ...details, isRequired: false });
    expectProblem(await browser.patch("/billing", { currency: "USD" }), 400, "validation_failed");
    const { body } = await choose(browser, "gold");
    await pay(browser, body.url);
    const { data, total } = (await browser.get("/invoices")).body;
    expect(total).toBe(1);
    expect(data).toMatchObject([{ status: "paid", total: "30.00", buyer: { legalName: "Acme Ltd" } }]);
    const path = `/portal/api/invoices/${data[0].id}`;
    const page = await browser.fetch(path, { headers: { accept: "text/html" } });
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(await page.text()).toContain("Acme Ltd");
    const csv = await browser.fetch(path, { headers: { accept: "text/csv" } });
    expect(await csv.text()).toContain("30.00");
    expect((await browser.get(`/invoices/${data[0].id}`)).body).toEqual(data[0]);
    expect(await invoicesOf(client, bucket)).toHaveLength(1);
  });

  test("without the scope nothing is shown and nothing changes", async () => {
    const { browser, bucket } = await shop({}, { scopes: ["usage:read"] });
    expect(names((await browser.get("/plans")).body)).toEqual(["free", "pro", "gold"]);
    const rejected = [
      await choose(browser, "free"),
      await browser.post("/plans/$preview", { planExternalId: "free" }),
      await browser.post("/subscription/$cancel"),
      await browser.post("/subscription/$resume"),
      await browser.post("/checkouts"),
      await browser.get("/invoices"),
      await browser.get("/billing"),
      await browser.patch("/billing", { legalName: "Mallory" }),
      await browser.delete("/account"),
    ];
    for (const response of rejected) expectProblem(response, 403, "portal_scope_missing");
    expect((await ok(client.get(`${bucket}/subscriptions`))).total).toBe(0);
  });

  test("with manual payments an invoice is open, and no payment page is offered", async () => {
    const path = `/v1/accounts/${account}/payment-provider/test`;
    const { browser, bucket } = await shop();
    await ok(client.raw("PUT", path, JSON.stringify({ type: "manual" })));
    expect((await choose(browser, "gold")).body).toEqual({});
    expectProblem(await browser.post("/checkouts"), 409, "no_online_payment");
    const [invoice] = await invoicesOf(client, bucket);
    await ok(client.post(`${bucket}/invoices/${invoice.id}/$mark-paid`));
    expect((await browser.get("/plans")).body).toMatchObject({ subscription: { status: "active" }, paysOnline: false });
    await ok(client.raw("PUT", path, JSON.stringify({ type: "sandbox" })));
  });

  test("a hand-off cannot delete the account", async () => {
    const { url, bucket, plans } = await shop();
    const name = `leaving-${++customers}`;
    const managers = [{ sub: `sub-${name}`, email: `${name}@acme.example` }];
    await client.post(consumers, { name, managers, apiKeys: [{}] });
    await subscribe(client, bucket, [plans.gold], { customerKey: name, subscriptionExternalId: name });
    const handedOff = await customerBrowser(server, url, name, {
      scopes: [
        "keys:read",
        "keys:write",
        "usage:read",
        "requests:read",
        "plans:write",
        "invoices:read",
        "people:write",
      ],
    });
    expectProblem(await handedOff.delete("/account"), 403, "portal_scope_missing");
    expect((await client.get(`${consumers}/${name}`)).status).toBe(200);
  });
});
