import { beforeAll, describe, expect, test } from "bun:test";
import { callerWithRole } from "../../../../test/support/callers.ts";
import { eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import {
  createPlan,
  metersOf,
  newMeteringBucket,
  record,
  type Subscribed,
  subscribe,
  subscribed,
  usageEvent,
} from "../../../../test/support/metering.ts";
import { useServer } from "../../../../test/support/server.ts";

const meters = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`meter-${index}`, { max: 1000 }]));
const amounts = (amount: number) => Object.fromEntries(Object.keys(meters).map((meter) => [meter, amount]));

eachEngine((engine) => {
  const { client, clock } = useServer(engine);
  let wide: Subscribed;

  beforeAll(async () => {
    clock.set("2026-03-31T12:00:00.000Z");
    wide = await subscribed(client, { meters }, { quotaResetAnchor: "2026-01-01T00:00:00Z" });
    await record(client, wide.bucket, [
      usageEvent(amounts(1)),
      usageEvent(amounts(2), { time: "2026-02-10T00:00:00Z" }),
    ]);
  });

  describe("the series of a subscription with 1,000 meters", () => {
    const get = (query: string) => client.get(`${wide.path}/usage-series${query}`);

    test("has all of them where that is at most 50,000 points", async () => {
      const { body } = await get("?from=2026-02-10T00:00:00Z&step=1d");
      expect(Object.keys(body.meters)).toHaveLength(1000);
      expect(body.meters["meter-999"].points).toHaveLength(50);
      expect(body.meters["meter-999"]).toMatchObject({ used: 3 });
    });

    test("is rejected beyond that for every role, with what to choose instead", async () => {
      const verifier = await callerWithRole(client, "verifier");
      const query = "?from=2026-02-09T00:00:00Z&step=1d";
      const rejected = await verifier.get(`${wide.path}/usage-series${query}`);
      expectProblem(rejected, 400, "validation_failed", { pointer: "?from" });
      expect(rejected.body.errors[0].detail).toBe(
        "makes 51 points of 1000 meters or more; at most 50000 in all: choose a shorter range, or one meter",
      );
      expectProblem(await get("?from=2026-03-25T00:00:00Z&step=1h"), 400, "validation_failed", { pointer: "?from" });
    });

    test("the series of one of 1,000 meters has 3,000 points", async () => {
      const { body } = await get("?from=2018-02-01T00:00:00Z&step=1d&meter=meter-7");
      expect(Object.keys(body.meters)).toEqual(["meter-7"]);
      expect(body.meters["meter-7"].points.length).toBeGreaterThan(2_900);
      expect(body.meters["meter-7"]).toMatchObject({ used: 3, max: 1000 });
      expectProblem(await get("?meter=a%20b"), 400, "validation_failed", { pointer: "?meter" });
    });

    test("counts meters that the plans no longer have", async () => {
      const { bucket, plan, path } = await subscribed(client, { meters });
      await record(client, bucket, [usageEvent(amounts(1))]);
      await client.patch(`${bucket}/plans/${plan.id}`, { meters: { other: { max: 1 } } });
      expect(Object.keys((await client.get(`${path}/usage-series?step=1d`)).body.meters)).toHaveLength(1001);
      expectProblem(
        await client.get(`${path}/usage-series?step=1d&from=2026-02-01T00:00:00Z`),
        400,
        "validation_failed",
        { pointer: "?from" },
      );
    });
  });

  test("a history of more than 50,000 meters is rejected", async () => {
    const past = await subscribed(client, { meters });
    const history = `${past.path}/usage/history`;
    await record(client, past.bucket, [usageEvent({ "meter-1": 1 }, { time: "2021-12-31T00:00:00Z" })]);
    expectProblem(await client.get(`${history}?from=2021-01-01T00:00:00Z`), 400, "validation_failed", {
      pointer: "?from",
    });
    expect((await client.get(`${history}?from=2022-06-01T00:00:00Z`)).body.data.length).toBeGreaterThan(40);
  });

  test("a page of usage has at most 50,000 meters", async () => {
    const bucket = await newMeteringBucket(client);
    const plan = await createPlan(client, bucket, { meters });
    for (let count = 0; count <= 50; count++)
      await subscribe(client, bucket, [plan], {
        customerKey: `customer-${count}`,
        subscriptionExternalId: `s-${count}`,
      });
    const rejected = await client.get(`${bucket}/usage`);
    expectProblem(rejected, 400, "validation_failed", { pointer: "?limit" });
    expect(rejected.body.errors[0].detail).toContain("more than 50000 meters");
    const { body, headers } = await client.get(`${bucket}/usage?limit=2`);
    expect(body).toMatchObject({ limit: 2, total: 51 });
    expect(Object.keys(body.data[1].meters)).toHaveLength(1000);
    expect(headers.get("link")).toContain("offset=2");
    expect((await client.get(`${bucket}/usage?meter=meter-3`)).body.data).toHaveLength(51);
  });

  test("usage of large plans is their sum, in the list, after an event and when it is consumed", async () => {
    const bucket = await newMeteringBucket(client);
    const metersFrom = (first: number, label: string) =>
      Object.fromEntries(
        Array.from({ length: 1000 }, (_, index) => [`meter-${first + index}`, { label: label.repeat(40), max: 10 }]),
      );
    const one = await createPlan(client, bucket, { meters: metersFrom(0, "one") });
    const other = await createPlan(client, bucket, { meters: metersFrom(500, "other") });
    const { id } = await subscribe(client, bucket, [one, other]);
    const path = `${bucket}/subscriptions/${id}`;
    await subscribe(client, bucket, [await createPlan(client, bucket)], { customerKey: "small" });
    expect(await record(client, bucket, [usageEvent({ "meter-0": 1, "meter-1499": 2 })])).toMatchObject({
      accepted: 1,
    });
    expect(await record(client, bucket, [usageEvent({ "meter-1500": 1 })])).toMatchObject({ accepted: 0 });
    const consumed = await client.post(`${path}/quotas/consume`, { meters: { "meter-700": 15 } });
    expect(consumed.body.allowed).toBe(true);
    expect(Object.keys(consumed.body.meters)).toHaveLength(1500);

    const usage = await metersOf(client, path);
    expect(usage["meter-700"]).toEqual({ label: "one".repeat(40), used: 15, max: 20, available: 5 });
    expect(usage["meter-1499"]).toEqual({ label: "other".repeat(40), used: 2, max: 10, available: 8 });
    expect(consumed.body.meters).toEqual(usage);
    const [listed, small] = (await client.get(`${bucket}/usage`)).body.data;
    expect(listed).toMatchObject({ subscriptionId: id, planIds: [one.id, other.id], share: 0.75 });
    expect(listed.meters["meter-700"]).toEqual({ ...usage["meter-700"], share: 0.75 });
    expect(listed.meters["meter-0"]).toEqual({ ...usage["meter-0"], share: 0.1 });
    expect(Object.keys(listed.meters)).toHaveLength(1500);
    expect(small).toMatchObject({ customerKey: "small", share: 0 });
  });
});
