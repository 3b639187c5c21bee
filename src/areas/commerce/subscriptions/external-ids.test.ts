import { expect, test } from "bun:test";
import { eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import {
  createPlan,
  newMeteringBucket,
  subscribe,
  subscribed,
  subscriptionInput,
} from "../../../../test/support/metering.ts";
import { useServer } from "../../../../test/support/server.ts";
import { statuses } from "./schema.ts";

eachEngine((engine) => {
  const { client, clock } = useServer(engine);
  const mine = { subscriptionExternalId: "mine" };

  async function create(bucket: string, plan: { id: string; planExternalId: string }, more: object = {}) {
    return client.post(`${bucket}/subscriptions`, subscriptionInput([plan], { ...mine, ...more }));
  }

  test.each(statuses.filter((status) => status !== "canceled"))(
    "the id of a subscription that is %s is taken, in its bucket",
    async (status) => {
      const { bucket, plan, path } = await subscribed(client, {}, { ...mine, status });
      expectProblem(await create(bucket, plan), 409, "subscription_exists");
      expect((await client.get(`${bucket}/subscriptions`)).body.total).toBe(1);
      expect((await create(bucket, plan, { status: "canceled" })).status).toBe(200);
      const elsewhere = await newMeteringBucket(client);
      expect((await create(elsewhere, await createPlan(client, elsewhere))).status).toBe(200);
      await client.patch(path, { status: "canceled" });
      expect((await create(bucket, plan)).status).toBe(200);
    },
  );

  test("a canceled subscription cannot be resumed while another has its id", async () => {
    const { bucket, plan, path } = await subscribed(client, {}, { ...mine, status: "canceled" });
    const { body: second } = await create(bucket, plan);
    expectProblem(await client.patch(path, { status: "active" }), 409, "subscription_exists");
    expect((await client.patch(path, { metadata: {} })).body.status).toBe("canceled");
    expect((await client.patch(`${bucket}/subscriptions/${second.id}`, { status: "unpaid" })).status).toBe(200);
    await client.delete(`${bucket}/subscriptions/${second.id}`);
    expect((await client.patch(path, { status: "active" })).status).toBe(200);
  });

  test("a trial that lapsed into canceled gives its id away, and stays canceled then", async () => {
    const trial = { ...mine, status: "trialing", trialEndDate: clock.iso(1000) };
    const { bucket, plan, path } = await subscribed(client, { trialEndStatus: "canceled" }, trial);
    expectProblem(await create(bucket, plan), 409, "subscription_exists");
    clock.advance(1000);
    const lapsed = await client.get(path);
    expect(lapsed.body.status).toBe("canceled");
    expect((await create(bucket, plan)).status).toBe(200);
    const after = await client.get(path);
    expect(after.body).toEqual(lapsed.body);
    expect(after.headers.get("etag")).toBe(lapsed.headers.get("etag"));
    await client.patch(`${bucket}/plans/${plan.id}`, { trialEndStatus: "paused" });
    expect((await client.get(path)).body.status).toBe("canceled");
    const revived = await client.patch(path, { status: "trialing", trialEndDate: clock.iso(1000) });
    expectProblem(revived, 409, "subscription_exists");
  });

  test("a lapsed trial whose end is moved into the future takes its id back, if it is free", async () => {
    const trial = { ...mine, status: "trialing", trialEndDate: clock.iso(1000) };
    const { bucket, plan, path } = await subscribed(client, { trialEndStatus: "canceled" }, trial);
    clock.advance(1000);
    expect((await client.patch(path, { trialEndDate: clock.iso(1000) })).body.status).toBe("trialing");
    expectProblem(await create(bucket, plan), 409, "subscription_exists");
  });

  test("a trial that lapsed into paused or active keeps its id", async () => {
    for (const trialEndStatus of ["paused", undefined]) {
      const trial = { ...mine, status: "trialing", trialEndDate: clock.iso(1000) };
      const { bucket, plan } = await subscribed(client, { trialEndStatus }, trial);
      clock.advance(1000);
      expectProblem(await create(bucket, plan), 409, "subscription_exists");
    }
  });

  test("one of ten concurrent requests gets the id, for new and for resumed subscriptions", async () => {
    const bucket = await newMeteringBucket(client);
    const plan = await createPlan(client, bucket);
    const old = await Promise.all(
      Array.from({ length: 5 }, () => subscribe(client, bucket, [plan], { ...mine, status: "canceled" })),
    );
    const responses = await Promise.all([
      ...Array.from({ length: 5 }, () => create(bucket, plan)),
      ...old.map(({ id }) => client.patch(`${bucket}/subscriptions/${id}`, { status: "active" })),
    ]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
    expect((await client.get(`${bucket}/subscriptions?status=active`)).body.total).toBe(1);
  });
});
