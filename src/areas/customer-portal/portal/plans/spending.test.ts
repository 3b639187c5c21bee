import { beforeAll, describe, expect, test } from "bun:test";
import { monthly, newTestBucket, ok, perUnit, setProfile } from "../../../../../test/support/billing.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { createPlan, subscribe } from "../../../../../test/support/metering.ts";
import { customerBrowser, setPortal } from "../../../../../test/support/portal.ts";
import { useServer } from "../../../../../test/support/server.ts";
import { account } from "../../../../../test/support/server-settings.ts";

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;
  let bucket: string;
  let url: string;
  let customers = 0;

  beforeAll(async () => {
    await setProfile(client);
    await ok(client.post(`/v1/accounts/${account}/key-buckets`, { name: "main" }));
    bucket = await newTestBucket(client, "2031-01-01T00:00:00.000Z");
    url = (await setPortal(client, { meteringBucket: bucket.replace("/v1/metering/", "") })).url;
  });

  async function customer(session: object = {}) {
    const name = `customer-${++customers}`;
    await client.post(`/v1/accounts/${account}/key-buckets/main/consumers`, { name });
    return { name, browser: await customerBrowser(server, url, name, session) };
  }

  async function subscribed() {
    const created = await customer();
    const meters = { requests: { max: 100 } };
    const priced = { ...monthly("30.00"), meters, rates: { requests: perUnit("0.10") } };
    const plan = await createPlan(client, bucket, { planExternalId: created.name, ...priced });
    const ids = { customerKey: created.name, subscriptionExternalId: created.name };
    const { id } = await subscribe(client, bucket, [plan], ids);
    return { ...created, id: id as string, path: `${bucket}/customers/${created.name}` };
  }

  test("a customer sets, changes and removes the cap, which limits what usage costs", async () => {
    const { browser, id, path, name } = await subscribed();
    expect((await browser.get("/spending")).body).toEqual({ currency: "EUR", overage: "bill", credits: [] });
    const spendCap = { amount: "5.00", action: "block" };
    const stored = { ...spendCap, currency: "EUR" };
    expect((await browser.patch("/spending", { spendCap })).body).toEqual({
      ...{ currency: "EUR", overage: "bill", spendCap: stored, credits: [] },
    });
    expect((await ok(client.get(path))).spendCap).toEqual(stored);
    const consume = (requests: number) =>
      ok(client.post(`${bucket}/subscriptions/${id}/quotas/consume`, { meters: { requests } }));
    expect(await consume(150)).toMatchObject({ allowed: true });
    expect(await consume(1)).toMatchObject({ allowed: false, reason: "spend_cap_reached" });
    const creditLimit = { amount: "200.00", action: "block" };
    await ok(client.patch(path, { creditLimit }));
    expect((await browser.patch("/spending", { spendCap: null })).body).toEqual({
      ...{ currency: "EUR", overage: "bill", creditLimit: { ...creditLimit, currency: "EUR" }, credits: [] },
    });
    expect(await consume(1)).toMatchObject({ allowed: true });
    const spendCaps = [stored, { amount: "700", action: "notify", currency: "JPY" }];
    expect((await browser.patch("/spending", { spendCaps })).body).toMatchObject({
      ...{ currency: "EUR", currencies: ["EUR", "JPY"], spendCap: stored, spendCaps },
    });
    const { body: log } = await client.get(`/v1/accounts/${account}/audit-log?actorType=manager&limit=1`);
    expect(log.data[0]).toMatchObject({ action: "customer.updated", resource: { name } });
  });

  const limited = { meters: { requests: { max: 100 }, exports: { max: 1 } } };
  const cases: [string, object][] = [
    ["block", { ...monthly("9.00"), ...limited }],
    ["block", { ...monthly("9.00"), ...limited, rates: { requests: { overage: "block" } } }],
    ["prepaid", { ...monthly("9.00"), ...limited, rates: { requests: { ...perUnit("0.10"), overage: "prepaid" } } }],
    ["bill", { ...monthly("9.00"), ...limited, rates: { requests: perUnit("0.10") } }],
  ];
  test.each(cases)("usage beyond the plan: %s", async (overage, plan) => {
    const { name, browser } = await customer();
    const created = await createPlan(client, bucket, { planExternalId: name, ...plan });
    await subscribe(client, bucket, [created], { customerKey: name, subscriptionExternalId: name });
    expect((await browser.get("/spending")).body).toMatchObject({ overage });
  });

  test("credits are those that can be used, with what is left of them", async () => {
    const { browser, id, path } = await subscribed();
    const grant = (input: object) => ok(client.post(`${path}/grants`, { funding: "promotional", ...input }));
    const units = await grant({ meter: "requests", amount: 20, reason: "Welcome" });
    const money = await grant({ currency: "EUR", amount: "25.00", expiresOn: "2031-06-01T00:00:00.000Z" });
    const voided = await grant({ currency: "EUR", amount: "1.00" });
    await ok(client.post(`${path}/grants/${voided.id}/$void`));
    await ok(client.post(`${bucket}/subscriptions/${id}/quotas/consume`, { meters: { requests: 105 } }));
    expect((await browser.get("/spending")).body.credits).toEqual([
      {
        ...{ id: units.id, meter: "requests", amount: 20, balance: 15, status: "active", reason: "Welcome" },
        effectiveOn: "2031-01-01T00:00:00.000Z",
      },
      {
        ...{ id: money.id, currency: "EUR", amount: "25.00", balance: "25.00", status: "active" },
        effectiveOn: "2031-01-01T00:00:00.000Z",
        expiresOn: "2031-06-01T00:00:00.000Z",
      },
    ]);
  });

  describe("a cap is rejected, and nothing changes,", () => {
    const eur = { amount: "5.00", action: "block", currency: "EUR" };
    const rejected: [string, object, string][] = [
      ["with a negative amount", { spendCap: { amount: "-1", action: "block" } }, "/spendCap/amount"],
      ["with a number as amount", { spendCap: { amount: 5, action: "block" } }, "/spendCap/amount"],
      ["with an unknown action", { spendCap: { amount: "5.00", action: "stop" } }, "/spendCap/action"],
      ["twice in a currency", { spendCaps: [eur, eur] }, "/spendCaps"],
      ["that only the business sets", { creditLimit: { amount: "5.00", action: "block" } }, "/creditLimit"],
    ];
    test.each(rejected)("%s", async (_, body, pointer) => {
      const { browser } = await customer();
      expectProblem(await browser.patch("/spending", body), 400, "validation_failed", { pointer });
      expect((await browser.get("/spending")).body).toEqual({ credits: [] });
    });

    test("without the scope, and without a metering bucket", async () => {
      const { browser, name } = await customer({ scopes: ["usage:read"] });
      const spendCap = { amount: "5.00", action: "block" };
      expectProblem(await browser.patch("/spending", { spendCap }), 403, "portal_scope_missing");
      expect((await client.get(`${bucket}/customers/${name}`)).status).toBe(404);
      const { browser: blind } = await customer({ scopes: ["plans:write"] });
      expectProblem(await blind.get("/spending"), 403, "portal_scope_missing");
      await setPortal(client, {});
      expect((await browser.get("/spending")).body).toEqual({ credits: [] });
      expectProblem(await blind.patch("/spending", { spendCap }), 404, "not_found");
      await setPortal(client, { meteringBucket: bucket.replace("/v1/metering/", "") });
    });
  });
});
