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
import { eachEngine } from "../../../../../test/support/engines.ts";
import { createPlan, record, subscribe, unique, usageEvent } from "../../../../../test/support/metering.ts";
import { useServer } from "../../../../../test/support/server.ts";
import { account } from "../../../../../test/support/server-settings.ts";

const start = "2031-01-01T00:00:00.000Z";
const renewed = "2031-02-01T00:00:00.000Z";
const granted = "2031-02-01T01:00:00.000Z";
const secondRenewal = "2031-03-01T00:00:00.000Z";
const inJanuary = "2031-01-20T00:00:00.000Z";
const source = "rollover";

/** A plan with 100 requests that carries some of them over. */
const carrying = (maximum: number, more: object = {}, periods?: number) => ({
  ...monthly("0.00"),
  rollover: { requests: { maximum, ...(periods === undefined ? {} : { periods }) } },
  ...more,
});

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;

  beforeAll(async () => {
    await setProfile(client, { termsDays: 90 });
  });

  const grants = async (bucket: string) => (await ok(client.get(`${bucket}/customers/acme/grants`))).data;
  /** Amount, balance and status of each grant. */
  const shown = async (bucket: string) =>
    (await grants(bucket)).map(({ amount, balance, status }: Record<string, unknown>) => [amount, balance, status]);
  const entries = async (bucket: string) => {
    const [{ id }] = await grants(bucket);
    const { data } = await ok(client.get(`${bucket}/customers/acme/grants/${id}/entries`));
    return data.map(({ kind, amount, balance }: Record<string, unknown>) => [kind, amount, balance]);
  };
  const markPaid = async (bucket: string, index = 0) => {
    const invoice = (await invoicesOf(client, bucket))[index]!;
    return ok(client.post(`${bucket}/invoices/${invoice.id}/$mark-paid`, {}));
  };
  const credit = (bucket: string, invoice: { id: string }, amount: string, line?: number) => {
    const lines = [{ description: "Returned", amount, ...(line === undefined ? {} : { line }) }];
    return ok(client.post(`${bucket}/invoices/${invoice.id}/$credit`, { lines }));
  };
  const event = async (bucket: string, requests: number, time?: string) => {
    const id = unique("rollover");
    await record(client, bucket, usageEvent({ requests }, { id, source, ...(time === undefined ? {} : { time }) }));
    return id;
  };
  const takeBack = (bucket: string, id: string) =>
    ok(client.post(`${bucket}/events/$void`, { source, id, reason: "wrong" }));

  test("an hour after a renewal, unused units become a grant that expires and is not carried over again", async () => {
    const { bucket, path } = await billed(client, start, carrying(30));
    await use(client, bucket, 20);
    await moveTo(client, bucket, "2031-02-01T00:59:59.999Z");
    expect(await grants(bucket)).toEqual([]);
    await moveTo(client, bucket, granted);
    expect(await grants(bucket)).toMatchObject([
      {
        meter: "requests",
        amount: 30,
        balance: 30,
        funding: "promotional",
        priority: 50,
        status: "active",
        reason: "Carried over from Gold",
        effectiveOn: granted,
        expiresOn: secondRenewal,
        createdOn: granted,
      },
    ]);
    expect((await ok(client.get(`${path}/usage`))).meters.requests).toMatchObject({ available: 100, credits: 30 });
    const consume = (requests: number) => ok(client.post(`${path}/quotas/consume`, { meters: { requests } }));
    expect(await consume(131)).toMatchObject({ allowed: false });
    expect(await consume(110)).toMatchObject({ allowed: true });
    expect(await shown(bucket)).toEqual([[30, 20, "active"]]);
    // February left nothing unused of its own units, whatever is left of those of January.
    await moveTo(client, bucket, "2031-03-01T01:00:00.000Z");
    expect(await shown(bucket)).toEqual([[30, 0, "expired"]]);
    expect(await entries(bucket)).toEqual([
      ["granted", 30, 30],
      ["consumed", -10, 20],
      ["expired", -20, 0],
    ]);
    await use(client, bucket, 95);
    await moveTo(client, bucket, "2031-04-01T01:00:00.000Z");
    expect((await shown(bucket)).at(-1)).toEqual([5, 5, "active"]);
    const log = await ok(client.get(`/v1/accounts/${account}/audit-log?action=grant.created&limit=1`));
    expect(log.data).toMatchObject([{ actor: { type: "system" }, resource: { type: "grant", name: "acme" } }]);
  });

  test("periods count from the renewal", async () => {
    const { bucket } = await billed(client, start, carrying(30, {}, 3));
    await moveTo(client, bucket, granted);
    expect(await grants(bucket)).toMatchObject([{ amount: 30, expiresOn: "2031-05-01T00:00:00.000Z" }]);
    await moveTo(client, bucket, "2031-03-01T01:00:00.000Z");
    expect(await shown(bucket)).toEqual([
      [30, 30, "active"],
      [30, 30, "active"],
    ]);
    await use(client, bucket, 140);
    // The first to expire is used first.
    expect(await shown(bucket)).toEqual([
      [30, 0, "depleted"],
      [30, 20, "active"],
    ]);
  });

  test("a fee that is paid late delays the grant, and not its expiry", async () => {
    const { bucket } = await billed(client, start, carrying(30, monthly("10.00")));
    await moveTo(client, bucket, "2031-02-10T12:00:00.000Z");
    expect(await grants(bucket)).toEqual([]);
    await use(client, bucket, 120);
    // The fee of February does not matter for January.
    await markPaid(bucket, 1);
    expect(await grants(bucket)).toEqual([]);
    await markPaid(bucket, 0);
    const paidLate = { effectiveOn: "2031-02-10T12:00:00.000Z", expiresOn: secondRenewal };
    // It does not cover the usage before it.
    expect(await grants(bucket)).toMatchObject([{ amount: 30, balance: 30, ...paidLate }]);
    await use(client, bucket, 5);
    expect(await shown(bucket)).toEqual([[30, 25, "active"]]);
  });

  test("a fee that is paid within the hour delays nothing, and one that is paid after the expiry grants nothing", async () => {
    const { bucket } = await billed(client, start, carrying(30, monthly("10.00")));
    await moveTo(client, bucket, "2031-02-01T00:30:00.000Z");
    await markPaid(bucket);
    expect(await grants(bucket)).toEqual([]);
    await moveTo(client, bucket, granted);
    expect(await grants(bucket)).toMatchObject([{ amount: 30, effectiveOn: granted }]);
    await moveTo(client, bucket, "2031-04-02T00:00:00.000Z");
    await markPaid(bucket, 1);
    await moveTo(client, bucket, "2031-04-02T01:00:00.000Z");
    expect(await shown(bucket)).toEqual([[30, 0, "expired"]]);
  });

  test("late usage lowers the grant, but not below what was used of it", async () => {
    const { bucket } = await billed(client, start, carrying(60));
    await moveTo(client, bucket, granted);
    expect(await shown(bucket)).toEqual([[60, 60, "active"]]);
    await use(client, bucket, 30, inJanuary);
    expect(await shown(bucket)).toEqual([[60, 60, "active"]]);
    await use(client, bucket, 30, inJanuary);
    expect(await shown(bucket)).toEqual([[40, 40, "active"]]);
    await use(client, bucket, 125);
    expect(await shown(bucket)).toEqual([[40, 15, "active"]]);
    await use(client, bucket, 30, inJanuary);
    expect(await shown(bucket)).toEqual([[25, 0, "depleted"]]);
    // Beyond the allowance of January: what is carried over does not cover it.
    await use(client, bucket, 90, inJanuary);
    await moveTo(client, bucket, "2031-02-02T00:00:00.000Z");
    expect(await shown(bucket)).toEqual([[25, 0, "depleted"]]);
    expect(await entries(bucket)).toEqual([
      ["granted", 60, 60],
      ["consumed", -25, 35],
      ["adjusted", -35, 0],
    ]);
  });

  test("an event that is taken back raises the grant, also from nothing", async () => {
    const { bucket } = await billed(client, start, carrying(60));
    const large = await event(bucket, 90);
    const all = await event(bucket, 10);
    await moveTo(client, bucket, granted);
    expect(await grants(bucket)).toEqual([]);
    await takeBack(bucket, all);
    expect(await grants(bucket)).toMatchObject([{ amount: 10, balance: 10, effectiveOn: granted }]);
    const covered = await event(bucket, 104);
    await takeBack(bucket, large);
    expect(await shown(bucket)).toEqual([[60, 56, "active"]]);
    // Units that are returned belong to the rollover: late usage takes them back too.
    await takeBack(bucket, covered);
    expect(await shown(bucket)).toEqual([
      [60, 56, "active"],
      [4, 4, "active"],
    ]);
    await use(client, bucket, 98, inJanuary);
    await moveTo(client, bucket, "2031-02-01T02:00:00.000Z");
    expect(await shown(bucket)).toEqual([
      [4, 0, "depleted"],
      [2, 2, "active"],
    ]);
  });

  test("a fee that is returned voids what is left, and a part of it does not", async () => {
    const { bucket } = await billed(client, start, carrying(60, monthly("10.00")));
    const invoice = await markPaid(bucket);
    await moveTo(client, bucket, granted);
    await credit(bucket, invoice, "4.00", 0);
    expect((await shown(bucket))[0]).toEqual([60, 60, "active"]);
    const covered = await event(bucket, 120);
    await credit(bucket, invoice, "6.00", 0);
    expect(await shown(bucket)).toEqual([
      [60, 0, "voided"],
      ["4.00", "4.00", "active"],
      ["6.00", "6.00", "active"],
    ]);
    expect((await entries(bucket)).slice(1)).toEqual([
      ["consumed", -20, 40],
      ["voided", -40, 0],
    ]);
    // Units that covered usage which is taken back later are void at once.
    await takeBack(bucket, covered);
    expect((await shown(bucket)).filter(([, , status]: unknown[]) => status !== "active")).toEqual([
      [60, 0, "voided"],
      [20, 0, "voided"],
    ]);
    await use(client, bucket, 10, inJanuary);
    await moveTo(client, bucket, "2031-02-02T00:00:00.000Z");
    expect((await shown(bucket))[0]).toEqual([60, 0, "voided"]);
  });

  test("a fee that is returned or voided before grants nothing", async () => {
    const returned = await billed(client, start, carrying(60, monthly("10.00")));
    const invoice = await markPaid(returned.bucket);
    await moveTo(client, returned.bucket, renewed);
    await credit(returned.bucket, invoice, "10.00");
    const voided = await billed(client, start, carrying(60, monthly("10.00")));
    const [open] = await invoicesOf(client, voided.bucket);
    await ok(client.post(`${voided.bucket}/invoices/${open!.id}/$void`, {}));
    for (const { bucket } of [returned, voided]) {
      await moveTo(client, bucket, "2031-02-20T00:00:00.000Z");
      expect((await grants(bucket)).filter(({ meter }: { meter?: string }) => meter)).toEqual([]);
    }
  });

  test("only a renewal carries over: not a cancellation, nor a trial", async () => {
    const canceled = await billed(client, start, carrying(60));
    await ok(client.post(`${canceled.path}/$cancel`, {}));
    const trial = await billed(client, start, carrying(60, { trialDays: 31 }), { status: "trialing" });
    for (const { bucket } of [canceled, trial]) {
      await moveTo(client, bucket, "2031-02-20T00:00:00.000Z");
      expect(await grants(bucket)).toEqual([]);
    }
    // The first paid period does.
    await moveTo(client, trial.bucket, "2031-03-01T01:00:00.000Z");
    expect(await shown(trial.bucket)).toEqual([[60, 60, "active"]]);
  });

  test("a change of plans at the renewal carries over under the ending terms", async () => {
    const { bucket, path } = await billed(client, start, carrying(60));
    const { planExternalId } = await createPlan(client, bucket, {
      ...monthly("0.00"),
      meters: { requests: { max: 5 } },
    });
    await ok(client.post(`${path}/$change`, { planExternalIds: [planExternalId], timing: "period-end" }));
    await use(client, bucket, 70);
    await moveTo(client, bucket, granted);
    expect(await shown(bucket)).toEqual([[30, 30, "active"]]);
    await use(client, bucket, 10);
    expect(await shown(bucket)).toEqual([[30, 25, "active"]]);
    await moveTo(client, bucket, "2031-03-01T02:00:00.000Z");
    expect(await shown(bucket)).toEqual([[30, 0, "expired"]]);
  });

  test("a changed rollover applies from the next period, a higher maximum at once", async () => {
    const { bucket, plan } = await billed(client, start, carrying(60));
    await moveTo(client, bucket, "2031-01-10T00:00:00.000Z");
    const change = { rollover: { requests: { maximum: 500, periods: 2 } }, meters: { requests: { max: 150 } } };
    await ok(client.patch(`${bucket}/plans/${plan.id}`, change));
    await use(client, bucket, 110);
    await moveTo(client, bucket, granted);
    expect(await grants(bucket)).toMatchObject([{ amount: 40, expiresOn: secondRenewal }]);
    await ok(client.patch(`${bucket}/plans/${plan.id}`, { rollover: null }));
    await moveTo(client, bucket, "2031-03-01T01:00:00.000Z");
    expect((await grants(bucket)).at(-1)).toMatchObject({ amount: 150, expiresOn: "2031-05-01T00:00:00.000Z" });
    await moveTo(client, bucket, "2031-04-01T01:00:00.000Z");
    expect((await grants(bucket)).length).toBe(2);
  });

  test("what is carried over covers usage before it is billed or paid from money", async () => {
    for (const overage of ["bill", "prepaid"]) {
      const rates = { requests: { ...perUnit("0.10"), overage } };
      const { bucket } = await billed(client, start, carrying(30, { rates }));
      await moveTo(client, bucket, granted);
      const money = { currency: "EUR", amount: "9.00", funding: "promotional" };
      await ok(client.post(`${bucket}/customers/acme/grants`, money));
      await use(client, bucket, 150);
      expect(await shown(bucket)).toEqual([
        [30, 0, "depleted"],
        ["9.00", "7.00", "active"],
      ]);
      await moveTo(client, bucket, "2031-03-01T01:00:00.000Z");
      expect(linesOf((await invoicesOf(client, bucket)).at(-1))).toEqual([
        ["overage", "2.00"],
        ["credit", "-2.00"],
      ]);
      // The overage of February is not unused.
      expect((await shown(bucket)).length).toBe(2);
    }
  });

  test("a yearly fee carries over at each renewal of the quotas", async () => {
    const yearly = { price: { currency: "EUR", amount: "120.00", interval: "year" } };
    const { bucket } = await billed(client, start, carrying(60, yearly));
    await moveTo(client, bucket, granted);
    expect(await grants(bucket)).toEqual([]);
    const invoice = await markPaid(bucket);
    await moveTo(client, bucket, "2031-03-01T01:00:00.000Z");
    expect(await shown(bucket)).toEqual([
      [60, 0, "expired"],
      [60, 60, "active"],
    ]);
    await credit(bucket, invoice, "120.00");
    expect((await shown(bucket)).slice(0, 2)).toEqual([
      [60, 0, "expired"],
      [60, 0, "voided"],
    ]);
    await moveTo(client, bucket, "2031-04-01T01:00:00.000Z");
    expect((await grants(bucket)).filter(({ meter }: { meter?: string }) => meter).length).toBe(2);
  });

  test("plans of one subscription share what is left of a meter", async () => {
    const { bucket, plan, path } = await billed(client, start, carrying(40));
    const addOn = await createPlan(client, bucket, {
      ...carrying(500),
      label: "More",
      meters: { requests: { max: 50 }, bytes: { max: 7 } },
      rollover: { requests: { maximum: 500 }, bytes: { maximum: 3.5 } },
    });
    await ok(client.patch(path, { planExternalIds: [plan.planExternalId, addOn.planExternalId] }));
    await use(client, bucket, 80);
    await moveTo(client, bucket, granted);
    expect(await grants(bucket)).toMatchObject([
      { meter: "requests", amount: 40, reason: "Carried over from Gold" },
      { meter: "requests", amount: 30, reason: "Carried over from More" },
      { meter: "bytes", amount: 3.5 },
    ]);
    await use(client, bucket, 40, inJanuary);
    expect(await grants(bucket)).toMatchObject([{ amount: 30 }, { amount: 0, status: "depleted" }, { amount: 3.5 }]);
  });

  test("a voided grant stays void, and a deleted subscription keeps what was granted", async () => {
    const { bucket } = await billed(client, start, carrying(60));
    const other = await billed(client, start, carrying(60, monthly("10.00")));
    const invoice = await markPaid(other.bucket);
    for (const each of [bucket, other.bucket]) await moveTo(client, each, granted);
    const [{ id }] = await grants(bucket);
    await ok(client.post(`${bucket}/customers/acme/grants/${id}/$void`, {}));
    await event(bucket, 10, inJanuary);
    await moveTo(client, bucket, "2031-02-02T00:00:00.000Z");
    expect(await shown(bucket)).toEqual([[60, 0, "voided"]]);
    expect((await client.delete(other.path)).status).toBe(204);
    expect((await shown(other.bucket))[0]).toEqual([60, 60, "active"]);
    await credit(other.bucket, invoice, "10.00");
    expect((await shown(other.bucket))[0]).toEqual([60, 0, "voided"]);
  });

  test("two subscriptions of a customer carry over their own units", async () => {
    const { bucket, plan } = await billed(client, start, carrying(60));
    await subscribe(client, bucket, [plan]);
    await use(client, bucket, 50);
    await moveTo(client, bucket, granted);
    expect((await shown(bucket)).map(([amount]: unknown[]) => amount).sort()).toEqual([50, 60]);
  });
});
