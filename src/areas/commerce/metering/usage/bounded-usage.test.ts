import { beforeAll, describe, expect, test } from "bun:test";
import { callerWithRole } from "../../../../../test/support/callers.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import {
  createPlan,
  metersOf,
  newMeteringBucket,
  type PlanNames,
  record,
  subscribe,
  usageEvent,
} from "../../../../../test/support/metering.ts";
import { useServer } from "../../../../../test/support/server.ts";

/** The meters of ten plans, of each as many as it may have. */
const tenPlans = Array.from({ length: 10 }, (_, plan) => metersFrom(plan * 100, { max: 1000 }));

function metersFrom<Value>(first: number, value: Value): Record<string, Value> {
  return Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`meter-${first + index}`, value]));
}

/** Events that use an amount of each meter. */
const eventsOf = (amount: number, fields = {}) =>
  tenPlans.map((_, plan) => usageEvent(metersFrom(plan * 100, amount), fields));

eachEngine((engine) => {
  const { client, clock } = useServer(engine);
  let wide: { bucket: string; path: string };

  const planAll = async (bucket: string) => {
    const plans: PlanNames[] = [];
    for (const meters of tenPlans) plans.push(await createPlan(client, bucket, { meters }));
    return plans;
  };
  const subscribedToAll = async (fields = {}) => {
    const bucket = await newMeteringBucket(client);
    const plans = await planAll(bucket);
    const { id } = await subscribe(client, bucket, plans, fields);
    return { bucket, plans, path: `${bucket}/subscriptions/${id}` };
  };

  beforeAll(async () => {
    clock.set("2026-03-31T12:00:00.000Z");
    wide = await subscribedToAll({ quotaResetAnchor: "2026-01-01T00:00:00Z" });
    await record(client, wide.bucket, [...eventsOf(1), ...eventsOf(2, { time: "2026-02-10T00:00:00Z" })]);
  });

  test("a plan of more than 100 meters is rejected", async () => {
    const rejected = await client.post(`${wide.bucket}/plans`, {
      label: "Wide",
      planExternalId: "wide",
      meters: { ...tenPlans[0], more: { max: 1 } },
    });
    expectProblem(rejected, 400, "validation_failed", { pointer: "/meters" });
    expect(rejected.body.errors[0].detail).toBe("must have at most 100 members");
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
      const { bucket, plans, path } = await subscribedToAll();
      await record(client, bucket, eventsOf(1));
      for (const { id } of plans) await client.patch(`${bucket}/plans/${id}`, { meters: { other: { max: 1 } } });
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
    const past = await subscribedToAll();
    const history = `${past.path}/usage/history`;
    await record(client, past.bucket, [usageEvent({ "meter-1": 1 }, { time: "2021-12-31T00:00:00Z" })]);
    expectProblem(await client.get(`${history}?from=2021-01-01T00:00:00Z`), 400, "validation_failed", {
      pointer: "?from",
    });
    expect((await client.get(`${history}?from=2022-06-01T00:00:00Z`)).body.data.length).toBeGreaterThan(40);
  });

  test("a page of usage has at most 50,000 meters", async () => {
    const bucket = await newMeteringBucket(client);
    const plans = await planAll(bucket);
    for (let count = 0; count <= 50; count++)
      await subscribe(client, bucket, plans, {
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
    const plan = async (first: number, label: string) =>
      createPlan(client, bucket, { meters: metersFrom(first, { label: label.repeat(40), max: 10 }) });
    const [one, other] = [await plan(0, "one"), await plan(50, "other")];
    const { id } = await subscribe(client, bucket, [one, other]);
    const path = `${bucket}/subscriptions/${id}`;
    await subscribe(client, bucket, [await createPlan(client, bucket)], { customerKey: "small" });
    expect(await record(client, bucket, [usageEvent({ "meter-0": 1, "meter-149": 2 })])).toMatchObject({
      accepted: 1,
    });
    expect(await record(client, bucket, [usageEvent({ "meter-150": 1 })])).toMatchObject({ accepted: 0 });
    const consumed = await client.post(`${path}/quotas/consume`, { meters: { "meter-70": 15 } });
    expect(consumed.body.allowed).toBe(true);
    expect(Object.keys(consumed.body.meters)).toHaveLength(150);

    const usage = await metersOf(client, path);
    expect(usage["meter-70"]).toEqual({ label: "one".repeat(40), used: 15, max: 20, available: 5 });
    expect(usage["meter-149"]).toEqual({ label: "other".repeat(40), used: 2, max: 10, available: 8 });
    expect(consumed.body.meters).toEqual(usage);
    const [listed, small] = (await client.get(`${bucket}/usage`)).body.data;
    expect(listed).toMatchObject({ subscriptionId: id, planIds: [one.id, other.id], share: 0.75 });
    expect(listed.meters["meter-70"]).toEqual({ ...usage["meter-70"], share: 0.75 });
    expect(listed.meters["meter-0"]).toEqual({ ...usage["meter-0"], share: 0.1 });
    expect(Object.keys(listed.meters)).toHaveLength(150);
    expect(small).toMatchObject({ customerKey: "small", share: 0 });
  });
});
