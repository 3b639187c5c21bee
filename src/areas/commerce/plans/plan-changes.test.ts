import { describe, expect, test } from "bun:test";
import { eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { expectIfMatchToGuard, expectOneToWin } from "../../../../test/support/if-match.ts";
import {
  createPlan,
  metersOf,
  newMeteringBucket,
  record,
  subscribed,
  usageEvent,
} from "../../../../test/support/metering.ts";
import { useServer } from "../../../../test/support/server.ts";

const whole = {
  label: "Gold",
  planExternalId: "price_gold",
  meters: { requests: { label: "Requests", max: 100 } },
  trialDays: 14,
  trialEndStatus: "paused",
  isTrialCollectPayment: true,
};

function without(...fields: (keyof typeof whole)[]): object {
  return Object.fromEntries(Object.entries(whole).filter(([name]) => !fields.includes(name as keyof typeof whole)));
}

eachEngine((engine) => {
  const { client, clock } = useServer(engine);

  async function create() {
    const bucket = await newMeteringBucket(client);
    const plan = await createPlan(client, bucket, whole);
    const path = `${bucket}/plans/${plan.id}`;
    const etag = (await client.get(path)).headers.get("etag")!;
    clock.advance(1000);
    return { bucket, plan, path, etag };
  }

  describe("a field given replaces the old value, null clears it, one left out stays:", () => {
    test.each<[patch: object, expected: object]>([
      [{ label: "New" }, { ...whole, label: "New" }],
      [{ planExternalId: "other" }, { ...whole, planExternalId: "other" }],
      [{ meters: { bytes: { max: 1 } } }, { ...whole, meters: { bytes: { max: 1 } } }],
      [{ meters: { requests: { max: 7 } } }, { ...whole, meters: { requests: { max: 7 } } }],
      [{ trialDays: 0 }, { ...whole, trialDays: 0 }],
      [{ trialDays: null }, without("trialDays")],
      [{ trialEndStatus: "canceled" }, { ...whole, trialEndStatus: "canceled" }],
      [{ trialEndStatus: null }, without("trialEndStatus")],
      [{ isTrialCollectPayment: false }, { ...whole, isTrialCollectPayment: false }],
      [{ isTrialCollectPayment: null }, without("isTrialCollectPayment")],
      [
        { trialDays: null, trialEndStatus: null, isTrialCollectPayment: null },
        without("trialDays", "trialEndStatus", "isTrialCollectPayment"),
      ],
    ])("%j", async (patch, expected) => {
      const { path, plan, etag } = await create();
      const changed = await client.patch(path, patch);
      expect(changed.status).toBe(200);
      const { id, createdOn, hasSubscriptions } = plan;
      expect(changed.body).toEqual({ ...expected, id, createdOn, hasSubscriptions, updatedOn: clock.iso() });
      expect(changed.headers.get("etag")).not.toBe(etag);
      const read = await client.get(path);
      expect(read.body).toEqual(changed.body);
      expect(read.headers.get("etag")).toBe(changed.headers.get("etag"));
    });
  });

  test("an empty change changes nothing, not even the time and the ETag", async () => {
    const { path, plan, etag } = await create();
    const response = await client.patch(path, {});
    expect(response.body).toEqual(plan);
    expect(response.headers.get("etag")).toBe(etag);
    expect((await client.get(path)).body).toEqual(plan);
  });

  test("If-Match guards changing and deleting", async () => {
    await expectIfMatchToGuard(client, await create(), { label: "one" }, { label: "two" });
  });

  test("of ten changes at once that saw the same, one wins", async () => {
    await expectOneToWin(client, await create(), (index) => ({ label: `${index}` }));
  });

  test("changed meters apply immediately, with and without usage", async () => {
    const meters = { requests: { label: "Requests", max: 100 }, bytes: { max: 10 } };
    const { bucket, plan, path } = await subscribed(client, { meters });
    await record(client, bucket, [usageEvent({ requests: 60, bytes: 4 })]);
    await client.patch(`${bucket}/plans/${plan.id}`, { meters: { requests: { max: 50 }, seconds: { max: 3 } } });
    expect(await metersOf(client, path)).toEqual({
      requests: { used: 60, max: 50, available: 0 },
      seconds: { used: 0, max: 3, available: 3 },
      bytes: { used: 4, max: 0, available: 0 },
    });
    const rejected = await client.post(`${path}/quotas/consume`, { meters: { requests: 1 } });
    expect(rejected.body.allowed).toBe(false);
    const taken = await client.post(`${path}/quotas/consume`, { meters: { seconds: 3 } });
    expect(taken.body.allowed).toBe(true);
    const gone = await client.post(`${path}/quotas/consume`, { meters: { bytes: 1 } });
    expectProblem(gone, 400, "validation_failed", { pointer: "/meters/bytes" });
    const { rejected: invalid } = await record(client, bucket, [usageEvent({ bytes: 1 }), usageEvent({ seconds: 1 })]);
    expect(invalid.map(({ index }: { index: number }) => index)).toEqual([0]);

    await client.patch(`${bucket}/plans/${plan.id}`, { meters });
    expect(await metersOf(client, path)).toEqual({
      requests: { label: "Requests", used: 60, max: 100, available: 40 },
      bytes: { used: 4, max: 10, available: 6 },
      seconds: { used: 4, max: 0, available: 0 },
    });
  });
});
