import { expect, test } from "bun:test";
import { newBucketPath } from "./support/bucket-path.ts";
import { eachEngine } from "./support/engines.ts";
import { expectProblem } from "./support/expect-problem.ts";
import { createPlan, newMeteringBucket, type PlanNames, subscribe } from "./support/metering.ts";
import { useServer } from "./support/server.ts";

eachEngine((engine) => {
  const { client } = useServer(engine);

  async function expectTooLarge(path: string, rows: number, fewer: number): Promise<void> {
    const rejected = await client.get(path);
    expectProblem(rejected, 400, "validation_failed", { pointer: "?limit" });
    expect(rejected.body.errors[0].detail).toBe("would return more than 16 MiB: lower it");
    const { status, body, headers } = await client.get(`${path}?limit=${fewer}`);
    expect([status, body.data.length, body.total]).toEqual([200, fewer, rows]);
    expect(headers.get("link")).toContain(`offset=${fewer}`);
  }

  const label = "\u4e2d".repeat(240);
  const metersOf = (plan: number) =>
    Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`meter-${plan}-${index}`, { label, max: 1 }]));

  test("a page of more than 16 MiB is rejected, and a shorter one is returned", async () => {
    const bucket = await newMeteringBucket(client);
    for (let count = 0; count < 240; count++) await createPlan(client, bucket, { meters: metersOf(0) });
    await expectTooLarge(`${bucket}/plans`, 240, 200);
  });

  test("a page of usage with more than 16 MiB of labels is rejected, and a shorter one or one meter is returned", async () => {
    const bucket = await newMeteringBucket(client);
    const plans: PlanNames[] = [];
    for (let plan = 0; plan < 20; plan++) plans.push(await createPlan(client, bucket, { meters: metersOf(plan) }));
    for (let count = 0; count < 12; count++)
      await subscribe(client, bucket, plans, { customerKey: `customer-${count}` });
    await expectTooLarge(`${bucket}/usage`, 12, 2);
    const { body } = await client.get(`${bucket}/usage?meter=meter-3-7`);
    expect(body.data).toHaveLength(12);
    expect(body.data[11]).toMatchObject({ meters: { "meter-3-7": { label, max: 1, share: 0 } } });
  });

  test("a long list of subscriptions has the plans of each in order", async () => {
    const bucket = await newMeteringBucket(client);
    const plans = [];
    for (let count = 0; count < 4; count++) plans.push(await createPlan(client, bucket));
    const expected: Record<string, string[]> = {};
    for (let count = 0; count < 101; count++) {
      const chosen = [plans[count % 4], plans[(count + 3) % 4]];
      const { id } = await subscribe(client, bucket, chosen, { customerKey: `customer-${count}` });
      expected[id] = chosen.map((plan) => plan.id);
    }
    const { body } = await client.get(`${bucket}/subscriptions?limit=1000`);
    const listed = body.data.map(({ id, planIds }: { id: string; planIds: string[] }) => [id, planIds]);
    expect(Object.fromEntries(listed)).toEqual(expected);
  });

  test("rows with large members are listed as they are read one by one", async () => {
    const text = "\u00e9\u4e2d\ud83d\ude00".repeat(1_700);
    const metadata = { text };
    const consumers = `${newBucketPath()}/consumers`;
    const bucket = await newMeteringBucket(client);
    const plan = await createPlan(client, bucket);
    for (let count = 0; count < 20; count++) {
      await client.post(consumers, { name: `large-${count}`, metadata, apiKeys: [{ metadata }] });
      await subscribe(client, bucket, [plan], { customerKey: `customer-${count}`, metadata });
    }
    const { body: listed } = await client.get(`${consumers}?include-api-keys=true`);
    for (const each of listed.data) {
      const { body } = await client.get(`${consumers}/${each.name}?include-api-keys=true`);
      expect(each).toEqual(body);
      expect([each.metadata, each.apiKeys[0].metadata]).toEqual([metadata, metadata]);
    }
    const { body: page } = await client.get(`${bucket}/subscriptions`);
    expect(page.data.map((each: { metadata: object }) => each.metadata)).toEqual(Array(20).fill(metadata));
  });
});
