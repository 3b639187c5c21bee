import { beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import {
  billed,
  invoicesOf,
  linesOf,
  moveTo,
  ok,
  perUnit,
  rated,
  setProfile,
  use,
} from "../../../../../test/support/billing.ts";
import { cents } from "../../../../../test/support/billing-checks.ts";
import { eachEngine, sqlite } from "../../../../../test/support/engines.ts";
import { createPlan, record, subscribe, unique, usageEvent } from "../../../../../test/support/metering.ts";
import { PrepaidModel } from "../../../../../test/support/prepaid-model.ts";
import { useServer } from "../../../../../test/support/server.ts";
import { account } from "../../../../../test/support/server-settings.ts";

const start = "2031-01-01T00:00:00.000Z";
const renewed = "2031-02-01T01:00:00.000Z";

const prepaid = (unitAmount: string) => ({ ...perUnit(unitAmount), overage: "prepaid" });

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;

  beforeAll(async () => {
    await setProfile(client);
  });

  const consume = (path: string, requests: number, more: object = {}) =>
    ok(client.post(`${path}/quotas/consume`, { meters: { requests, ...more } }));
  const grant = (bucket: string, amount: string, more: object = {}) =>
    ok(client.post(`${bucket}/customers/acme/grants`, { currency: "EUR", amount, funding: "promotional", ...more }));
  const balances = async (bucket: string) =>
    (await ok(client.get(`${bucket}/customers/acme/grants`))).data.map(({ balance }: { balance: string }) => balance);
  const invoiceAt = async (bucket: string, now = renewed) => {
    await moveTo(client, bucket, now);
    return (await invoicesOf(client, bucket)).at(-1);
  };
  const rejected = { allowed: false, reason: "credit_exhausted" };

  test("usage beyond the maximum is allowed as far as money covers it", async () => {
    const { bucket, path } = await billed(client, start, rated(prepaid("0.10")));
    expect(await consume(path, 100)).toMatchObject({ allowed: true });
    expect(await consume(path, 1)).toMatchObject(rejected);
    await grant(bucket, "2.00");
    expect(await consume(path, 21)).toMatchObject(rejected);
    expect(await consume(path, 20)).toMatchObject({ allowed: true, meters: { requests: { used: 120 } } });
    expect(await consume(path, 1)).toMatchObject(rejected);
    expect(await balances(bucket)).toEqual(["0.00"]);
    await grant(bucket, "1.00");
    expect(await consume(path, 10)).toMatchObject({ allowed: true });
    expect(await consume(path, 1)).toMatchObject(rejected);
    const invoice = await invoiceAt(bucket);
    expect(linesOf(invoice)).toEqual([
      ["overage", "3.00"],
      ["credit", "-3.00"],
    ]);
    expect(invoice).toMatchObject({ total: "0.00", amountDue: "0.00", status: "paid" });
    expect(invoice.writtenOff).toBeUndefined();
  });

  test("money does not pay for usage in a trial, also long after it", async () => {
    const trial = { status: "trialing", trialStartDate: start, trialEndDate: "2031-03-02T00:00:00.000Z" };
    const { bucket } = await billed(client, start, rated(prepaid("0.10")), trial);
    await grant(bucket, "50.00");
    await use(client, bucket, 150);
    await moveTo(client, bucket, "2031-06-01T02:00:00.000Z");
    expect(await balances(bucket)).toEqual(["50.00"]);
  });

  test("money covers the exact price of events, and the rest is written off", async () => {
    const { bucket } = await billed(client, start, rated(prepaid("0.10")));
    await grant(bucket, "2.00");
    await use(client, bucket, 150);
    expect(await balances(bucket)).toEqual(["0.00"]);
    // A later grant does not pay for usage before it.
    await grant(bucket, "7.00");
    expect(await balances(bucket)).toEqual(["0.00", "7.00"]);
    await use(client, bucket, 10);
    expect(await balances(bucket)).toEqual(["0.00", "6.00"]);
    const invoice = await invoiceAt(bucket);
    expect(linesOf(invoice)).toEqual([
      ["overage", "6.00"],
      ["credit", "-3.00"],
      ["credit", "-3.00"],
    ]);
    expect(invoice).toMatchObject({ writtenOff: "3.00", total: "0.00", status: "paid" });
    expect(await balances(bucket)).toEqual(["0.00", "6.00"]);
  });

  test("without grants, events beyond the maximum are written off, and a later grant does not pay for them", async () => {
    const { bucket, path } = await billed(client, start, rated(prepaid("0.10")));
    await use(client, bucket, 150);
    expect(await consume(path, 1)).toMatchObject(rejected);
    const invoice = await invoiceAt(bucket);
    expect(linesOf(invoice)).toEqual([
      ["overage", "5.00"],
      ["credit", "-5.00"],
    ]);
    expect(invoice).toMatchObject({ writtenOff: "5.00", total: "0.00" });
    await grant(bucket, "9.00");
    // Late usage of the former period, and usage of this one.
    await use(client, bucket, 10, "2031-01-15T00:00:00.000Z");
    expect(await balances(bucket)).toEqual(["8.00"]);
    await use(client, bucket, 110);
    expect(await balances(bucket)).toEqual(["7.00"]);
    const next = await invoiceAt(bucket, "2031-03-01T01:00:00.000Z");
    expect(next).toMatchObject({ total: "0.00" });
    expect(next.writtenOff).toBeUndefined();
    // After more than 35 days, what is left still covers it.
    await moveTo(client, bucket, "2031-05-15T00:00:00.000Z");
    await use(client, bucket, 75, "2031-02-15T00:00:00.000Z");
    const last = await invoiceAt(bucket, "2031-06-01T01:00:00.000Z");
    expect(last).toMatchObject({ total: "0.00", writtenOff: "0.50" });
    expect(await balances(bucket)).toEqual(["0.00"]);
  });

  test("fractions of a minor unit are not free", async () => {
    const { bucket, path } = await billed(client, start, rated(prepaid("0.001"), { max: 0 }));
    expect(await consume(path, 1)).toMatchObject(rejected);
    await grant(bucket, "0.01");
    expect(await consume(path, 3)).toMatchObject({ allowed: true });
    expect(await consume(path, 7)).toMatchObject({ allowed: true });
    expect(await consume(path, 1)).toMatchObject(rejected);
    expect(await invoiceAt(bucket)).toMatchObject({ total: "0.00" });
    expect(await balances(bucket)).toEqual(["0.00"]);
  });

  test("meter grants come first, and money of another currency, expired or used for a fee covers nothing", async () => {
    const { bucket, path } = await billed(client, start, rated(prepaid("0.10"), { amount: "3.00" }));
    const [fee] = await invoicesOf(client, bucket);
    await ok(client.post(`${bucket}/invoices/${fee.id}/$mark-paid`, {}));
    await ok(client.post(`${bucket}/customers/acme/grants`, { meter: "requests", amount: 5, funding: "promotional" }));
    await grant(bucket, "9.00", { currency: "USD" });
    expect(await consume(path, 106)).toMatchObject(rejected);
    expect(await consume(path, 105)).toMatchObject({ allowed: true });
    await grant(bucket, "1.00", { expiresOn: "2031-01-10T00:00:00.000Z" });
    expect(await consume(path, 4)).toMatchObject({ allowed: true });
    await moveTo(client, bucket, "2031-01-10T00:00:00.000Z");
    expect(await consume(path, 1)).toMatchObject(rejected);
    await moveTo(client, bucket, "2031-01-31T23:00:00.000Z");
    await grant(bucket, "4.00");
    await moveTo(client, bucket, renewed);
    // The fee of the renewal took three.
    expect(await consume(path, 111)).toMatchObject(rejected);
    expect(await consume(path, 110)).toMatchObject({ allowed: true });
  });

  test("in a trial it acts as block, and money pays nothing", async () => {
    const trial = { status: "trialing", trialStartDate: start, trialEndDate: "2031-01-10T00:00:00.000Z" };
    const { bucket, path } = await billed(client, start, rated(prepaid("0.10")), trial);
    await grant(bucket, "5.00");
    const response = await consume(path, 101);
    expect(response).toMatchObject({ allowed: false });
    expect(response.reason).toBeUndefined();
    await use(client, bucket, 120);
    await moveTo(client, bucket, "2031-01-10T00:00:00.000Z");
    expect(await balances(bucket)).toEqual(["5.00"]);
    expect(await consume(path, 50)).toMatchObject({ allowed: true });
    expect(await consume(path, 1)).toMatchObject(rejected);
    expect(await balances(bucket)).toEqual(["0.00"]);
  });

  test("caps limit it before money does", async () => {
    const { bucket, path } = await billed(client, start, rated(prepaid("0.10")));
    await grant(bucket, "9.00");
    await ok(client.patch(`${bucket}/customers/acme`, { spendCap: { amount: "1.00", action: "block" } }));
    expect(await consume(path, 110)).toMatchObject({ allowed: true });
    expect(await consume(path, 1)).toMatchObject({ allowed: false, reason: "spend_cap_reached" });
    await use(client, bucket, 30);
    expect(await balances(bucket)).toEqual(["8.00"]);
    await ok(client.patch(`${bucket}/customers/acme`, { spendCap: null }));
    expect(await consume(path, 80)).toMatchObject({ allowed: true });
    expect(await consume(path, 1)).toMatchObject(rejected);
    const invoice = await invoiceAt(bucket);
    expect(invoice).toMatchObject({ writtenOff: "3.00", total: "0.00" });
    expect(await balances(bucket)).toEqual(["0.00"]);
  });

  test("beside a billed meter, prepaid usage has the money first, and what it cannot cover is not billed", async () => {
    const plan = {
      ...rated(prepaid("0.10"), { max: 0 }),
      meters: { requests: { max: 0 }, tokens: { max: 0 } },
      rates: { requests: prepaid("0.10"), tokens: perUnit("1.00") },
    };
    const { bucket, path } = await billed(client, start, plan);
    await grant(bucket, "3.00");
    expect(await consume(path, 20, { tokens: 2 })).toMatchObject({ allowed: true });
    expect(await balances(bucket)).toEqual(["0.00"]);
    expect(await ok(client.post(`${path}/quotas/consume`, { meters: { tokens: 1 } }))).toMatchObject({ allowed: true });
    expect(await consume(path, 1)).toMatchObject(rejected);
    await moveTo(client, bucket, "2031-01-02T00:00:00.000Z");
    await record(client, bucket, usageEvent({ requests: 10 }));
    const invoice = await invoiceAt(bucket);
    expect(invoice).toMatchObject({ writtenOff: "1.00", total: "2.00", amountDue: "2.00" });
  });

  test("a change of plans keeps what was covered, and ends what was prepaid", async () => {
    const { bucket, path } = await billed(client, start, rated(prepaid("0.10"), { max: 10 }));
    const { planExternalId } = await createPlan(client, bucket, rated("0.20", { max: 10, amount: "1.00" }));
    await grant(bucket, "1.00", { funding: "paid" });
    await use(client, bucket, 30);
    await ok(client.post(`${path}/$change`, { planExternalIds: [planExternalId], timing: "now" }));
    expect(await consume(path, 5)).toMatchObject({ allowed: true });
    await moveTo(client, bucket, renewed);
    const invoices = await invoicesOf(client, bucket);
    const overage = invoices.find(({ lines }) => lines.some(({ kind }: { kind: string }) => kind === "overage"));
    expect(overage).toMatchObject({ writtenOff: "1.00", fromCredits: "1.00", total: "3.00", amountDue: "2.00" });
  });

  test("only the newest active subscription of a customer uses money for it", async () => {
    const { bucket, path, plan } = await billed(client, start, rated(prepaid("0.10"), { max: 10 }));
    await grant(bucket, "1.00");
    const { id } = await subscribe(client, bucket, [plan], { subscriptionExternalId: unique("sub") });
    expect(await consume(path, 11)).toMatchObject(rejected);
    expect(await consume(`${bucket}/subscriptions/${id}`, 20)).toMatchObject({ allowed: true });
  });

  test("a volume rate that gets cheaper returns money, and first reduces what was written off", async () => {
    const tiers = [
      { upTo: 10, unitAmount: "1.00" },
      { upTo: null, unitAmount: "0.10" },
    ];
    const rate = { overage: "prepaid", tierMode: "volume", tiers };
    const { bucket } = await billed(client, start, rated(rate, { max: 0 }));
    await grant(bucket, "6.00");
    await use(client, bucket, 10);
    expect(await balances(bucket)).toEqual(["0.00"]);
    await use(client, bucket, 10);
    // Twenty units cost 2.00.
    const invoice = await invoiceAt(bucket);
    expect(invoice).toMatchObject({ total: "0.00" });
    expect(invoice.writtenOff).toBeUndefined();
    expect((await ok(client.get(`${bucket}/customers/acme`))).balances).toEqual([{ currency: "EUR", amount: "4.00" }]);
  });

  const late = "2031-01-15T00:00:00.000Z";
  const takeBack = ({ source, id }: { source: string; id: string }, bucket: string) =>
    ok(client.post(`${bucket}/events/$void`, { source, id, reason: "Sent twice" }));
  const send = async (bucket: string, requests: number, more: object = {}) => {
    const event = usageEvent({ requests }, more);
    expect(await record(client, bucket, event)).toMatchObject({ accepted: 1 });
    return event;
  };
  const money = async (bucket: string) => {
    const { data } = await ok(client.get(`${bucket}/customers/acme/grants?limit=1000`));
    return data.reduce((sum: bigint, { balance }: { balance: string }) => sum + cents(balance), 0n);
  };

  test("taking back a late event returns what money paid of it, and not what was written off before it", async () => {
    for (const first of [36, 830]) {
      const { bucket } = await billed(client, start, rated(prepaid("0.1234"), { max: 30 }));
      await use(client, bucket, first);
      const writtenOff = first === 36 ? "0.74" : "98.72";
      expect(await invoiceAt(bucket)).toMatchObject({ writtenOff, status: "paid" });
      await grant(bucket, first === 36 ? "7.53" : "50.00");
      const event = await send(bucket, first === 36 ? 18 : 800, { time: late });
      expect(await money(bucket)).toBe(first === 36 ? 531n : 0n);
      await takeBack(event, bucket);
      expect(await money(bucket)).toBe(first === 36 ? 753n : 5_000n);
      await moveTo(client, bucket, "2031-03-01T01:00:00.000Z");
      expect(await invoicesOf(client, bucket)).toHaveLength(1);
      expect(await money(bucket)).toBe(first === 36 ? 753n : 5_000n);
    }
  });

  test("no grant pays for what was written off before it, when an event is taken back in the same period", async () => {
    const { bucket, path } = await billed(client, start, rated(prepaid("0.10"), { max: 0 }));
    await use(client, bucket, 10);
    await grant(bucket, "5.00");
    const event = await send(bucket, 45);
    // Half of it is paid, and the rest is written off.
    await use(client, bucket, 10);
    expect(await money(bucket)).toBe(0n);
    await takeBack(event, bucket);
    expect(await money(bucket)).toBe(400n);
    expect(await consume(path, 41)).toMatchObject(rejected);
    expect(await consume(path, 40)).toMatchObject({ allowed: true });
    expect(await invoiceAt(bucket)).toMatchObject({ writtenOff: "1.00", total: "0.00", status: "paid" });
  });

  test("what an invoice shows is returned with the next one, unless usage takes its place", async () => {
    const { bucket } = await billed(client, start, rated(prepaid("0.10"), { max: 0 }));
    await grant(bucket, "4.00");
    const first = await send(bucket, 30);
    await invoiceAt(bucket);
    const second = await send(bucket, 40, { time: late });
    const third = await send(bucket, 20, { time: late });
    // Of 9.00, money pays 4.00.
    expect(await invoiceAt(bucket, "2031-03-01T01:00:00.000Z")).toMatchObject({ writtenOff: "5.00" });
    await takeBack(second, bucket);
    await takeBack(third, bucket);
    expect(await money(bucket)).toBe(0n);
    await use(client, bucket, 5, late);
    expect(await money(bucket)).toBe(0n);
    await takeBack(first, bucket);
    await moveTo(client, bucket, "2031-04-01T01:00:00.000Z");
    expect(await money(bucket)).toBe(350n);
  });

  test("whatever is taken back, the latest is undone first", async () => {
    const hours = 60 * 60 * 1000;
    const step = fc.oneof(
      fc.record({ kind: fc.constant("advance" as const), hours: fc.integer({ min: 1, max: 600 }) }),
      {
        weight: 3,
        arbitrary: fc.record({
          kind: fc.constant("event" as const),
          units: fc.integer({ min: 1, max: 90 }),
          late: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 700 })),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({ kind: fc.constant("grant" as const), cents: fc.integer({ min: 1, max: 900 }) }),
      },
      { weight: 3, arbitrary: fc.record({ kind: fc.constant("take-back" as const), which: fc.nat({ max: 20 }) }) },
    );
    const steps = fc.array(step, { minLength: 8, maxLength: 30, size: "max" });
    const runs = fc.asyncProperty(fc.nat({ max: 30 }), steps, async (max, steps) => {
      const { bucket } = await billed(client, start, rated(prepaid("0.1234"), { max }));
      const model = new PrepaidModel(Date.parse(start), max, 12_340n);
      const events: { event: Awaited<ReturnType<typeof send>>; time: number; units: number }[] = [];
      let now = Date.parse(start);
      const move = async (to: number) => {
        now = to;
        await moveTo(client, bucket, new Date(now).toISOString());
        model.advance(now);
      };
      for (const each of steps) {
        if (each.kind === "advance") await move(now + each.hours * hours);
        else if (each.kind === "grant") {
          await grant(bucket, (each.cents / 100).toFixed(2));
          model.money += BigInt(each.cents);
        } else if (each.kind === "event") {
          const time = Math.max(Date.parse(start), now - each.late * hours);
          const event = await send(bucket, each.units, { time: new Date(time).toISOString() });
          events.push({ event, time, units: each.units });
          model.use(time, each.units);
        } else {
          const taken = events[each.which];
          // Later it is compared with money by the next invoice.
          if (!taken || model.periodEnd(taken.time) <= now - 34 * 24 * hours) continue;
          await takeBack(taken.event, bucket);
          model.use(taken.time, -taken.units);
          taken.units = 0;
        }
        expect(await money(bucket)).toBe(model.money);
      }
      await move(now + 60 * 24 * hours);
      expect(await money(bucket)).toBe(model.money);
      for (const { total } of await invoicesOf(client, bucket)) expect(total).toBe("0.00");
    });
    await fc.assert(runs, { numRuns: engine === sqlite ? 10 : 3 });
  });

  test("a prepaid rate needs tiers", async () => {
    const bucket = `/v1/metering/${(await ok(client.post("/v1/metering", {}))).id}`;
    const plan = { label: "P", planExternalId: unique("plan"), ...rated({ overage: "prepaid" }) };
    const response = await client.post(`${bucket}/plans`, plan);
    expect(response).toMatchObject({ status: 400 });
    expect(response.text).toContain("is required for prepaid");
    expect((await ok(client.get(`${bucket}/plans`))).data).toEqual([]);
  });

  test("verify-key rejects with credit_exhausted, and holds what money covers", async () => {
    const { bucket } = await billed(client, start, rated(prepaid("0.10"), { max: 1 }), {});
    const keys = `/v1/accounts/${account}/key-buckets`;
    const name = unique("keys");
    await ok(client.post(keys, { name }));
    const consumer = await ok(client.post(`${keys}/${name}/consumers`, { name: "acme" }));
    const { key } = await ok(client.post(`${keys}/${name}/consumers/${consumer.name}/keys`, {}));
    const bucketId = bucket.split("/").at(-1);
    const verify = (more: object) => ok(client.post(`${keys}/${name}/verify-key`, { key, ...more }));
    const meters = { requests: 2 };
    const code = { valid: false, code: "credit_exhausted" };
    expect(await verify({ consume: { bucketId, meters } })).toMatchObject(code);
    await grant(bucket, "0.30");
    const { holdId } = await verify({ hold: { bucketId, meters: { requests: 4 } } });
    expect(await verify({ consume: { bucketId, meters: { requests: 1 } } })).toMatchObject(code);
    await ok(client.post(`${bucket}/holds/${holdId}/$settle`, { meters }));
    expect(await verify({ consume: { bucketId, meters } })).toMatchObject({ valid: true });
    expect(await verify({ hold: { bucketId, meters: { requests: 1 } } })).toMatchObject(code);
  });
});
