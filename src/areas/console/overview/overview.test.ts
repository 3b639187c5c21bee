import { beforeAll, expect, test } from "bun:test";
import { monthly, moveTo, newTestBucket, ok, perUnit, setProfile } from "../../../../test/support/billing.ts";
import { eachEngine } from "../../../../test/support/engines.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { createPlan, newMeteringBucket, record, subscribe, usageEvent } from "../../../../test/support/metering.ts";
import { useServer } from "../../../../test/support/server.ts";
import { until } from "../../../../test/support/until.ts";

const root = "/v1/accounts/default";
const day = 86_400_000;

// Under load, a part of the response may be an earlier result, as for a large account.
eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;
  const overview = () => ok(client.get(`${root}/overview`));

  test("an empty account has done no step, earns nothing, and needs no attention", async () => {
    expect(await overview()).toEqual({
      isComplete: true,
      firstSteps: { hasSubscription: false, hasDeployment: false, hasTraffic: false },
      goLive: { hasSeller: true, hasSignUp: false, sendsMail: false, takesPayments: false, hasDomain: false },
      money: { isSelling: false, recurring: [], overdue: [], failed: [] },
      limits: { total: 0, used: 0, data: [] },
      keys: [],
      webhooks: [],
      deployments: [],
    });
  });

  let bucket: string;
  beforeAll(async () => {
    await setProfile(client, { termsDays: 14, graceDays: 365 });
    bucket = await newMeteringBucket(client);
  });

  test("recurring revenue has the fees of active subscriptions by month and currency", async () => {
    const basic = await createPlan(client, bucket, monthly("30.00"));
    const addOn = await createPlan(client, bucket, { ...monthly("5.50"), meters: { exports: { max: 5 } } });
    const yearly = await createPlan(client, bucket, { price: { currency: "EUR", amount: "100.00", interval: "year" } });
    const yen = await createPlan(client, bucket, monthly("1000", "JPY"));
    const free = await createPlan(client, bucket, { meters: { requests: { max: 10 } } });
    const onTrial = await createPlan(client, bucket, { ...monthly("70.00"), trialDays: 14 });
    const shown = async () => (await overview()).money.recurring ?? [];
    const recurring = async () => (await shown()).map(({ trend, ...now }: { trend: unknown }) => now);
    await eventually(recurring).toEqual([]);
    const first = await subscribe(client, bucket, [basic, addOn], { customerKey: "basic" });
    await subscribe(client, bucket, [yearly], { customerKey: "yearly" });
    await subscribe(client, bucket, [yen], { customerKey: "yen" });
    await subscribe(client, bucket, [free], { customerKey: "free" });
    await subscribe(client, bucket, [basic], { customerKey: "inactive", status: "inactive" });
    const trialEndDate = new Date(server.clock.now() + 14 * day).toISOString();
    await subscribe(client, bucket, [onTrial], { customerKey: "trial", status: "trialing", trialEndDate });
    // 30.00 + 5.50 + 100.00 / 12
    const expected = [
      { currency: "EUR", amount: "43.83", subscriptions: 2 },
      { currency: "JPY", amount: "1000", subscriptions: 1 },
    ];
    await eventually(recurring).toEqual(expected);

    const testBucket = await newTestBucket(client, "2031-01-01T00:00:00.000Z");
    await subscribe(client, testBucket, [await createPlan(client, testBucket, monthly("99.00"))]);
    await moveTo(client, testBucket, "2031-03-01T00:00:00.000Z");
    await eventually(async () => (await overview()).money).toMatchObject({
      isSelling: true,
      recurring: expected,
      overdue: [],
      failed: [],
    });

    await ok(client.patch(`${bucket}/subscriptions/${first.id}`, { status: "canceled" }));
    await eventually(recurring).toEqual([{ currency: "EUR", amount: "8.33", subscriptions: 1 }, expected[1]!]);
    server.clock.advance(15 * day);
    await server.runTasks();
    await eventually(recurring).toEqual([{ currency: "EUR", amount: "78.33", subscriptions: 2 }, expected[1]!]);
    // From January 15 to 30: no month has ended.
    expect((await shown())[0].trend).toHaveLength(11);
    expect((await shown())[0].trend.at(-1)).toEqual({ month: "2025-12", amount: "0.00" });
  });

  test("invoices are overdue after their due date", async () => {
    server.clock.advance(15 * day);
    await server.catchUp();
    await until(async () => (await overview()).money.overdue.length === 2);
    await eventually(async () => {
      await server.runTasks();
      return (await overview()).money.recurring?.map(({ trend }: { trend: object[] }) => trend.at(-1));
    }).toEqual([
      { month: "2026-01", amount: "78.33" },
      { month: "2026-01", amount: "1000" },
    ]);
    const { overdue, failed } = (await overview()).money;
    const { data } = await ok(client.get(`${bucket}/invoices?status=open`));
    const late = data.filter(({ failedOn }: { failedOn?: string }) => failedOn !== undefined);
    for (const currency of ["EUR", "JPY"]) {
      const its = late.filter((invoice: { currency: string }) => invoice.currency === currency);
      const amount = its.reduce((sum: number, { amountDue }: { amountDue: string }) => sum + Number(amountDue), 0);
      const found = overdue.find((sum: { currency: string }) => sum.currency === currency);
      expect({ amount: Number(found.amount), invoices: found.invoices }).toEqual({ amount, invoices: its.length });
    }
    expect(failed).toEqual([]);
  });

  test("limits are sorted by share, with the number of those that are used up", async () => {
    const usage = await newMeteringBucket(client);
    const plan = await createPlan(client, usage, { meters: { requests: { label: "Requests", max: 100 } } });
    for (const [customerKey, requests] of Object.entries({ low: 79, near: 84, over: 104, full: 100 })) {
      await subscribe(client, usage, [plan], { customerKey });
      const [subscription] = (await ok(client.get(`${usage}/subscriptions?customerKey=${customerKey}`))).data;
      await record(client, usage, usageEvent({ requests }, { subject: customerKey, subscriptionId: subscription.id }));
    }
    await eventually(async () => (await overview()).limits).toMatchObject({ total: 3, used: 2 });
    const { limits } = await overview();
    expect(limits.data.map(({ customerKey, share }: Limit) => [customerKey, share])).toEqual([
      ["over", 1.04],
      ["full", 1],
      ["near", 0.84],
    ]);
    expect(limits.data[0]).toMatchObject({ meter: "requests", label: "Requests", used: 104, max: 100 });
    expect(limits.data.map(({ isBilled }: Limit) => isBilled)).toEqual([undefined, undefined, undefined]);
    const billed = { rates: { requests: perUnit("0.10") }, ...monthly("1.00") };
    await ok(client.patch(`${usage}/plans/${plan.id}`, billed));
    await eventually(async () => (await overview()).limits.data[0]).toMatchObject({ share: 1.04, isBilled: true });
  });

  test("the first steps, and keys that expire soon", async () => {
    const soon = new Date(server.clock.now() + 3 * day).toISOString();
    const consumers = `${root}/key-buckets/main/consumers`;
    await ok(client.post(consumers, { name: "acme", apiKeys: [{ expiresOn: soon }, {}] }));
    await eventually(async () => (await overview()).keys).toEqual([{ bucketName: "main", expiring: 1, unused: 0 }]);
    const { firstSteps } = await overview();
    expect(firstSteps).toMatchObject({ consumer: "acme", keyBucket: "main", hasSubscription: true, hasTraffic: false });
    await client.post(`${root}/key-buckets/main/verify-key`, { key: "no-key" });
    const { data } = await ok(client.get(`${consumers}/acme/keys?key-format=visible`));
    await ok(client.post(`${root}/key-buckets/main/verify-key`, { key: data[1].key }));
    await server.catchUp();
    await until(async () => (await overview()).firstSteps.hasTraffic === true);
  });

  test("what is there before customers pay", async () => {
    const goLive = async () => (await overview()).goLive;
    const setProvider = (type: string) =>
      ok(client.raw("PUT", `${root}/payment-provider/live`, JSON.stringify({ type })));
    const setPortal = (more: object) =>
      ok(client.raw("PUT", `${root}/key-buckets/main/portal`, JSON.stringify({ title: "Acme", ...more })));
    await setProvider("sandbox");
    await setPortal({});
    expect(await goLive()).toMatchObject({ hasSignUp: false, takesPayments: false });
    await setProvider("manual");
    await setPortal({ signUp: "open" });
    expect(await goLive()).toMatchObject({ hasSignUp: true, takesPayments: true });
    await setPortal({ signUp: "open", isEnabled: false });
    expect(await goLive()).toMatchObject({ hasSignUp: false });
  });

  test("only roles that read billing read it, and only in their account", async () => {
    const tokenOf = async (input: object) => (await ok(client.post(`${root}/tokens`, input))).token as string;
    for (const role of ["reader", "billing"])
      expect((await client.as(await tokenOf({ role })).get(`${root}/overview`)).status).toBe(200);
    const verifier = client.as(await tokenOf({ role: "verifier" }));
    expectProblem(await verifier.get(`${root}/overview`), 403, "forbidden");
    expectProblem(await client.get("/v1/accounts/other/overview"), 404, "not_found");
  });
});

interface Limit {
  customerKey: string;
  share: number;
  isBilled?: true;
}
