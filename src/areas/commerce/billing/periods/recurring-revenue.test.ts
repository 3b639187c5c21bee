import { beforeAll, expect, test } from "bun:test";
import { invoicesOf, monthly, moveTo, newTestBucket, ok, setProfile } from "../../../../../test/support/billing.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { createPlan, newMeteringBucket, subscribe } from "../../../../../test/support/metering.ts";
import { useServer } from "../../../../../test/support/server.ts";
import { tableContent } from "../../../../../test/support/table-content.ts";

interface Month {
  month: string;
  currency: string;
  start: string;
  new: string;
  expansion: string;
  contraction: string;
  churn: string;
  end: string;
  customers: number;
}

const rowOf = ({ month, currency, start, expansion, contraction, churn, end, customers, ...rest }: Month) =>
  [month, currency, start, rest.new, expansion, contraction, churn, end, customers].join(" ");

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;
  const read = (bucket: string, query = "") => ok(client.get(`${bucket}/recurring-revenue${query}`));
  const monthsOf = async (bucket: string, query = "") => (await read(bucket, query)).months.map(rowOf);
  const yearly = { price: { currency: "EUR", amount: "100.00", interval: "year" } };

  beforeAll(async () => {
    await setProfile(client, { graceDays: 10, termsDays: 30 });
  });

  test("each month has new customers, expansion, contraction and churn, which add up", async () => {
    const bucket = await newTestBucket(client, "2031-01-10T00:00:00.000Z");
    const basic = await createPlan(client, bucket, monthly("30.00"));
    const gold = await createPlan(client, bucket, monthly("50.00"));
    const ofYear = await createPlan(client, bucket, yearly);
    const addOn = await createPlan(client, bucket, { ...monthly("5.50"), meters: { exports: { max: 5 } } });
    const free = await createPlan(client, bucket, { meters: { requests: { max: 10 } } });
    const trial = await createPlan(client, bucket, { ...monthly("70.00"), trialDays: 30 });
    const acme = await subscribe(client, bucket, [basic, addOn], { customerKey: "acme" });
    const globex = await subscribe(client, bucket, [gold], { customerKey: "globex" });
    const initech = await subscribe(client, bucket, [ofYear], { customerKey: "initech" });
    await subscribe(client, bucket, [free], { customerKey: "free" });
    const trialEndDate = "2031-02-09T00:00:00.000Z";
    await subscribe(client, bucket, [trial], { customerKey: "late", status: "trialing", trialEndDate });
    for (const customerKey of ["acme", "globex", "late"])
      await ok(client.raw("PUT", `${bucket}/customers/${customerKey}/payment-method`, method));
    for (const customerKey of ["acme", "globex"]) {
      const [{ id }] = await invoicesOf(client, bucket, `?customerKey=${customerKey}`);
      await ok(client.post(`${bucket}/invoices/${id}/$collect`));
    }
    // 35.50 + 50.00 + 100.00 / 12
    const january = "2031-01 EUR 0.00 93.83 0.00 0.00 0.00 93.83 3";
    expect(await monthsOf(bucket)).toEqual([january]);

    await moveTo(client, bucket, "2031-02-20T00:00:00.000Z");
    await ok(client.post(`${bucket}/subscriptions/${acme.id}/$change`, { planExternalIds: [gold.planExternalId] }));
    const down = { planExternalIds: [basic.planExternalId], timing: "now" };
    await ok(client.post(`${bucket}/subscriptions/${globex.id}/$change`, down));
    const february = "2031-02 EUR 93.83 70.00 14.50 -20.00 -8.33 150.00 3";
    // The invoice of initech was not paid: its access has ended.
    expect(await monthsOf(bucket)).toEqual([january, february]);

    await moveTo(client, bucket, "2031-03-05T00:00:00.000Z");
    expect((await client.delete(`${bucket}/subscriptions/${globex.id}`)).status).toBe(204);
    expect((await client.delete(`${bucket}/subscriptions/${initech.id}`)).status).toBe(204);
    const march = "2031-03 EUR 150.00 0.00 0.00 0.00 -30.00 120.00 2";
    // What the deleted subscriptions had at the ends of months that were over is kept.
    expect(await monthsOf(bucket)).toEqual([january, february, march]);
    expect(await monthsOf(bucket, "?from=2031-02&to=2031-02")).toEqual([february]);

    const { plans, topCustomers, from, to, overdue } = await read(bucket, "?from=2031-02");
    expect({ from, to }).toEqual({ from: "2031-02", to: "2031-03" });
    expect(topCustomers.map((each: Record<string, string>) => `${each.customerKey} ${each.amount}`)).toEqual([
      "late 70.00",
      "acme 50.00",
    ]);
    const named = plans.map((each: Record<string, string>) => [each.month, each.planId, each.amount].join(" "));
    expect(named.toSorted()).toEqual(
      [
        `2031-02 ${basic.id} 30.00`,
        `2031-02 ${gold.id} 50.00`,
        `2031-02 ${trial.id} 70.00`,
        `2031-03 ${gold.id} 50.00`,
        `2031-03 ${trial.id} 70.00`,
      ].toSorted(),
    );
    expect(overdue).toMatchObject([{ currency: "EUR" }]);

    const { text, headers } = await client.get(`${bucket}/recurring-revenue`, { accept: "text/csv" });
    expect(headers.get("content-type")).toStartWith("text/csv");
    expect(text.trim().split("\r\n").toSorted()).toEqual(
      [
        "month,currency,customerKey,before,amount,change",
        "2031-01,EUR,acme,0.00,35.50,new",
        "2031-01,EUR,globex,0.00,50.00,new",
        "2031-01,EUR,initech,0.00,8.33,new",
        "2031-02,EUR,acme,35.50,50.00,expansion",
        "2031-02,EUR,globex,50.00,30.00,contraction",
        "2031-02,EUR,initech,8.33,0.00,churn",
        "2031-02,EUR,late,0.00,70.00,new",
        "2031-03,EUR,acme,50.00,50.00,",
        "2031-03,EUR,globex,30.00,0.00,churn",
        "2031-03,EUR,late,70.00,70.00,",
      ].toSorted(),
    );
  });

  test("what a month had is stored at its end, and stays when its subscriptions are deleted", async () => {
    const bucket = await newMeteringBucket(client);
    const plan = await createPlan(client, bucket, monthly("30.00"));
    const ofYear = await createPlan(client, bucket, yearly);
    const yen = await createPlan(client, bucket, monthly("1000", "JPY"));
    const all = [];
    for (let index = 0; index < 3; index += 1)
      all.push(await subscribe(client, bucket, [ofYear], { customerKey: `yearly-${index}` }));
    all.push(await subscribe(client, bucket, [plan], { customerKey: "acme" }));
    all.push(await subscribe(client, bucket, [yen], { customerKey: "yen" }));
    const first = new Date(server.clock.now()).toISOString().slice(0, 7);
    // 30.00 + 3 × 100.00 / 12, rounded once.
    expect(await monthsOf(bucket)).toEqual([
      `${first} EUR 0.00 55.00 0.00 0.00 0.00 55.00 4`,
      `${first} JPY 0 1000 0 0 0 1000 1`,
    ]);
    const live = await read(bucket);
    const begun = new Date(server.clock.now());
    const end = Date.UTC(begun.getUTCFullYear(), begun.getUTCMonth() + 1);
    server.clock.advance(end - server.clock.now() + 60_000);
    await eventually(async () => {
      await server.runTasks();
      return (await tableContent(server.database, "recurring_fees")).length;
    }).toBeGreaterThanOrEqual(5);
    expect((await read(bucket, `?from=${first}&to=${first}`)).months).toEqual(live.months);
    for (const { id } of all) expect((await client.delete(`${bucket}/subscriptions/${id}`)).status).toBe(204);
    expect((await read(bucket, `?from=${first}&to=${first}`)).months).toEqual(live.months);
    expect((await monthsOf(bucket)).at(-1)).toContain("JPY 1000 0 0 0 -1000 0 0");
  });

  test("invalid months, other accounts and anonymous requests are rejected", async () => {
    const bucket = await newMeteringBucket(client);
    expect(await read(bucket)).toMatchObject({ months: [], plans: [], topCustomers: [], overdue: [], failed: [] });
    for (const [query, pointer] of [
      ["from=2031-13", "?from"],
      ["from=2031-02&to=2031-01", "?from"],
      ["from=2027-01&to=2031-01", "?from"],
    ] as const) {
      const { status, body } = await client.get(`${bucket}/recurring-revenue?${query}`);
      expect({ status, pointer: body.errors[0].pointer }).toEqual({ status: 400, pointer });
    }
    expectProblem(await client.anonymous().get(`${bucket}/recurring-revenue`), 401, "unauthenticated");
    expectProblem(await client.get("/v1/metering/mtr_none/recurring-revenue"), 404, "not_found");
  });
});

const method = JSON.stringify({ type: "sandbox", behavior: "succeeds" });
