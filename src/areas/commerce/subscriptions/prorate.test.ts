import { beforeEach, describe, expect, test } from "bun:test";
import { eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import {
  createPlan,
  metersOf,
  record,
  type Subscribed,
  subscribed,
  usageEvent,
} from "../../../../test/support/metering.ts";
import { useServer } from "../../../../test/support/server.ts";

const start = "2026-01-15T10:00:00.000Z";
const nextPeriod = "2026-02-15T10:00:00.000Z";

eachEngine((engine) => {
  const { client, clock } = useServer(engine);
  beforeEach(() => clock.set(start));

  /** 30 of 100 are used. Another plan allows 200, and 10 of a meter that the first plan lacks. */
  async function scene(): Promise<Subscribed & { larger: { id: string; planExternalId: string } }> {
    const made = await subscribed(client, { meters: { requests: { max: 100 } } });
    await record(client, made.bucket, [usageEvent({ requests: 30 })]);
    const meters = { requests: { max: 200 }, bytes: { max: 10 } };
    clock.advance(1000);
    return { ...made, larger: await createPlan(client, made.bucket, { meters }) };
  }

  describe("the rest of the period allows the usage so far and a share of the new maximum:", () => {
    test.each([
      [0, { requests: { used: 30, max: 30, available: 0 }, bytes: { used: 0, max: 0, available: 0 } }],
      [0.5, { requests: { used: 30, max: 130, available: 100 }, bytes: { used: 0, max: 5, available: 5 } }],
      [0.25, { requests: { used: 30, max: 80, available: 50 }, bytes: { used: 0, max: 2.5, available: 2.5 } }],
      [1, { requests: { used: 30, max: 230, available: 200 }, bytes: { used: 0, max: 10, available: 10 } }],
      [
        1 / 3,
        {
          requests: { used: 30, max: 96.6666666, available: 66.6666666 },
          bytes: { used: 0, max: 3.33333333, available: 3.33333333 },
        },
      ],
    ])("%d", async (prorate, expected) => {
      const { path, larger, bucket } = await scene();
      const changed = await client.patch(path, { planExternalIds: [larger.planExternalId], prorate });
      expect(changed.status).toBe(200);
      expect(changed.body).not.toHaveProperty("prorate");
      expect(await metersOf(client, path)).toEqual(expected);

      const { available } = expected.requests;
      const consume = (requests: number) => client.post(`${path}/quotas/consume`, { meters: { requests } });
      expect((await consume(available + 1)).body.allowed).toBe(false);
      if (available > 0) expect((await consume(available)).body.allowed).toBe(true);
      expect((await metersOf(client, path)).requests.available).toBe(0);
      await record(client, bucket, [usageEvent({ requests: 1 })]);
      expect((await metersOf(client, path)).requests).toMatchObject({ used: 31 + available, available: 0 });
    });
  });

  test("without prorate the new maximum applies, and the usage so far counts against it", async () => {
    const { path, larger } = await scene();
    await client.patch(path, { planExternalIds: [larger.planExternalId] });
    expect((await metersOf(client, path)).requests).toEqual({ used: 30, max: 200, available: 170 });
  });

  test("only this period is prorated, neither the next nor the one before", async () => {
    const { path, larger } = await scene();
    await client.patch(path, { planExternalIds: [larger.planExternalId], prorate: 0.5 });
    expect((await metersOf(client, path, "2026-01-01T00:00:00Z")).requests.max).toBe(100);
    expect((await metersOf(client, path, nextPeriod)).requests.max).toBe(200);
    clock.set("2026-02-15T09:59:59.999Z");
    expect((await metersOf(client, path)).requests.max).toBe(130);
    clock.set(nextPeriod);
    expect(await metersOf(client, path)).toEqual({
      requests: { used: 0, max: 200, available: 200 },
      bytes: { used: 0, max: 10, available: 10 },
    });
    const { body } = await client.post(`${path}/quotas/consume`, { meters: { requests: 200 } });
    expect(body.allowed).toBe(true);
  });

  test("a second change in the period replaces the first", async () => {
    const { path, larger, plan, bucket } = await scene();
    await client.patch(path, { planExternalIds: [larger.planExternalId], prorate: 0.5 });
    await record(client, bucket, [usageEvent({ requests: 50 })]);
    await client.patch(path, { planExternalIds: [plan.planExternalId], prorate: 0.1 });
    expect((await metersOf(client, path)).requests).toEqual({ used: 80, max: 90, available: 10 });
    await client.patch(path, { planExternalIds: [larger.planExternalId] });
    expect((await metersOf(client, path)).requests).toEqual({ used: 80, max: 200, available: 120 });
  });

  test("a change of something else leaves it", async () => {
    const { path, larger } = await scene();
    await client.patch(path, { planExternalIds: [larger.planExternalId], prorate: 0.5 });
    await client.patch(path, { metadata: { a: 1 } });
    await client.patch(path, { planExternalIds: [larger.planExternalId] });
    expect((await metersOf(client, path)).requests.max).toBe(130);
  });

  test("several plans add up before they are prorated", async () => {
    const { path, larger, plan } = await scene();
    const planExternalIds = [plan.planExternalId, larger.planExternalId];
    await client.patch(path, { planExternalIds, prorate: 0.5 });
    expect((await metersOf(client, path)).requests).toEqual({ used: 30, max: 180, available: 150 });
  });

  test("without a change of plans it is rejected, and nothing changes", async () => {
    const { path, plan, larger } = await scene();
    const before = (await client.get(path)).body;
    for (const body of [
      { prorate: 0.5 },
      { prorate: 0, status: "canceled" },
      { prorate: 1, planExternalIds: [plan.planExternalId] },
    ])
      expectProblem(await client.patch(path, body), 400, "validation_failed", { pointer: "/prorate" });
    const unknown = await client.patch(path, { prorate: 1, planExternalIds: [larger.planExternalId, "nothing"] });
    expectProblem(unknown, 400, "validation_failed", { pointer: "/planExternalIds/1" });
    expect((await client.get(path)).body).toEqual(before);
    expect((await metersOf(client, path)).requests).toEqual({ used: 30, max: 100, available: 70 });
  });
});
