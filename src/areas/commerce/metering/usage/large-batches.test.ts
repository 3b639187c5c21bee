import { expect, test } from "bun:test";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { record, subscribed, usageEvent, usedOf } from "../../../../../test/support/metering.ts";
import { useServer } from "../../../../../test/support/server.ts";

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;

  test("a large batch yields to the event loop while it is read and stored, and is still one batch", async () => {
    const { bucket, path } = await subscribed(client, { meters: { requests: { max: 1_000_000 } } });
    const batch = Array.from({ length: 12_000 }, () => usageEvent({ requests: 1 }));
    const wrong = { ...usageEvent({ requests: 1 }), specversion: "2.0" };
    let isOver = false;
    let turns = 0;
    const count = () => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    // Measured from the start of its write: the parsing of the body before it is one turn.
    const response = record(client, bucket, [...batch, wrong, batch[0]!]).finally(() => {
      isOver = true;
    });
    setImmediate(count);
    expect(await response).toMatchObject({ accepted: 12_000, duplicates: 1, rejected: [{ index: 12_000 }] });
    expect(turns).toBeGreaterThan(48);
    expect(await usedOf(client, path)).toEqual({ requests: 12_000 });
    expect(await record(client, bucket, batch)).toMatchObject({ accepted: 0, duplicates: 12_000, rejected: [] });
  });

  test("a batch of many amounts is rejected with an Idempotency-Key, and counted without it", async () => {
    const meters = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`meter-${index}`, { max: 100 }]));
    const { bucket, path } = await subscribed(client, { meters });
    const amounts = Object.fromEntries(Object.keys(meters).map((meter) => [meter, 1]));
    const batch = Array.from({ length: 51 }, () => usageEvent(amounts));
    const rejected = await client.post(`${bucket}/events`, batch, { "idempotency-key": "many" });
    expectProblem(rejected, 400, "validation_failed", { pointer: "" });
    expect(rejected.body.errors[0].detail).toContain("at most 5000 amounts with an Idempotency-Key");
    expect((await usedOf(client, path))["meter-99"]).toBe(0);
    const few = await client.post(`${bucket}/events`, batch.slice(0, 50), { "idempotency-key": "few" });
    expect(few.body).toEqual({ accepted: 50, duplicates: 0, rejected: [] });
    expect(await record(client, bucket, batch)).toEqual({ accepted: 1, duplicates: 50, rejected: [] });
    expect((await usedOf(client, path))["meter-99"]).toBe(51);
  });

  test("a batch with too many items is rejected as a whole", async () => {
    const { bucket, path } = await subscribed(client, { meters: { requests: { max: 10 } } });
    const nothings = new Array(100_000).fill(0);
    const rejected = await client.post(`${bucket}/events`, [usageEvent({ requests: 1 }), ...nothings]);
    expectProblem(rejected, 400, "validation_failed");
    expect(rejected.body.errors).toEqual([{ pointer: "", detail: "must have at most 100000 events" }]);
    expect(await usedOf(client, path)).toEqual({ requests: 0 });
  });
});
