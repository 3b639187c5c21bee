import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { forAtMost } from "../../../../test/support/for-at-most.ts";
import {
  createPlan,
  newMeteringBucket,
  record,
  subscribe,
  subscribed,
  usageEvent,
} from "../../../../test/support/metering.ts";
import { useServer } from "../../../../test/support/server.ts";
import { statuses } from "./schema.ts";

const hour = 60 * 60 * 1000;

eachEngine((engine) => {
  const { client, clock } = useServer(engine);
  const trialing = () => ({ status: "trialing", trialEndDate: clock.iso(hour) });

  describe("a trial that has ended reads as its trialEndStatus:", () => {
    test.each<[own: string | undefined, plans: (string | null)[], expected: string]>([
      ["canceled", [null], "canceled"],
      ["cancel", [null], "canceled"],
      ["paused", [null], "inactive"],
      ["pause", [null], "inactive"],
      ["something else", [null], "active"],
      ["Canceled", [null], "active"],
      ["", [null], "active"],
      [undefined, [null], "active"],
      [undefined, ["canceled"], "canceled"],
      [undefined, ["paused"], "inactive"],
      [undefined, [null, "paused", "canceled"], "inactive"],
      ["active", ["canceled"], "active"],
      ["", ["canceled"], "active"],
      ["pause", ["canceled"], "inactive"],
    ])("%p with plans that have %p: %s", async (own, ofPlans, expected) => {
      const bucket = await newMeteringBucket(client);
      const plans = [];
      for (const status of ofPlans)
        plans.push(await createPlan(client, bucket, status === null ? {} : { trialEndStatus: status }));
      const more = own === undefined ? {} : { trialEndStatus: own };
      const made = await subscribe(client, bucket, plans, { ...trialing(), ...more });
      const path = `${bucket}/subscriptions/${made.id}`;
      const statusIs = async (status: string) => {
        const { body } = await client.get(path);
        expect(body).toEqual({ ...made, status });
        expect((await client.get(`${bucket}/subscriptions`)).body.data).toEqual([body]);
        for (const filter of statuses) {
          const { data, total } = (await client.get(`${bucket}/subscriptions?status=${filter}`)).body;
          expect({ filter, data, total }).toEqual(
            filter === status ? { filter, data: [body], total: 1 } : { filter, data: [], total: 0 },
          );
        }
      };
      clock.advance(hour - 1);
      await statusIs("trialing");
      clock.advance(1);
      await statusIs(expected);
      clock.advance(1);
      await statusIs(expected);
    });
  });

  test.each(statuses.filter((status) => status !== "trialing"))(
    "%s stays, though a trial's end has passed",
    async (status) => {
      const { path, subscription } = await subscribed(
        client,
        {},
        { ...trialing(), trialEndStatus: "canceled", status },
      );
      clock.advance(2 * hour);
      expect((await client.get(path)).body).toEqual(subscription);
    },
  );

  test("a trial without an end does not end", async () => {
    const { path, subscription } = await subscribed(client, { trialEndStatus: "canceled" }, { status: "trialing" });
    clock.advance(1000 * 24 * hour);
    expect((await client.get(path)).body.status).toBe("trialing");
    expect(subscription.trialEndStatus).toBe("canceled");
  });

  test("an extended trial continues, and a shortened trial has ended", async () => {
    const { path } = await subscribed(client, {}, { ...trialing(), trialEndStatus: "paused" });
    clock.advance(2 * hour);
    expect((await client.get(path)).body.status).toBe("inactive");
    const longer = await client.patch(path, { trialEndDate: clock.iso(hour) });
    expect(longer.body.status).toBe("trialing");
    const shorter = await client.patch(path, { trialEndDate: clock.iso() });
    expect(shorter.body.status).toBe("inactive");
    expect((await client.get(path)).body).toEqual(shorter.body);
    expect((await client.patch(path, { status: "active" })).body.status).toBe("active");
  });

  test("a plan's trialEndStatus counts at once for its subscriptions", async () => {
    const { bucket, plan, path } = await subscribed(client, {}, trialing());
    clock.advance(hour);
    for (const [trialEndStatus, expected] of [
      ["canceled", "canceled"],
      ["paused", "inactive"],
      [null, "active"],
    ]) {
      await client.patch(`${bucket}/plans/${plan.id}`, { trialEndStatus });
      expect((await client.get(path)).body.status).toBe(expected!);
      expect((await client.get(`${bucket}/subscriptions?status=${expected}`)).body.total).toBe(1);
    }
  });

  test("the ETag changes when a trial ends, although nothing was written", async () => {
    const { path } = await subscribed(client, {}, { ...trialing(), trialEndStatus: "canceled" });
    const etag = (await client.get(path)).headers.get("etag")!;
    clock.advance(hour - 1);
    expect((await client.get(path, { "if-none-match": etag })).status).toBe(304);
    clock.advance(1);
    const ended = await client.get(path, { "if-none-match": etag });
    expect(ended.status).toBe(200);
    expectProblem(await client.patch(path, { metadata: {} }, { "if-match": etag }), 412, "precondition_failed");
    expectProblem(await client.delete(path, { "if-match": etag }), 412, "precondition_failed");
    expect((await client.get(path)).body).toEqual(ended.body);
    const now = ended.headers.get("etag")!;
    expect((await client.patch(path, { metadata: {} }, { "if-match": now })).status).toBe(200);
  });

  test("the ETag sees the next billing cycle move on", async () => {
    const { path, subscription } = await subscribed(client);
    const etag = (await client.get(path)).headers.get("etag")!;
    clock.set(subscription.nextBillingCycle);
    const after = await client.get(path, { "if-none-match": etag });
    expect(after.status).toBe(200);
    expect(after.body.nextBillingCycle > subscription.nextBillingCycle).toBe(true);
    // It was not changed, so a client that read it last month may still change it.
    expect((await client.patch(path, { metadata: {} }, { "if-match": etag })).status).toBe(200);
  });

  test("what may be used follows the status as it reads", async () => {
    const { bucket, path } = await subscribed(client, {}, { ...trialing(), trialEndStatus: "paused" });
    const consume = async () => (await client.post(`${path}/quotas/consume`, { meters: { requests: 1 } })).body.allowed;
    const accepted = async () => (await record(client, bucket, [usageEvent({ requests: 1 })])).accepted;
    expect([await consume(), await accepted()]).toEqual([true, 1]);
    clock.advance(hour);
    expect([await consume(), await accepted()]).toEqual([false, 0]);
    expect((await client.get(`${path}/usage`)).body.meters.requests.used).toBe(2);
  });

  test("the filter agrees with the returned status, for any subscriptions at any time", async () => {
    const statusTexts = fc.constantFrom("", "canceled", "cancel", "paused", "pause", "active", "CANCELED");
    const ending = fc.option(statusTexts, { nil: undefined, freq: 1 });
    const offset = fc.constantFrom(-hour, -1, 0, 1, hour);
    const ofPlans = fc.array(fc.constantFrom(undefined, "paused", "canceled"), { minLength: 1, maxLength: 4 });
    const subscription = fc.record({
      status: fc.oneof(
        { weight: 3, arbitrary: fc.constant("trialing") },
        { weight: 1, arbitrary: fc.constantFrom(...statuses) },
      ),
      trialEndStatus: ending,
      end: fc.option(offset, { nil: undefined }),
      ofPlans,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(subscription, { minLength: 3, maxLength: 8 }),
        fc.array(offset, { maxLength: 3 }),
        forAtMost(3000, async (all, steps) => {
          const bucket = await newMeteringBucket(client);
          for (const { status, trialEndStatus, end, ofPlans } of all) {
            const plans = [];
            for (const trialEnd of ofPlans) plans.push(await createPlan(client, bucket, { trialEndStatus: trialEnd }));
            const trialEndDate = end === undefined ? undefined : clock.iso(end);
            await subscribe(client, bucket, plans, { status, trialEndStatus, trialEndDate });
          }
          const start = clock.iso();
          for (const step of [0, ...steps]) {
            clock.advance(step);
            const everything = (await client.get(`${bucket}/subscriptions`)).body.data;
            for (const status of statuses) {
              const { data } = (await client.get(`${bucket}/subscriptions?status=${status}`)).body;
              expect(data).toEqual(everything.filter((one: { status: string }) => one.status === status));
            }
          }
          clock.set(start);
        }),
      ),
      { numRuns: 25 },
    );
  });
});
