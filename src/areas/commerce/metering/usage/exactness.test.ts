import { expect, test } from "bun:test";
import fc from "fast-check";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { forAtMost } from "../../../../../test/support/for-at-most.ts";
import {
  createPlan,
  metersOf,
  newMeteringBucket,
  record,
  subscribe,
  subscribed,
  usageEvent,
  usedOf,
} from "../../../../../test/support/metering.ts";
import { useServer } from "../../../../../test/support/server.ts";
import { tableContent } from "../../../../../test/support/table-content.ts";
import { amountOf, numberOf } from "../../../../lib/amount.ts";

const largest = Number.MAX_SAFE_INTEGER;
const meters = { requests: { max: largest } };

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;

  test.each<[amounts: number[], sum: number]>([
    [[1e15, 1], 1_000_000_000_000_001],
    [[1, 1e15], 1_000_000_000_000_001],
    [Array(10).fill(0.1), 1],
    [[0.1, 0.2], 0.3],
    [[largest - 1, 1], largest],
    [[largest - 1, 0.5, 0.5], largest],
    [[0.000000001, 0.999999999], 1],
    [[4503599627370495.5, 0.5], 4503599627370496],
  ])("%j is %d, in one batch, one by one, and consumed", async (amounts, sum) => {
    const together = await subscribed(client, { meters });
    await record(
      client,
      together.bucket,
      amounts.map((requests) => usageEvent({ requests })),
    );
    expect(await usedOf(client, together.path)).toEqual({ requests: sum });
    const { stored } = (await client.get(`${together.bucket}/reconciliation`)).body.meters.requests;
    expect(stored).toEqual({ events: amounts.length, amount: sum });

    const oneByOne = await subscribed(client, { meters });
    for (const requests of amounts) await record(client, oneByOne.bucket, usageEvent({ requests }));
    expect(await usedOf(client, oneByOne.path)).toEqual({ requests: sum });

    const consumed = await subscribed(client, { meters: { requests: { max: sum } } });
    const consume = (requests: number) => client.post(`${consumed.path}/quotas/consume`, { meters: { requests } });
    for (const requests of amounts) expect((await consume(requests)).body.allowed).toBe(true);
    expect((await metersOf(client, consumed.path)).requests).toEqual({ used: sum, max: sum, available: 0 });
    expect((await consume(0.000000001)).body.allowed).toBe(false);
  });

  test("the remaining amount is exact", async () => {
    const { bucket, path } = await subscribed(client, { meters: { requests: { max: 1 } } });
    await record(client, bucket, [usageEvent({ requests: 0.7 }), usageEvent({ requests: 0.2 })]);
    expect((await metersOf(client, path)).requests).toEqual({ used: 0.9, max: 1, available: 0.1 });
    const consume = (requests: number) => client.post(`${path}/quotas/consume`, { meters: { requests } });
    expect((await consume(0.100000001)).body.allowed).toBe(false);
    expect((await consume(0.1)).body).toEqual({
      allowed: true,
      meters: { requests: { used: 1, max: 1, available: 0 } },
    });
  });

  test("counters keep fractions below one, so that sums stay in the exact range of numbers", async () => {
    const { bucket, path } = await subscribed(client, { meters });
    for (let round = 0; round < 3; round++)
      await record(client, bucket, [usageEvent({ requests: 0.9 }), usageEvent({ requests: 0.95 })]);
    for (let round = 0; round < 3; round++) await client.post(`${path}/quotas/consume`, { meters: { requests: 0.8 } });
    expect(await usedOf(client, path)).toEqual({ requests: 7.95 });
    for (const counter of await tableContent(server.database, "usage_counters")) {
      expect(Number(counter.billionths)).toBeLessThan(1_000_000_000);
      expect(Number(counter.consumed_billionths)).toBeLessThan(1_000_000_000);
    }
  });

  test("more than can be counted exactly is never a failure of the server", async () => {
    const { bucket, path } = await subscribed(client, { meters });
    const batch = Array.from({ length: 1100 }, () => usageEvent({ requests: largest }));
    for (const events of [batch, [usageEvent({ requests: largest })], [usageEvent({ requests: 1 })]])
      expect((await client.post(`${bucket}/events`, events)).status).toBe(200);
    expect((await usedOf(client, path)).requests).toBeGreaterThanOrEqual(largest);
    expect((await metersOf(client, path)).requests.available).toBe(0);
    expect((await client.get(`${bucket}/reconciliation`)).body.agrees).toBe(true);
  });

  test("sums do not depend on the order of events", async () => {
    const bucket = await newMeteringBucket(client);
    const plan = await createPlan(client, bucket, { meters });
    const amount = fc
      .tuple(fc.integer({ min: 1, max: 999_999_999 }), fc.integer({ min: 0, max: 9 }))
      .map(([digits, places]) => Number(`${digits}e-${places}`));
    const orders = fc
      .array(amount, { minLength: 1, maxLength: 20 })
      .chain((amounts) => fc.tuple(fc.constant(amounts), fc.shuffledSubarray(amounts, { minLength: amounts.length })));
    await fc.assert(
      fc.asyncProperty(
        orders,
        fc.integer({ min: 1, max: 20 }),
        forAtMost(3000, async ([amounts, shuffled], size) => {
          const sums = [];
          for (const order of [amounts, shuffled]) {
            const customerKey = `customer-${crypto.randomUUID()}`;
            const { id } = await subscribe(client, bucket, [plan], { customerKey });
            const events = order.map((requests) => usageEvent({ requests }, { subject: customerKey }));
            for (let at = 0; at < events.length; at += size) await record(client, bucket, events.slice(at, at + size));
            sums.push((await usedOf(client, `${bucket}/subscriptions/${id}`)).requests);
          }
          const exact = numberOf(amounts.reduce((sum, each) => sum + amountOf(each)!, 0n));
          expect(sums).toEqual([exact, exact]);
        }),
      ),
      { numRuns: 40 },
    );
  });
});
