import { beforeAll, expect, test } from "bun:test";
import {
  billed,
  invoicesOf,
  linesOf,
  monthly,
  moveTo,
  ok,
  perUnit,
  setProfile,
  use,
} from "../../../../../test/support/billing.ts";
import { casesFor, eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { createPlan } from "../../../../../test/support/metering.ts";
import { useServer } from "../../../../../test/support/server.ts";

type Grant = Record<string, unknown>;

const start = "2031-01-01T00:00:00.000Z";
const later = "2031-01-10T00:00:00.000Z";
const renewed = "2031-02-01T01:00:00.000Z";

eachEngine((engine) => {
  const { client } = useServer(engine);

  beforeAll(async () => {
    await setProfile(client, { taxRates: [{ name: "VAT", percentage: "10", country: "DE" }] });
  });

  const money = (amount: string, more: object = {}) => ({ currency: "EUR", amount, funding: "paid", ...more });
  const units = (amount: number, more: object = {}) => ({ meter: "requests", amount, funding: "promotional", ...more });
  const grantsOf = (bucket: string) => `${bucket}/customers/acme/grants`;
  const grant = (bucket: string, body: object) => ok(client.post(grantsOf(bucket), body));
  const entries = async (bucket: string, id: string) => {
    const { data } = await ok(client.get(`${grantsOf(bucket)}/${id}/entries`));
    return data.map(({ kind, amount, balance }: Record<string, unknown>) => [kind, amount, balance]);
  };
  const balance = async (bucket: string, id: string) => (await ok(client.get(`${grantsOf(bucket)}/${id}`))).balance;
  const consume = (path: string, amount: number) =>
    ok(client.post(`${path}/quotas/consume`, { meters: { requests: amount } }));
  const blocked = { ...monthly("0.00"), meters: { requests: { max: 100 } } };
  const billedPlan = { ...blocked, rates: { requests: perUnit("0.10") } };
  const inGermany = (bucket: string) =>
    ok(client.patch(`${bucket}/customers/acme`, { address: { line1: "1 Street", country: "DE" } }));

  test("a grant is created, listed, read and voided", async () => {
    const { bucket } = await billed(client, start, blocked);
    const expiresOn = "2031-03-01T00:00:00.000Z";
    const created = await grant(bucket, units(10, { priority: 3, expiresOn, reason: "Welcome" }));
    expect(created.id).toMatch(/^grnt_/);
    expect(created).toMatchObject({
      customerKey: "acme",
      meter: "requests",
      amount: 10,
      balance: 10,
      funding: "promotional",
      priority: 3,
      status: "active",
      effectiveOn: start,
      expiresOn,
      reason: "Welcome",
    });
    const other = await grant(bucket, money("25.00"));
    expect(await ok(client.get(grantsOf(bucket)))).toMatchObject({ total: 2, data: [created, other] });
    expect(await ok(client.get(`${grantsOf(bucket)}/${created.id}`))).toEqual(created);
    expect(await ok(client.post(`${grantsOf(bucket)}/${created.id}/$void`))).toMatchObject({
      status: "voided",
      balance: 0,
      voidedOn: start,
    });
    expectProblem(await client.post(`${grantsOf(bucket)}/${created.id}/$void`), 409, "grant_ended");
    expect(await entries(bucket, created.id)).toEqual([
      ["granted", 10, 10],
      ["voided", -10, 0],
    ]);
  });

  test.each(
    casesFor(engine, [
      [{ amount: 1, funding: "paid" }, "/meter"],
      [{ meter: "requests", currency: "EUR", amount: 1, funding: "paid" }, "/currency"],
      [{ meter: "requests", amount: "1", funding: "paid" }, "/amount"],
      [{ currency: "EUR", amount: 1, funding: "paid" }, "/amount"],
      [{ currency: "EUR", amount: "1.001", funding: "paid" }, "/amount"],
      [{ currency: "EUR", amount: "-1", funding: "paid" }, "/amount"],
      [{ currency: "XXXX", amount: "1", funding: "paid" }, "/currency"],
      [{ meter: "requests", amount: 0, funding: "paid" }, "/amount"],
      [{ meter: "requests", amount: 1, funding: "free" }, "/funding"],
      [{ meter: "requests", amount: 1, funding: "paid", priority: 101 }, "/priority"],
      [{ meter: "requests", amount: 1, funding: "paid", expiresOn: start }, "/expiresOn"],
    ]),
  )("rejects %j", async (body, pointer) => {
    const { bucket } = await billed(client, start, blocked);
    const { status, body: problem } = await client.post(grantsOf(bucket), body);
    expect(status).toBe(400);
    expect(problem.errors.map((error: { pointer: string }) => error.pointer)).toContain(pointer);
    expect(await ok(client.get(grantsOf(bucket)))).toMatchObject({ total: 0 });
  });

  test("an unknown customer or grant is 404", async () => {
    const { bucket } = await billed(client, start, blocked);
    expectProblem(await client.post(`${bucket}/customers/nobody/grants`, units(1)), 404, "not_found");
    expectProblem(await client.get(`${grantsOf(bucket)}/grnt_0QGzNqW81Kx8VhTb3mPcRdZu`), 404, "not_found");
  });

  test("meter grants extend the maximum, in order, and survive the period", async () => {
    const { bucket, path } = await billed(client, start, blocked);
    const first = await grant(bucket, units(5, { priority: 1 }));
    const second = await grant(bucket, units(10));
    expect(await consume(path, 100)).toMatchObject({
      allowed: true,
      meters: { requests: { available: 0, credits: 15 } },
    });
    expect(await consume(path, 8)).toMatchObject({ allowed: true, meters: { requests: { available: 0, credits: 7 } } });
    expect(await ok(client.get(`${path}/usage`))).toMatchObject({
      meters: { requests: { used: 108, max: 100, available: 0, credits: 7 } },
    });
    expect(await balance(bucket, first.id)).toBe(0);
    expect(await balance(bucket, second.id)).toBe(7);
    expect(await consume(path, 8)).toMatchObject({ allowed: false, reason: "credit_exhausted" });
    await moveTo(client, bucket, renewed);
    expect(await entries(bucket, second.id)).toEqual([
      ["granted", 10, 10],
      ["consumed", -3, 7],
    ]);
    expect(await consume(path, 107)).toMatchObject({ allowed: true, meters: { requests: { credits: 0 } } });
    expect(await consume(path, 1)).toMatchObject({ allowed: false, reason: "credit_exhausted" });
    await moveTo(client, bucket, "2031-03-01T00:00:00.000Z");
    expect(await consume(path, 101)).toMatchObject({ allowed: false, reason: "credit_exhausted" });
    expect(await balance(bucket, second.id)).toBe(0);
  });

  test("credits pay for usage after them alone, and expire", async () => {
    const { bucket, path } = await billed(client, start, blocked);
    await use(client, bucket, 120);
    const { id } = await grant(bucket, units(10, { expiresOn: later }));
    expect(await balance(bucket, id)).toBe(10);
    expect(await consume(path, 4)).toMatchObject({ allowed: true, meters: { requests: { used: 124, credits: 6 } } });
    await moveTo(client, bucket, later);
    expect(await entries(bucket, id)).toEqual([
      ["granted", 10, 10],
      ["consumed", -4, 6],
      ["expired", -6, 0],
    ]);
    const after = await consume(path, 1);
    expect(after).toMatchObject({ allowed: false });
    expect(after).not.toHaveProperty("reason");
    expect(await ok(client.get(`${grantsOf(bucket)}/${id}`))).toMatchObject({ status: "expired", balance: 0 });
  });

  test("meter grants cover billed units before they cost, then money pays as usage occurs", async () => {
    const { bucket } = await billed(client, start, billedPlan);
    await grant(bucket, units(20));
    const promotional = await grant(bucket, money("2.00", { funding: "promotional", expiresOn: later }));
    const paid = await grant(bucket, money("1.50"));
    await use(client, bucket, 150);
    expect(await balance(bucket, promotional.id)).toBe("0.00");
    expect(await balance(bucket, paid.id)).toBe("0.50");
    await moveTo(client, bucket, renewed);
    expect(await entries(bucket, promotional.id)).toEqual([
      ["granted", "2.00", "2.00"],
      ["consumed", "-2.00", "0.00"],
    ]);
    const [invoice] = await invoicesOf(client, bucket);
    expect(linesOf(invoice)).toEqual([
      ["overage", "3.00"],
      ["credit", "-2.00"],
    ]);
    expect(invoice).toMatchObject({ total: "1.00", fromCredits: "1.00", amountDue: "0.00", status: "paid" });
  });

  test("what is left of money pays invoices, promotional money before tax and paid money after it", async () => {
    const { bucket } = await billed(client, start, monthly("30.00"));
    await inGermany(bucket);
    const promotional = await grant(bucket, money("10.00", { funding: "promotional" }));
    const paid = await grant(bucket, money("50.00"));
    await moveTo(client, bucket, renewed);
    const [, invoice] = await invoicesOf(client, bucket);
    expect(linesOf(invoice)).toEqual([
      ["plan", "30.00"],
      ["credit", "-10.00"],
      ["tax", "2.00"],
    ]);
    expect(invoice).toMatchObject({ subtotal: "20.00", total: "22.00", fromCredits: "22.00", status: "paid" });
    expect(await balance(bucket, promotional.id)).toBe("0.00");
    expect(await balance(bucket, paid.id)).toBe("28.00");
    expect((await ok(client.get(`${bucket}/customers/acme`))).balances).toEqual([{ currency: "EUR", amount: "28.00" }]);
  });

  test("paid money with a lower priority value pays first, and promotional money the rest", async () => {
    const { bucket } = await billed(client, start, monthly("30.00"));
    await inGermany(bucket);
    await grant(bucket, money("11.00", { priority: 1 }));
    const promotional = await grant(bucket, money("50.00", { funding: "promotional" }));
    await moveTo(client, bucket, renewed);
    const [, invoice] = await invoicesOf(client, bucket);
    expect(linesOf(invoice)).toEqual([
      ["plan", "30.00"],
      ["credit", "-20.00"],
      ["tax", "1.00"],
    ]);
    expect(invoice).toMatchObject({ total: "11.00", fromCredits: "11.00", status: "paid" });
    expect(await balance(bucket, promotional.id)).toBe("30.00");
  });

  test("a higher maximum returns money that paid for usage within it", async () => {
    const { bucket, plan } = await billed(client, start, billedPlan);
    await grant(bucket, money("5.00"));
    await use(client, bucket, 130);
    await moveTo(client, bucket, later);
    expect((await ok(client.get(`${bucket}/customers/acme`))).balances).toEqual([{ currency: "EUR", amount: "2.00" }]);
    await ok(client.patch(`${bucket}/plans/${plan.id}`, { meters: { requests: { max: 120 } } }));
    await moveTo(client, bucket, renewed);
    const [invoice] = await invoicesOf(client, bucket);
    expect(invoice).toMatchObject({ total: "1.00", fromCredits: "1.00" });
    expect((await ok(client.get(`${bucket}/customers/acme`))).balances).toEqual([{ currency: "EUR", amount: "4.00" }]);
  });

  test("returned money keeps its funding, priority and expiry", async () => {
    const { bucket, plan } = await billed(client, start, billedPlan);
    const expiresOn = "2031-06-01T00:00:00.000Z";
    await grant(bucket, money("1.00", { priority: 1 }));
    await grant(bucket, money("5.00", { funding: "promotional", priority: 7, expiresOn }));
    await grant(bucket, money("5.00", { funding: "promotional", priority: 8 }));
    await use(client, bucket, 180);
    await moveTo(client, bucket, later);
    await ok(client.patch(`${bucket}/plans/${plan.id}`, { meters: { requests: { max: 140 } } }));
    await moveTo(client, bucket, "2031-01-11T00:00:00.000Z");
    const { data } = await ok(client.get(grantsOf(bucket)));
    const returned = data.slice(3).map(({ funding, priority, balance: left, expiresOn: until }: Grant) => ({
      ...{ funding, priority, left, until },
    }));
    expect(returned).toEqual([
      { funding: "promotional", priority: 8, left: "2.00", until: undefined },
      { funding: "promotional", priority: 7, left: "2.00", until: expiresOn },
    ]);
  });

  test("returned money that would have expired does", async () => {
    const { bucket, plan } = await billed(client, start, billedPlan);
    await grant(bucket, money("5.00", { funding: "promotional", expiresOn: later }));
    await use(client, bucket, 130);
    await moveTo(client, bucket, later);
    await ok(client.patch(`${bucket}/plans/${plan.id}`, { meters: { requests: { max: 120 } } }));
    await moveTo(client, bucket, "2031-01-11T00:00:00.000Z");
    const { data } = await ok(client.get(grantsOf(bucket)));
    expect(data[1]).toMatchObject({ amount: "2.00", balance: "0.00", status: "expired", funding: "promotional" });
    expect((await ok(client.get(`${bucket}/customers/acme`))).balances).toBeUndefined();
  });

  test("a lower plan does not make past usage consume credits", async () => {
    const { bucket, path } = await billed(client, start, blocked);
    const { planExternalId } = await ok(
      client.post(`${bucket}/plans`, {
        label: "Small",
        planExternalId: "small",
        ...monthly("0.00"),
        meters: { requests: { max: 10 } },
      }),
    );
    const { id } = await grant(bucket, units(10));
    await consume(path, 90);
    await ok(client.patch(path, { planExternalIds: [planExternalId] }));
    expect(await balance(bucket, id)).toBe(10);
    expect(await consume(path, 10)).toMatchObject({ allowed: true, meters: { requests: { credits: 0 } } });
    expect(await consume(path, 1)).toMatchObject({ allowed: false });
  });

  test("a voided invoice returns what grants paid of it", async () => {
    const { bucket } = await billed(client, start, monthly("30.00"));
    await grant(bucket, money("4.00", { funding: "promotional" }));
    await grant(bucket, money("5.00"));
    await moveTo(client, bucket, renewed);
    const [, invoice] = await invoicesOf(client, bucket);
    expect(invoice).toMatchObject({ status: "open", total: "26.00", amountDue: "21.00" });
    await ok(client.post(`${bucket}/invoices/${invoice.id}/$void`));
    const { data } = await ok(client.get(grantsOf(bucket)));
    expect(data.slice(2).map((each: Record<string, unknown>) => [each.funding, each.balance])).toEqual([
      ["paid", "5.00"],
      ["promotional", "4.00"],
    ]);
  });

  test("the rest of a fee does not pay for overage that was billed before", async () => {
    const { bucket, path } = await billed(client, start, { ...billedPlan, ...monthly("30.00") });
    await use(client, bucket, 150);
    await moveTo(client, bucket, renewed);
    const invoices = await invoicesOf(client, bucket);
    expect(invoices.map(({ total }) => total)).toEqual(["30.00", "35.00"]);
    await ok(client.post(`${bucket}/invoices/${invoices[1].id}/$mark-paid`));
    const { planExternalId } = await createPlan(client, bucket, blocked);
    await ok(client.patch(path, { planExternalIds: [planExternalId] }));
    await moveTo(client, bucket, "2031-02-03T00:00:00.000Z");
    const [rest] = (await ok(client.get(grantsOf(bucket)))).data;
    expect(rest).toMatchObject({ amount: "29.96", balance: "29.96", reason: "The unused rest of a fee" });
    expect(await entries(bucket, rest.id)).toEqual([["granted", "29.96", "29.96"]]);
  });

  test("money of a voided invoice keeps its priority and expiry", async () => {
    const { bucket } = await billed(client, start, { ...billedPlan, ...monthly("30.00") });
    const expiresOn = "2031-06-01T00:00:00.000Z";
    const shortLived = { funding: "promotional", priority: 7, expiresOn: "2031-02-10T00:00:00.000Z" };
    await grant(bucket, money("2.00", shortLived));
    await grant(bucket, money("4.00", { funding: "promotional", priority: 8, expiresOn }));
    await grant(bucket, money("5.00", { priority: 9, expiresOn }));
    await use(client, bucket, 130);
    await moveTo(client, bucket, renewed);
    const [, invoice] = await invoicesOf(client, bucket);
    expect(invoice).toMatchObject({ status: "open", total: "27.00", amountDue: "22.00" });
    await moveTo(client, bucket, "2031-02-11T00:00:00.000Z");
    await ok(client.post(`${bucket}/invoices/${invoice.id}/$void`));
    const { data } = await ok(client.get(grantsOf(bucket)));
    const returned = data.slice(3).map(({ funding, priority, amount, balance: left, expiresOn: until }: Grant) => ({
      ...{ funding, priority, amount, left, until },
    }));
    expect(returned).toHaveLength(3);
    for (const each of [
      { funding: "paid", priority: 9, amount: "5.00", left: "5.00", until: expiresOn },
      { funding: "promotional", priority: 8, amount: "4.00", left: "4.00", until: expiresOn },
      { funding: "promotional", priority: 7, amount: "2.00", left: "0.00", until: shortLived.expiresOn },
    ])
      expect(returned).toContainEqual(each);
  });

  test("a grant for a meter that no plan has comes with a warning", async () => {
    const { bucket } = await billed(client, start, { meters: { requests: { label: '"tokens":{', max: 1 } } });
    const unknown = await grant(bucket, { meter: "tokens", amount: 5, funding: "promotional" });
    const warning = "No plan of the bucket has the meter tokens: the grant pays for nothing.";
    expect(unknown).toMatchObject({ warning, balance: 5 });
    expect((await grant(bucket, units(5))).warning).toBeUndefined();
    expect((await grant(bucket, { meter: "max", amount: 5, funding: "promotional" })).warning).toContain("max");
    const warnings = async () =>
      (await ok(client.get(grantsOf(bucket)))).data.map((each: { warning?: string }) => each.warning !== undefined);
    expect(await warnings()).toEqual([true, false, true]);
    await createPlan(client, bucket, { meters: { tokens: { max: 1 } } });
    expect(await warnings()).toEqual([false, false, true]);
    expect((await ok(client.get(`${grantsOf(bucket)}/${unknown.id}`))).warning).toBeUndefined();
  });
});
