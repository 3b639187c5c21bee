import { beforeAll, describe, expect, test } from "bun:test";
import { casesFor, eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import {
  createPlan,
  newMeteringBucket,
  type PlanNames,
  record,
  subscribe,
  subscribed,
  subscriptionInput,
  usageEvent,
} from "../../../../test/support/metering.ts";
import { useServer } from "../../../../test/support/server.ts";
import { statuses } from "./schema.ts";

const dates = {
  quotaResetAnchor: "2026-01-01T00:00:00.000Z",
  trialStartDate: "2026-01-02T00:00:00.000Z",
  trialEndDate: "2026-03-02T00:00:00.123Z",
  nextBillingCycle: "2026-04-01T12:30:00.000Z",
};

eachEngine((engine) => {
  const { client, clock } = useServer(engine);

  describe("a subscription is returned as it was created:", () => {
    test.each<[what: string, more: object]>([
      ["only what is required", {}],
      ...statuses.map((status): [string, object] => [`status ${status}`, { status }]),
      ...["us-central1", "us-east1", "europe-west4"].map((region): [string, object] => [region, { region }]),
      ["dates", dates],
      ["a trial end status of any text", { trialEndStatus: "something else" }],
      ["metadata", { metadata: { owner: { name: "Jo" }, list: [1, null], toString: "x" } }],
      ["empty metadata", { metadata: {} }],
      ["a product", { productKey: "product" }],
      ["long texts", { customerKey: "é".repeat(256), subscriptionExternalId: "a b", customerExternalId: "/&?" }],
    ])("%s", async (_what, more) => {
      const bucket = await newMeteringBucket(client);
      const plan = await createPlan(client, bucket);
      const input = subscriptionInput([plan], more);
      const { status, body, headers } = await client.post(`${bucket}/subscriptions`, input);
      expect(status).toBe(200);
      expect(body).toEqual({
        quotaResetAnchor: clock.iso(),
        nextBillingCycle: "2026-02-15T10:00:00.000Z",
        ...input,
        id: body.id,
        createdOn: clock.iso(),
        updatedOn: clock.iso(),
      });
      expect(body.id).toMatch(/^sbsc_[0-9A-Za-z]{24}$/);
      const read = await client.get(`${bucket}/subscriptions/${body.id}`);
      expect(read.body).toEqual(body);
      expect(read.headers.get("etag")).toBe(headers.get("etag")!);
      expect((await client.get(`${bucket}/subscriptions`)).body.data).toEqual([body]);
    });
  });

  test("the next billing cycle is the next reset, where none was given", async () => {
    const anchor = { quotaResetAnchor: "2025-08-31T23:00:00+02:00" };
    const monthly = await subscribed(client, {}, anchor);
    expect(monthly.subscription).toMatchObject({
      quotaResetAnchor: "2025-08-31T21:00:00.000Z",
      nextBillingCycle: "2026-01-31T21:00:00.000Z",
    });
    const yearly = await subscribed(client, {}, { ...anchor, renewalStrategy: "yearly" });
    expect(yearly.subscription.nextBillingCycle).toBe("2026-08-31T21:00:00.000Z");
  });

  test("plans keep the order in which planExternalIds names them; planIds may have another", async () => {
    const bucket = await newMeteringBucket(client);
    const plans: PlanNames[] = [];
    for (let index = 0; index < 3; index++) plans.push(await createPlan(client, bucket));
    const [one, two, three] = plans as [PlanNames, PlanNames, PlanNames];
    const input = { ...subscriptionInput([three, one, two]), planIds: [one.id, two.id, three.id] };
    const { body } = await client.post(`${bucket}/subscriptions`, input);
    expect(body.planExternalIds).toEqual([three, one, two].map((plan) => plan.planExternalId));
    expect(body.planIds).toEqual([three.id, one.id, two.id]);
    expect((await client.get(`${bucket}/subscriptions`)).body.data).toEqual([body]);
  });

  test("a plan that is renamed is renamed in its subscriptions", async () => {
    const { bucket, plan, path } = await subscribed(client);
    await client.patch(`${bucket}/plans/${plan.id}`, { planExternalId: "renamed" });
    const expected = { planIds: [plan.id], planExternalIds: ["renamed"] };
    expect((await client.get(path)).body).toMatchObject(expected);
    expect((await client.get(`${bucket}/subscriptions`)).body.data).toMatchObject([expected]);
  });

  describe("a list", () => {
    let bucket: string;
    let gold: PlanNames;
    const all: unknown[] = [];

    beforeAll(async () => {
      bucket = await newMeteringBucket(client);
      gold = await createPlan(client, bucket);
      const silver = await createPlan(client, bucket);
      const add = async (plans: PlanNames[], more: object) => all.push(await subscribe(client, bucket, plans, more));
      await add([gold], { customerKey: "acme", subscriptionExternalId: "1" });
      await add([silver], { customerKey: "acme", subscriptionExternalId: "2", status: "past-due" });
      await add([gold, silver], { customerKey: "Acme", subscriptionExternalId: "3" });
      await add([silver, gold], { customerKey: "a&b é", subscriptionExternalId: "1", status: "canceled" });
      await add([silver], { customerKey: "acme", subscriptionExternalId: "5", status: "incomplete-expired" });
      await subscribed(client); // in another bucket
    });

    test.each<[query: string, indexes: number[]]>([
      ["", [0, 1, 2, 3, 4]],
      ["customerKey=acme", [0, 1, 4]],
      ["customerKey=Acme", [2]],
      ["customerKey=a%26b%20%C3%A9", [3]],
      ["customerKey=", []],
      ["subscriptionExternalId=1", [0, 3]],
      ["subscriptionExternalId=4", []],
      ["status=active", [0, 2]],
      ["status=past-due", [1]],
      ["status=incomplete-expired", [4]],
      ["status=unpaid", []],
      ["planId=GOLD", [0, 2, 3]],
      ["planId=plan_000000000000000000000000", []],
      ["planId=GOLD&customerKey=acme", [0]],
      ["planId=GOLD&subscriptionExternalId=1&status=canceled", [3]],
      ["customerKey=acme&status=canceled", []],
    ])("the list is filtered by %p", async (query, indexes) => {
      const response = await client.get(`${bucket}/subscriptions?${query.replace("GOLD", gold.id)}`);
      const data = indexes.map((index) => all[index]);
      expect(response.body).toEqual({ data, limit: 1000, offset: 0, total: indexes.length });
    });

    test("comes page by page, and keeps its filter", async () => {
      const page = await client.get(`${bucket}/subscriptions?customerKey=acme&limit=2`);
      expect(page.body).toEqual({ data: [all[0], all[1]], limit: 2, offset: 0, total: 3 });
      const next = /^<([^>]+)>; rel="next"$/.exec(page.headers.get("link")!)![1]!;
      const last = await client.get(next);
      expect(last.body).toEqual({ data: [all[4]], limit: 2, offset: 2, total: 3 });
      expect(last.headers.get("link")).toBeNull();
    });

    test.each(
      casesFor(engine, [
        ["status=ended", "?status"],
        ["status=", "?status"],
        ["status=active&status=active", "?status"],
        ["limit=x", "?limit"],
        ["customerKey=%00", "?customerKey"],
      ]),
    )("is rejected by %p", async (query, pointer) => {
      const rejected = await client.get(`${bucket}/subscriptions?${query}`);
      expectProblem(rejected, 400, "validation_failed", { pointer });
    });
  });

  test("a subscription is deleted with its usage, and only once", async () => {
    const { bucket, plan, path, subscription } = await subscribed(client);
    const other = await subscribe(client, bucket, [plan], { customerKey: "other" });
    const events = [usageEvent({ requests: 3 }), usageEvent({ requests: 4 }, { subject: "other" })];
    await record(client, bucket, events);
    expect(await client.delete(path)).toMatchObject({ status: 204, text: "" });
    for (const gone of [path, `${path}/usage`, `${path}/usage/history`])
      expectProblem(await client.get(gone), 404, "not_found");
    expectProblem(await client.delete(path), 404, "not_found");
    expectProblem(await client.patch(path, {}), 404, "not_found");
    expectProblem(await client.post(`${path}/quotas/consume`, { meters: { requests: 1 } }), 404, "not_found");
    expect((await client.get(`${bucket}/subscriptions`)).body.data).toEqual([other]);
    const { meters, agrees } = (await client.get(`${bucket}/reconciliation`)).body;
    expect({ meters, agrees }).toEqual({
      agrees: true,
      meters: { requests: { accepted: 1, counted: { events: 1, amount: 4 }, stored: { events: 1, amount: 4 } } },
    });
    expect(subscription.id).not.toBe(other.id);
  });

  test("a subscription of another bucket is missing", async () => {
    const here = await newMeteringBucket(client);
    const { subscription, path } = await subscribed(client);
    const wrong = `${here}/subscriptions/${subscription.id}`;
    for (const missing of [wrong, `${wrong}/usage`, `${wrong}/usage/history`])
      expectProblem(await client.get(missing), 404, "not_found");
    expectProblem(await client.patch(wrong, { status: "canceled" }), 404, "not_found");
    expectProblem(await client.delete(wrong), 404, "not_found");
    expectProblem(await client.post(`${wrong}/quotas/consume`, { meters: { requests: 1 } }), 404, "not_found");
    expect((await client.get(path)).body).toEqual(subscription);
  });

  test("one Idempotency-Key makes one subscription", async () => {
    const bucket = await newMeteringBucket(client);
    const plan = await createPlan(client, bucket);
    const headers = { "idempotency-key": bucket };
    const post = (input: object) => client.post(`${bucket}/subscriptions`, input, headers);
    const input = subscriptionInput([plan]);
    const first = await post(input);
    const again = await post(input);
    expect([again.status, again.text]).toEqual([200, first.text]);
    expectProblem(await post(subscriptionInput([plan], { status: "unpaid" })), 422, "idempotency_key_reused");
    expect((await client.get(`${bucket}/subscriptions`)).body.data).toEqual([first.body]);
  });
});
