import { describe, expect, test } from "bun:test";
import { eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { createPlan, newMeteringBucket, planInput, subscribe } from "../../../../test/support/metering.ts";
import { useServer } from "../../../../test/support/server.ts";

const optional = { trialDays: 14, trialEndStatus: "paused", isTrialCollectPayment: false };

eachEngine((engine) => {
  const { client, clock } = useServer(engine);

  describe("a plan is returned as it was created:", () => {
    test.each<[what: string, more: object]>([
      ["only what is required", {}],
      ["every field", optional],
      ["the other values", { trialDays: 0, trialEndStatus: "canceled", isTrialCollectPayment: true }],
      ["a meter without label", { meters: { requests: { max: 5 } } }],
      ["a meter that allows nothing", { meters: { requests: { max: 0 } } }],
      ["a fraction", { meters: { gigabytes: { max: 0.000000001 } } }],
      ["a large maximum", { meters: { bytes: { max: Number.MAX_SAFE_INTEGER } } }],
      ["a long name of a meter", { meters: { ["m".repeat(64)]: { max: 1 } } }],
      [
        "all kinds of characters in one",
        { meters: { "Az09_.-": { max: 1 }, a: { max: 2 }, B: { label: "", max: 3 } } },
      ],
      [
        "names that objects have",
        {
          meters: {
            constructor: { label: "Constructor", max: 5 },
            prototype: { max: 4 },
            toString: { max: 1 },
            hasOwnProperty: { max: 2 },
            __proto: { max: 3 },
          },
        },
      ],
      ["long texts", { label: "x".repeat(256), planExternalId: "é".repeat(256) }],
    ])("%s", async (_what, more) => {
      const bucket = await newMeteringBucket(client);
      const input = planInput(more);
      const { status, body, headers } = await client.post(`${bucket}/plans`, input);
      expect(status).toBe(200);
      expect(body).toEqual({
        ...input,
        id: body.id,
        hasSubscriptions: false,
        createdOn: clock.iso(),
        updatedOn: clock.iso(),
      });
      expect(body.id).toMatch(/^plan_[0-9A-Za-z]{24}$/);
      const read = await client.get(`${bucket}/plans/${body.id}`);
      expect(read.body).toEqual(body);
      expect(read.headers.get("etag")).toBe(headers.get("etag")!);
      expect((await client.get(`${bucket}/plans`)).body.data).toEqual([body]);
    });
  });

  test("hasSubscriptions follows the subscriptions", async () => {
    const bucket = await newMeteringBucket(client);
    const [plan, other] = [await createPlan(client, bucket), await createPlan(client, bucket)];
    const subscribedPlans = async () => {
      const listed = (await client.get(`${bucket}/plans`)).body.data;
      for (const each of listed) expect((await client.get(`${bucket}/plans/${each.id}`)).body).toEqual(each);
      return listed.map((each: { hasSubscriptions: boolean }) => each.hasSubscriptions);
    };
    expect(await subscribedPlans()).toEqual([false, false]);
    const before = (await client.get(`${bucket}/plans/${plan.id}`)).headers.get("etag")!;
    const { id } = await subscribe(client, bucket, [plan]);
    expect(await subscribedPlans()).toEqual([true, false]);
    expect((await client.get(`${bucket}/plans/${plan.id}`, { "if-none-match": before })).status).toBe(200);
    const patched = await client.patch(`${bucket}/plans/${plan.id}`, { label: "New" });
    expect(patched.body.hasSubscriptions).toBe(true);

    await client.patch(`${bucket}/subscriptions/${id}`, { planExternalIds: [other.planExternalId] });
    expect(await subscribedPlans()).toEqual([false, true]);
    await client.delete(`${bucket}/subscriptions/${id}`);
    expect(await subscribedPlans()).toEqual([false, false]);
  });

  test("plans are listed page by page, and found by planExternalId", async () => {
    const bucket = await newMeteringBucket(client);
    expect((await client.get(`${bucket}/plans`)).body).toEqual({ data: [], limit: 1000, offset: 0, total: 0 });
    const plans = [];
    for (const planExternalId of ["b", "a", "C", "c", "a b&é"])
      plans.push(await createPlan(client, bucket, { planExternalId }));
    expect((await client.get(`${bucket}/plans`)).body.data).toEqual(plans);
    const page = await client.get(`${bucket}/plans?limit=2&offset=2`);
    expect(page.body).toEqual({ data: plans.slice(2, 4), limit: 2, offset: 2, total: 5 });
    expect(page.headers.get("link")).toBe(`<${bucket}/plans?limit=2&offset=4>; rel="next"`);
    for (const plan of plans) {
      const found = await client.get(`${bucket}/plans?planExternalId=${encodeURIComponent(plan.planExternalId)}`);
      expect(found.body).toEqual({ data: [plan], limit: 1000, offset: 0, total: 1 });
    }
    for (const query of ["planExternalId=d", "planExternalId=", "planExternalId=A"])
      expect((await client.get(`${bucket}/plans?${query}`)).body).toMatchObject({ data: [], total: 0 });
    expectProblem(await client.get(`${bucket}/plans?offset=-1`), 400, "validation_failed", { pointer: "?offset" });
  });

  test("planExternalId is unique in its bucket", async () => {
    const bucket = await newMeteringBucket(client);
    const plan = await createPlan(client, bucket);
    const other = await createPlan(client, bucket);
    const { planExternalId } = plan;
    expectProblem(await client.post(`${bucket}/plans`, planInput({ planExternalId })), 409, "plan_exists");
    const renamed = await client.patch(`${bucket}/plans/${other.id}`, { planExternalId, label: "New" });
    expectProblem(renamed, 409, "plan_exists");
    expect((await client.get(`${bucket}/plans`)).body.data).toEqual([plan, other]);

    expect((await client.patch(`${bucket}/plans/${plan.id}`, { planExternalId })).status).toBe(200);
    await createPlan(client, await newMeteringBucket(client), { planExternalId });
    await client.delete(`${bucket}/plans/${plan.id}`);
    await createPlan(client, bucket, { planExternalId });
  });

  test("of ten plans of one planExternalId at once, one is made", async () => {
    const bucket = await newMeteringBucket(client);
    const input = planInput();
    const responses = await Promise.all(Array.from({ length: 10 }, () => client.post(`${bucket}/plans`, input)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
    expect((await client.get(`${bucket}/plans`)).body.total).toBe(1);
  });

  test("a plan is deleted, unless it has subscriptions", async () => {
    const bucket = await newMeteringBucket(client);
    const plan = await createPlan(client, bucket);
    const path = `${bucket}/plans/${plan.id}`;
    const { id } = await subscribe(client, bucket, [await createPlan(client, bucket), plan], { status: "canceled" });
    for (const query of ["", "?force=true"])
      expectProblem(await client.delete(path + query), 409, "plan_has_subscriptions");
    expect((await client.get(path)).body).toEqual({ ...plan, hasSubscriptions: true });
    await client.delete(`${bucket}/subscriptions/${id}`);
    expect(await client.delete(path)).toMatchObject({ status: 204, text: "" });
    expectProblem(await client.get(path), 404, "not_found");
    expectProblem(await client.delete(path), 404, "not_found");
    expect((await client.get(`${bucket}/plans`)).body.total).toBe(1);
  });

  test("a plan of another bucket is missing", async () => {
    const bucket = await newMeteringBucket(client);
    const other = await newMeteringBucket(client);
    const plan = await createPlan(client, other);
    const path = `${bucket}/plans/${plan.id}`;
    expectProblem(await client.get(path), 404, "not_found");
    expectProblem(await client.patch(path, { label: "New" }), 404, "not_found");
    expectProblem(await client.delete(path), 404, "not_found");
    expect((await client.get(`${other}/plans/${plan.id}`)).body).toEqual(plan);
  });

  test("one Idempotency-Key makes one plan", async () => {
    const bucket = await newMeteringBucket(client);
    const headers = { "idempotency-key": bucket };
    const input = planInput();
    const first = await client.post(`${bucket}/plans`, input, headers);
    const again = await client.post(`${bucket}/plans`, input, headers);
    expect([again.status, again.text, again.headers.get("etag")]).toEqual([200, first.text, first.headers.get("etag")]);
    expectProblem(await client.post(`${bucket}/plans`, planInput(), headers), 422, "idempotency_key_reused");
    expect((await client.get(`${bucket}/plans`)).body.data).toEqual([first.body]);
  });
});
