import { afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
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
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { createPlan, record, subscribe, subscribed, usageEvent } from "../../../../../test/support/metering.ts";
import { useServer } from "../../../../../test/support/server.ts";
import { account } from "../../../../../test/support/server-settings.ts";
import { until } from "../../../../../test/support/until.ts";
import { useWebhookReceiver } from "../../../../../test/support/webhook-receiver.ts";

const start = "2031-01-01T00:00:00.000Z";
const renewed = "2031-02-01T01:00:00.000Z";
const webhooks = `/v1/accounts/${account}/webhooks`;

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;
  const receiver = useWebhookReceiver();
  let hook: { id: string };

  beforeAll(async () => {
    await setProfile(client);
  });
  beforeEach(async () => {
    receiver.received.length = 0;
    hook = await ok(client.post(webhooks, { url: receiver.url(), events: ["spend.*"] }));
  });
  afterEach(() => client.delete(`${webhooks}/${hook.id}`));

  /** The events of a bucket: those of the test before may arrive late. */
  const thresholdsOf = (bucket: string) =>
    receiver
      .ofType("spend.threshold")
      .map(({ message }) => message.data)
      .filter((data) => bucket.endsWith(data.bucket.id));

  const plan = { ...monthly("0.00"), meters: { requests: { max: 100 } }, rates: { requests: perUnit("0.10") } };
  const setCaps = (bucket: string, caps: object) => ok(client.patch(`${bucket}/customers/acme`, caps));
  const block = (amount: string) => ({ amount, action: "block" });
  const rejected = { allowed: false, reason: "spend_cap_reached" };
  const consume = (path: string, amount: number) =>
    ok(client.post(`${path}/quotas/consume`, { meters: { requests: amount } }));
  const invoiceOf = async (bucket: string) => {
    await moveTo(client, bucket, renewed);
    return (await invoicesOf(client, bucket))[0];
  };

  test("usage that would cost more than the cap is rejected until the cap is raised", async () => {
    const { bucket, path } = await billed(client, start, plan);
    expect(await setCaps(bucket, { spendCap: block("5.00") })).toMatchObject({ spendCap: block("5.00") });
    expect(await consume(path, 150)).toMatchObject({ allowed: true });
    expect(await consume(path, 1)).toMatchObject({ allowed: false, reason: "spend_cap_reached" });
    await setCaps(bucket, { spendCap: block("6.00") });
    expect(await consume(path, 10)).toMatchObject({ allowed: true });
    expect(await consume(path, 1)).toMatchObject({ allowed: false });
    await setCaps(bucket, { spendCap: null });
    expect(await consume(path, 40)).toMatchObject({ allowed: true });
    expect(await invoiceOf(bucket)).toMatchObject({ total: "10.00" });
  });

  test("usage that costs nothing stays possible when a cap is exceeded", async () => {
    const meters = { requests: { max: 100 }, bytes: { max: 1_000 } };
    const rates = { requests: perUnit("0.10"), bytes: perUnit("0.01") };
    const { bucket, path } = await billed(client, start, { ...plan, meters, rates });
    await setCaps(bucket, { spendCap: block("5.00") });
    // Events are counted beyond the cap.
    await use(client, bucket, 500);
    const consumeBytes = (bytes: number) => ok(client.post(`${path}/quotas/consume`, { meters: { bytes } }));
    expect(await consumeBytes(1_000)).toMatchObject({ allowed: true });
    expect(await consumeBytes(1)).toMatchObject({ allowed: false, reason: "spend_cap_reached" });
    expect(await consume(path, 1)).toMatchObject({ allowed: false, reason: "spend_cap_reached" });
    expect(await invoiceOf(bucket)).toMatchObject({ total: "5.00", writtenOff: "35.00" });
  });

  test.each([
    [{ spendCap: { amount: "-1", action: "block" } }, "/spendCap/amount"],
    [{ creditLimit: { amount: 5, action: "block" } }, "/creditLimit/amount"],
    [{ spendCap: { amount: "1", action: "stop" } }, "/spendCap/action"],
  ])("rejects %j", async (caps, pointer) => {
    const { bucket } = await billed(client, start, plan);
    const { status, body } = await client.patch(`${bucket}/customers/acme`, caps);
    expect([status, body.errors[0].pointer]).toEqual([400, pointer]);
    expect(await ok(client.get(`${bucket}/customers/acme`))).not.toHaveProperty("spendCap");
  });

  test("the lower cap applies, and one that notifies rejects nothing", async () => {
    const { bucket, path } = await billed(client, start, plan);
    await setCaps(bucket, { spendCap: block("5.00"), creditLimit: block("3.00") });
    expect(await consume(path, 131)).toMatchObject({ allowed: false, reason: "credit_exhausted" });
    expect(await consume(path, 130)).toMatchObject({ allowed: true });
    await setCaps(bucket, { spendCap: { amount: "1.00", action: "notify" }, creditLimit: null });
    expect(await consume(path, 100)).toMatchObject({ allowed: true });
    expect(await invoiceOf(bucket)).toMatchObject({ total: "13.00" });
  });

  test("an invoice never exceeds a cap: the excess is counted, shown and not billed", async () => {
    const { bucket, path } = await billed(client, start, plan);
    await setCaps(bucket, { spendCap: block("5.00") });
    await use(client, bucket, 230);
    expect(await ok(client.get(`${path}/usage`))).toMatchObject({ meters: { requests: { used: 230 } } });
    const invoice = await invoiceOf(bucket);
    expect(linesOf(invoice)).toEqual([
      ["overage", "13.00"],
      ["credit", "-8.00"],
    ]);
    expect(invoice).toMatchObject({ total: "5.00", writtenOff: "8.00" });
    // Usage of the period that arrives later is beyond its cap too, whatever the cap is by then.
    await setCaps(bucket, { spendCap: null });
    await record(client, bucket, usageEvent({ requests: 10 }, { time: "2031-01-20T00:00:00.000Z" }));
    await moveTo(client, bucket, "2031-03-01T01:00:00.000Z");
    const [, late] = await invoicesOf(client, bucket);
    expect(late).toMatchObject({ total: "0.00", writtenOff: "1.00" });
  });

  test("a lower cap does not remove what is owed, and no cap does not bill what was written off", async () => {
    const { bucket } = await billed(client, start, plan);
    await use(client, bucket, 200);
    await setCaps(bucket, { spendCap: block("3.00") });
    await use(client, bucket, 50);
    await setCaps(bucket, { spendCap: null });
    await use(client, bucket, 10);
    expect(await invoiceOf(bucket)).toMatchObject({ total: "11.00", writtenOff: "5.00" });
  });

  test("money pays within the cap alone, and meter grants are not spending", async () => {
    const { bucket, path } = await billed(client, start, plan);
    const grants = `${bucket}/customers/acme/grants`;
    await ok(client.post(grants, { meter: "requests", amount: 20, funding: "paid" }));
    await ok(client.post(grants, { currency: "EUR", amount: "50.00", funding: "paid" }));
    await setCaps(bucket, { spendCap: block("4.00") });
    expect(await consume(path, 161)).toMatchObject({ allowed: false, reason: "spend_cap_reached" });
    expect(await consume(path, 160)).toMatchObject({ allowed: true, meters: { requests: { credits: 0 } } });
    await use(client, bucket, 40);
    expect(await invoiceOf(bucket)).toMatchObject({ total: "4.00", writtenOff: "4.00", fromCredits: "4.00" });
    expect((await ok(client.get(`${bucket}/customers/acme`))).balances).toEqual([{ currency: "EUR", amount: "46.00" }]);
  });

  test("a raised or removed cap does not make money pay for what was written off", async () => {
    const { bucket } = await billed(client, start, plan);
    const expiresOn = "2032-01-01T00:00:00.000Z";
    const money = { currency: "EUR", amount: "20.00", funding: "promotional", expiresOn };
    await ok(client.post(`${bucket}/customers/acme/grants`, money));
    await setCaps(bucket, { spendCap: block("5.00") });
    await use(client, bucket, 230);
    for (const spendCap of [block("50.00"), null]) {
      await setCaps(bucket, { spendCap });
      await moveTo(client, bucket, spendCap === null ? "2031-01-03T00:00:00.000Z" : "2031-01-02T00:00:00.000Z");
      const { balances } = await ok(client.get(`${bucket}/customers/acme`));
      expect(balances).toEqual([{ currency: "EUR", amount: "15.00" }]);
    }
    expect(linesOf(await invoiceOf(bucket))).toEqual([
      ["overage", "13.00"],
      ["credit", "-5.00"],
      ["credit", "-8.00"],
    ]);
    const { data } = await ok(client.get(`${bucket}/customers/acme/grants`));
    expect(data).toMatchObject([{ balance: "15.00", funding: "promotional", expiresOn }]);
  });

  test("spend.threshold at 50, 80 and 100 %, once each for a period and cap", async () => {
    const { bucket, path } = await billed(client, start, plan);
    await setCaps(bucket, { spendCap: block("10.00") });
    await consume(path, 150);
    await moveTo(client, bucket, "2031-01-02T00:00:00.000Z");
    await server.catchUp();
    expect(thresholdsOf(bucket)).toHaveLength(1);
    expect(thresholdsOf(bucket)[0]).toMatchObject({
      customerKey: "acme",
      threshold: 50,
      cost: "5.00",
      cap: block("10.00"),
      currency: "EUR",
      periodStart: start,
    });
    await moveTo(client, bucket, "2031-01-03T00:00:00.000Z");
    await consume(path, 50);
    await moveTo(client, bucket, "2031-01-04T00:00:00.000Z");
    await server.catchUp();
    expect(thresholdsOf(bucket)).toHaveLength(2);
    expect(thresholdsOf(bucket)[1]).toMatchObject({ threshold: 100, cost: "10.00" });
  });

  test("spend.threshold without waiting for the end of the hour, also when meter grants pay first", async () => {
    const { bucket, path } = await subscribed(client, plan);
    await ok(client.post(`${bucket}/customers/acme/grants`, { meter: "requests", amount: 60, funding: "paid" }));
    await setCaps(bucket, { spendCap: block("10.00") });
    // 100 are included, and 60 are paid by the grant.
    await consume(path, 160 + 49);
    await server.runTasks();
    await consume(path, 1);
    await server.runTasks();
    await until(() => thresholdsOf(bucket).length === 1);
    expect(thresholdsOf(bucket)[0]).toMatchObject({
      threshold: 50,
      cost: "5.00",
      cap: block("10.00"),
      currency: "EUR",
    });
    await use(client, bucket, 60);
    await server.runTasks();
    await server.runTasks();
    await until(() => thresholdsOf(bucket).length === 2);
    expect(thresholdsOf(bucket)[1]).toMatchObject({ threshold: 100, cost: "11.00" });
    // The ledger has one entry for the hour, which is not over.
    const [grant] = (await ok(client.get(`${bucket}/customers/acme/grants`))).data;
    const { data } = await ok(client.get(`${bucket}/customers/acme/grants/${grant.id}/entries`));
    expect(data.map(({ kind }: { kind: string }) => kind)).toEqual(["granted"]);
  });

  test("a new period has the whole cap at once, also before its renewal is billed and with other terms before", async () => {
    const { clock } = server;
    // Soon after the time of the tests before: their subscriptions are billed for each month.
    clock.set("2026-03-01T00:00:00.000Z");
    const { bucket, path } = await subscribed(client, { ...plan, rates: { requests: perUnit("0.20") } });
    await setCaps(bucket, { spendCap: block("5.00") });
    expect(await consume(path, 125)).toMatchObject({ allowed: true });
    clock.set("2026-03-02T00:00:00.000Z");
    const other = await createPlan(client, bucket, plan);
    await ok(client.patch(path, { planExternalIds: [other.planExternalId] }));
    expect(await consume(path, 1)).toMatchObject({ allowed: false, reason: "spend_cap_reached" });
    clock.set("2026-04-01T00:00:00.500Z");
    expect(await consume(path, 151)).toMatchObject({ allowed: false, reason: "spend_cap_reached" });
    expect(await consume(path, 140)).toMatchObject({ allowed: true });
    await server.runTasks();
    expect(await consume(path, 11)).toMatchObject({ allowed: false, reason: "spend_cap_reached" });
    expect(await consume(path, 10)).toMatchObject({ allowed: true });
  });

  test("a cap limits only usage that costs its currency", async () => {
    const { bucket, path: dollars } = await billed(client, start, { ...plan, ...monthly("0.00", "USD") });
    const inYen = { ...monthly("0", "JPY"), meters: plan.meters, rates: { requests: perUnit("1") } };
    const { id } = await subscribe(client, bucket, [await createPlan(client, bucket, inYen)]);
    const yen = `${bucket}/subscriptions/${id}`;
    const customer = () => ok(client.get(`${bucket}/customers/acme`));
    // The currency of the customer is that of its first price, unless it is set.
    await setCaps(bucket, { spendCap: block("5.00") });
    expect((await customer()).spendCap).toEqual({ ...block("5.00"), currency: "USD" });
    expect(await consume(yen, 1000)).toMatchObject({ allowed: true });
    // Not only the newest subscription has it.
    expect(await consume(dollars, 151)).toMatchObject(rejected);
    await setCaps(bucket, { spendCap: { ...block("1000"), currency: "JPY" } });
    expect((await customer()).spendCap).toEqual({ ...block("1000"), currency: "JPY" });
    expect(await consume(yen, 101)).toMatchObject(rejected);
    expect(await consume(dollars, 151)).toMatchObject({ allowed: true });
    await setCaps(bucket, { spendCap: block("900") });
    expect(await consume(yen, 101)).toMatchObject({ allowed: true });
    // The cap keeps its currency if that of the customer changes.
    await setCaps(bucket, { currency: "JPY" });
    expect((await customer()).spendCap).toEqual({ ...block("900"), currency: "USD" });
    expect(await consume(yen, 1)).toMatchObject({ allowed: true });
    const unknown = { spendCap: { ...block("5.00"), currency: "XXL" } };
    expect(await client.patch(`${bucket}/customers/acme`, unknown)).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: "/spendCap/currency" }] },
    });
  });

  test("several currencies have a cap each, which no change of subscriptions changes", async () => {
    const { bucket, path: dollars } = await billed(client, start, { ...plan, ...monthly("0.00", "USD") });
    await setCaps(bucket, { spendCap: block("5.00") });
    const inYen = { ...monthly("0", "JPY"), meters: plan.meters, rates: { requests: perUnit("1") } };
    const { id } = await subscribe(client, bucket, [await createPlan(client, bucket, inYen)]);
    const yen = `${bucket}/subscriptions/${id}`;
    expect(await consume(dollars, 151)).toMatchObject(rejected);
    const caps = [
      { ...block("5.00"), currency: "USD" },
      { ...block("40"), currency: "JPY" },
    ];
    expect(await setCaps(bucket, { spendCaps: caps })).toMatchObject({ spendCap: caps[0], spendCaps: caps });
    const limits = [{ ...block("30"), currency: "JPY" }];
    const { creditLimit, creditLimits } = await setCaps(bucket, { creditLimits: limits });
    expect({ creditLimit, creditLimits }).toEqual({ creditLimit: limits[0], creditLimits: undefined });
    expect(await consume(yen, 131)).toMatchObject({ allowed: false, reason: "credit_exhausted" });
    await setCaps(bucket, { creditLimit: null });
    expect(await consume(yen, 141)).toMatchObject(rejected);
    expect(await consume(yen, 140)).toMatchObject({ allowed: true });
    expect(await consume(dollars, 151)).toMatchObject(rejected);
    expect(await consume(dollars, 150)).toMatchObject({ allowed: true });
    const before = await ok(client.get(`${bucket}/customers/acme`));
    const invalid: [object, string][] = [
      [{ spendCaps: [caps[0], caps[0]] }, "/spendCaps"],
      [{ spendCaps: caps, spendCap: block("1.00") }, "/spendCaps"],
      [{ spendCaps: [block("1.00")] }, "/spendCaps/0/currency"],
      [{ creditLimits: Array.from({ length: 21 }, () => caps[0]) }, "/creditLimits"],
    ];
    for (const [body, pointer] of invalid)
      expectProblem(await client.patch(`${bucket}/customers/acme`, body), 400, "validation_failed", { pointer });
    expect((await client.delete(dollars)).status).toBe(204);
    expect(await ok(client.get(`${bucket}/customers/acme`))).toMatchObject({ spendCaps: before.spendCaps });
  });

  test("a cap that is set before the first price keeps the currency of that, also when its subscription is deleted", async () => {
    const { bucket } = await billed(client, start, { meters: plan.meters });
    const customer = () => ok(client.get(`${bucket}/customers/acme`));
    expect((await setCaps(bucket, { spendCap: block("5.00") })).spendCap).toEqual(block("5.00"));
    const add = async (currency: string) => {
      const priced = { ...plan, ...monthly(currency === "JPY" ? "0" : "0.00", currency) };
      const names = await createPlan(client, bucket, priced);
      const { id } = await subscribe(client, bucket, [names], { subscriptionExternalId: currency });
      return `${bucket}/subscriptions/${id}`;
    };
    const dollars = await add("USD");
    await add("JPY");
    const spendCap = { ...block("5.00"), currency: "USD" };
    expect((await customer()).spendCap).toEqual(spendCap);
    expect((await client.delete(dollars)).status).toBe(204);
    expect((await customer()).spendCap).toEqual(spendCap);
  });
});
