import { describe, expect, test } from "bun:test";
import { eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { expectIfMatchToGuard, expectOneToWin } from "../../../../test/support/if-match.ts";
import {
  createPlan,
  metersOf,
  newMeteringBucket,
  subscribe,
  subscribed,
  subscriptionInput,
} from "../../../../test/support/metering.ts";
import { useServer } from "../../../../test/support/server.ts";
import { statuses } from "./schema.ts";

const trialEndDate = "2026-06-01T00:00:00.000Z";
const whole = { status: "active", metadata: { owner: "Jo" }, trialEndDate, productKey: "product" };

eachEngine((engine) => {
  const { client, clock } = useServer(engine);

  async function create() {
    const made = await subscribed(client, {}, whole);
    const etag = (await client.get(made.path)).headers.get("etag")!;
    clock.advance(1000);
    return { ...made, etag };
  }

  describe("a field given replaces the old value, null clears it, one left out stays:", () => {
    test.each<[patch: object, cleared: string[]]>([
      ...statuses.map((status): [object, string[]] => [{ status }, []]),
      [{ metadata: { list: [1] } }, []],
      [{ metadata: {} }, []],
      [{ metadata: null }, ["metadata"]],
      [{ trialEndDate: "2026-07-01T00:00:00.000Z" }, []],
      [{ trialEndDate: null }, ["trialEndDate"]],
      [{ status: "unpaid", metadata: null, trialEndDate: null }, ["metadata", "trialEndDate"]],
    ])("%j", async (patch, cleared) => {
      const { path, subscription, etag } = await create();
      const changed = await client.patch(path, patch);
      expect(changed.status).toBe(200);
      const expected = { ...subscription, ...patch, updatedOn: clock.iso() };
      for (const field of cleared) delete expected[field];
      expect(changed.body).toEqual(expected);
      expect(changed.headers.get("etag")).not.toBe(etag);
      const read = await client.get(path);
      expect(read.body).toEqual(expected);
      expect(read.headers.get("etag")).toBe(changed.headers.get("etag"));
    });
  });

  test("an empty change changes nothing, not even the time and the ETag", async () => {
    const { path, subscription, etag } = await create();
    const response = await client.patch(path, {});
    expect(response.body).toEqual(subscription);
    expect(response.headers.get("etag")).toBe(etag);
    expect((await client.get(path)).body).toEqual(subscription);
  });

  test("new plans replace the old ones, in the given order", async () => {
    const { bucket, path, plan } = await create();
    const other = await createPlan(client, bucket, {
      meters: { requests: { label: "All", max: 5 }, bytes: { max: 7 } },
    });
    const both = { planExternalIds: [other.planExternalId, plan.planExternalId] };
    const changed = await client.patch(path, both);
    expect(changed.body).toMatchObject({ ...both, planIds: [other.id, plan.id] });
    expect((await client.get(path)).body).toEqual(changed.body);
    expect(await metersOf(client, path)).toEqual({
      requests: { label: "All", used: 0, max: 105, available: 105 },
      bytes: { used: 0, max: 7, available: 7 },
    });

    await client.patch(path, { planExternalIds: [other.planExternalId] });
    expect(await metersOf(client, path)).toEqual({
      requests: { label: "All", used: 0, max: 5, available: 5 },
      bytes: { used: 0, max: 7, available: 7 },
    });
    expect((await client.get(`${bucket}/subscriptions?planId=${plan.id}`)).body.total).toBe(0);
    expect((await client.delete(`${bucket}/plans/${plan.id}`)).status).toBe(204);
  });

  test("If-Match guards changing and deleting", async () => {
    await expectIfMatchToGuard(client, await create(), { status: "unpaid" }, { status: "active" });
  });

  test("of ten changes at once that saw the same, one wins", async () => {
    await expectOneToWin(client, await create(), (index) => ({ metadata: { index } }));
  });

  describe("a trialing subscription without dates gets them from its plan's trialDays:", () => {
    const now = (days: number) => clock.iso(days * 24 * 60 * 60 * 1000);

    test.each<[what: string, given: object, expected: (given: object) => object]>([
      ["from now", {}, () => ({ trialStartDate: now(0), trialEndDate: now(14) })],
      [
        "from the start that was given",
        { trialStartDate: "2026-02-28T12:00:00.000Z" },
        (given) => ({ ...given, trialEndDate: "2026-03-14T12:00:00.000Z" }),
      ],
      ["not where the end was given", { trialEndDate: "2030-01-01T00:00:00.000Z" }, (given) => given],
      [
        "not where both were given",
        { trialStartDate: "2029-01-01T00:00:00.000Z", trialEndDate: "2030-01-01T00:00:00.000Z" },
        (given) => given,
      ],
      ["not where it is active", { status: "active" }, () => ({})],
    ])("%s", async (_what, given, expected) => {
      const { subscription } = await subscribed(client, { trialDays: 14 }, { status: "trialing", ...given });
      const { trialStartDate, trialEndDate: end } = subscription;
      expect({ trialStartDate, trialEndDate: end }).toEqual({
        trialStartDate: undefined,
        trialEndDate: undefined,
        ...expected(given),
      });
    });

    test("the first of its plans that has any", async () => {
      const bucket = await newMeteringBucket(client);
      const plans = [];
      for (const more of [{}, { trialDays: 3 }, { trialDays: 5 }]) plans.push(await createPlan(client, bucket, more));
      const { trialEndDate: end } = await subscribe(client, bucket, plans, { status: "trialing" });
      expect(end).toBe(now(3));
    });

    test("none, where no plan has any", async () => {
      const { subscription } = await subscribed(client, {}, { status: "trialing" });
      expect(subscription).not.toHaveProperty("trialEndDate");
      expect(subscription).not.toHaveProperty("trialStartDate");
    });

    test("a subscription that becomes trialing gets its dates from the plan", async () => {
      const { path } = await subscribed(client, { trialDays: 2 });
      const { body } = await client.patch(path, { status: "trialing" });
      expect(body).toMatchObject({ status: "trialing", trialStartDate: now(0), trialEndDate: now(2) });
    });

    test("a change of another field does not set the dates of a trial", async () => {
      const { bucket, plan, path, subscription } = await subscribed(client, {}, { status: "trialing" });
      await client.patch(`${bucket}/plans/${plan.id}`, { trialDays: 2 });
      const { body } = await client.patch(path, { metadata: { a: 1 } });
      expect(body).toEqual({ ...subscription, metadata: { a: 1 } });
    });

    test("one that would end before it starts is rejected, and nothing changes", async () => {
      const start = "2026-03-01T00:00:00.000Z";
      const dates = { trialStartDate: start, trialEndDate: start };
      const { bucket, plan, path, subscription } = await subscribed(client, {}, { status: "trialing", ...dates });
      expect(subscription).toMatchObject(dates);
      const before = (await client.get(`${bucket}/subscriptions`)).body;
      const trialEndDate = "2026-02-28T23:59:59.999Z";
      const input = subscriptionInput([plan], { status: "active", trialStartDate: start, trialEndDate });
      const problem = { pointer: "/trialEndDate" };
      expectProblem(await client.post(`${bucket}/subscriptions`, input), 400, "validation_failed", problem);
      expectProblem(await client.patch(path, { trialEndDate }), 400, "validation_failed", problem);
      expect((await client.get(`${bucket}/subscriptions`)).body).toEqual(before);
    });

    test("never beyond the range of a date-time", async () => {
      const { bucket, plan } = await subscribed(client, { trialDays: 36_500 });
      const before = (await client.get(`${bucket}/subscriptions`)).body;
      const input = subscriptionInput([plan], { status: "trialing", trialStartDate: "9999-12-31T00:00:00Z" });
      const rejected = await client.post(`${bucket}/subscriptions`, input);
      expectProblem(rejected, 400, "validation_failed", { pointer: "/trialStartDate" });
      expect((await client.get(`${bucket}/subscriptions`)).body).toEqual(before);
    });
  });
});
