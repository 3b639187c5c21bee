import { beforeAll, expect, test } from "bun:test";
import {
  billed,
  invoicesOf,
  moveTo,
  ok,
  perUnit,
  rated,
  setProfile,
  use,
} from "../../../../../test/support/billing.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { createPlan, record, unique, usageEvent } from "../../../../../test/support/metering.ts";
import { useServer } from "../../../../../test/support/server.ts";

const start = "2031-01-01T00:00:00.000Z";
const prepaid = { ...perUnit("0.10"), overage: "prepaid" };

// Usage is compared with credits each hour, and before anything else uses or adds credit.
eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;

  beforeAll(async () => {
    await setProfile(client);
  });

  /** Prepaid usage and a fee of 3.00 that is not paid. */
  async function scene() {
    const { bucket, path } = await billed(client, start, rated(prepaid, { max: 0, amount: "3.00" }));
    const [{ id }] = await invoicesOf(client, bucket);
    const invoice = () => ok(client.get(`${bucket}/invoices/${id}`));
    const act = (name: string, body?: object) => ok(client.post(`${bucket}/invoices/${id}/${name}`, body));
    const consume = (requests: number) => ok(client.post(`${path}/quotas/consume`, { meters: { requests } }));
    const grant = (amount: string) =>
      ok(client.post(`${bucket}/customers/acme/grants`, { currency: "EUR", amount, funding: "paid" }));
    const balance = async () =>
      (await ok(client.get(`${bucket}/customers/acme/grants`))).data
        .map((each: { balance: string }) => Number(each.balance))
        .reduce((sum: number, each: number) => sum + each, 0);
    const writtenOff = async () => {
      await moveTo(client, bucket, "2031-02-01T01:00:00.000Z");
      return (await invoicesOf(client, bucket)).map((each) => each.writtenOff).filter(Boolean);
    };
    return { bucket, invoice, act, consume, grant, balance, writtenOff };
  }

  test("$collect does not take money that prepaid requests have used", async () => {
    const { invoice, act, consume, grant, balance, writtenOff } = await scene();
    await grant("5.00");
    expect(await consume(40)).toMatchObject({ allowed: true });
    await act("$collect");
    expect(await invoice()).toMatchObject({ amountDue: "2.00", fromCredits: "1.00" });
    expect(await balance()).toBe(0);
    expect(await writtenOff()).toEqual([]);
  });

  test("money of an invoice that is voided does not pay for usage before that", async () => {
    const { bucket, invoice, act, grant, balance } = await scene();
    await grant("1.00");
    await act("$collect");
    expect(await invoice()).toMatchObject({ amountDue: "2.00", fromCredits: "1.00" });
    await use(client, bucket, 10);
    await act("$void");
    expect(await balance()).toBe(1);
    await moveTo(client, bucket, "2031-01-01T02:00:00.000Z");
    expect(await balance()).toBe(1);
  });

  /** A cap of 0.80, and 5.00 as a gift, of which usage costs 0.10 for each request or call. */
  async function capped(rate: object) {
    const plan = { ...rated(rate, { max: 0 }), meters: { requests: { max: 0 }, calls: { max: 0 } } };
    const scene = await billed(client, start, { ...plan, rates: { requests: rate, calls: rate } });
    const { bucket } = scene;
    const customer = `${bucket}/customers/acme`;
    await ok(client.post(`${customer}/grants`, { currency: "EUR", amount: "5.00", funding: "promotional" }));
    await ok(client.patch(customer, { spendCap: { amount: "0.80", action: "block" } }));
    const money = async () => {
      const { data } = await ok(client.get(`${customer}/grants`));
      return data.map((each: { funding: string; balance: string }) => [each.funding, each.balance]);
    };
    const totals = async () => (await invoicesOf(client, bucket)).map(({ total }) => total);
    return { ...scene, plan, money, totals };
  }

  test.each(["prepaid", "bill"])("under a cap, usage of one meter leaves another what it paid: %s", async (overage) => {
    const { bucket, money, totals } = await capped({ ...perUnit("0.10"), overage });
    await record(client, bucket, usageEvent({ requests: 5 }));
    await record(client, bucket, usageEvent({ calls: 3 }));
    await moveTo(client, bucket, "2031-01-01T01:00:00.000Z");
    await record(client, bucket, usageEvent({ requests: 1 }));
    await record(client, bucket, usageEvent({ calls: 1 }));
    await moveTo(client, bucket, "2031-02-01T01:00:00.000Z");
    expect(await money()).toEqual([["promotional", "4.20"]]);
    expect(await totals()).toEqual(["0.00"]);
  });

  test("under a cap, late usage before a change of plans leaves what was invoiced after it", async () => {
    const { bucket, path, plan, money, totals } = await capped(perUnit("0.10"));
    const other = await createPlan(client, bucket, { ...plan, planExternalId: unique("other") });
    await use(client, bucket, 5);
    await moveTo(client, bucket, "2031-01-10T00:00:00.000Z");
    await ok(client.post(`${path}/$change`, { planExternalIds: [other.planExternalId], timing: "now" }));
    await use(client, bucket, 3);
    await moveTo(client, bucket, "2031-01-20T00:00:00.000Z");
    await ok(client.post(`${path}/$cancel`, { timing: "now" }));
    await moveTo(client, bucket, "2031-01-20T01:00:00.000Z");
    await use(client, bucket, 1, "2031-01-05T00:00:00.000Z");
    await moveTo(client, bucket, "2031-01-20T04:00:00.000Z");
    expect(await money()).toEqual([["promotional", "4.20"]]);
    expect(new Set(await totals())).toEqual(new Set(["0.00"]));
  });

  test("money of a credit note does not pay for usage before that", async () => {
    const { bucket, act, balance } = await scene();
    await act("$mark-paid", {});
    await use(client, bucket, 10);
    await act("$credit", { lines: [{ description: "Outage", amount: "2.00" }] });
    await moveTo(client, bucket, "2031-01-01T02:00:00.000Z");
    expect(await balance()).toBe(2);
  });
});
