import { expect, test } from "bun:test";
import { eachEngine } from "../../../../../test/support/engines.ts";
import {
  newMeteringBucket,
  record,
  subscribe,
  subscribed,
  usageEvent,
  usedOf,
} from "../../../../../test/support/metering.ts";
import { useServer } from "../../../../../test/support/server.ts";

eachEngine((engine) => {
  const { client, clock } = useServer(engine);

  async function agrees(bucket: string): Promise<boolean> {
    return (await client.get(`${bucket}/reconciliation`)).body.agrees;
  }

  test("an event is known by its id and source together, not by either alone", async () => {
    const { bucket, path } = await subscribed(client);
    const event = (id: string, source: string) => usageEvent({ requests: 1 }, { id, source });
    const first = [event("1", "a"), event("1", "b"), event("2", "a"), event("2", "b")];
    expect(await record(client, bucket, first)).toEqual({ accepted: 4, duplicates: 0, rejected: [] });
    for (const again of first)
      expect(await record(client, bucket, again)).toEqual({ accepted: 0, duplicates: 1, rejected: [] });
    // Concatenated, they would be the same.
    const joined = [event("1 a", "x"), event("a", "x 1"), event("1", "ax"), event("1a", "x")];
    expect(await record(client, bucket, joined)).toMatchObject({ accepted: 4 });
    expect(await usedOf(client, path)).toEqual({ requests: 8 });
  });

  test("whatever else of it changed, the first counts", async () => {
    const { bucket, plan, path } = await subscribed(client);
    const other = await subscribe(client, bucket, [plan], { customerKey: "other" });
    const first = usageEvent({ requests: 1 }, { time: "2026-01-20T00:00:00Z" });
    await record(client, bucket, first);
    for (const change of [
      { data: { requests: 50 } },
      { subject: "other" },
      { time: "2020-01-01T00:00:00Z" },
      { type: "x" },
    ])
      expect(await record(client, bucket, [{ ...first, ...change }])).toMatchObject({ accepted: 0, duplicates: 1 });
    expect(await usedOf(client, path)).toEqual({ requests: 1 });
    expect(await usedOf(client, path, "2020-01-01T00:00:00Z")).toEqual({ requests: 0 });
    expect(await usedOf(client, `${bucket}/subscriptions/${other.id}`)).toEqual({ requests: 0 });
  });

  test("an event whose time is null has none: it counts now", async () => {
    const { bucket, path } = await subscribed(client);
    const event = { ...usageEvent({ requests: 1 }), time: null };
    expect(await record(client, bucket, [event] as never)).toEqual({ accepted: 1, duplicates: 0, rejected: [] });
    expect(await usedOf(client, path)).toEqual({ requests: 1 });
    const { rejected } = await record(client, bucket, [{ ...event, id: "number", time: 5 }] as never);
    expect(rejected).toEqual([{ index: 0, detail: expect.stringContaining("RFC 3339") }]);
  });

  test("within a batch the first of equal events counts, in the counters and in storage", async () => {
    const meters = { requests: { max: 1 }, bytes: { max: 1 } };
    const { bucket, path } = await subscribed(client, { meters });
    const ids = Array.from({ length: 40 }, (_, index) => `same-${(index * 7) % 10}`);
    const batch = ids.map((id, index) => {
      const data: Record<string, number> = index % 2 ? { bytes: index + 1 } : { requests: index + 1 };
      return usageEvent(index % 3 ? data : { ...data, bytes: 1 }, { id });
    });
    const firsts = batch.filter(({ id }, index) => ids.indexOf(id) === index);
    const sum = (meter: string) => firsts.reduce((total, { data }) => total + (data[meter] ?? 0), 0);

    expect(await record(client, bucket, batch)).toEqual({ accepted: 10, duplicates: 30, rejected: [] });
    expect(await usedOf(client, path)).toEqual({ requests: sum("requests"), bytes: sum("bytes") });
    const { body } = await client.get(`${bucket}/reconciliation`);
    expect(body.agrees).toBe(true);
    expect(body.meters.requests.stored.amount).toBe(sum("requests"));
    expect(body.meters.bytes.stored.amount).toBe(sum("bytes"));
  });

  test("of 20 copies of one batch at once, each event counts once", async () => {
    const { bucket, path } = await subscribed(client);
    const batch = Array.from({ length: 50 }, (_, index) => usageEvent({ requests: index + 0.5 }));
    const orders = [
      batch,
      batch.toReversed(),
      batch.toSorted((one, other) => (one.id.at(-1)! < other.id.at(-1)! ? -1 : 1)),
    ];
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) => record(client, bucket, orders[index % orders.length])),
    );
    const total = (field: string) => responses.reduce((sum, response) => sum + response[field], 0);
    expect([total("accepted"), total("duplicates")]).toEqual([50, 950]);
    expect(await usedOf(client, path)).toEqual({ requests: 1250 });
    expect(await agrees(bucket)).toBe(true);
  });

  test("batches that overlap count each event once, whatever their order", async () => {
    const { bucket, plan, path } = await subscribed(client);
    const other = await subscribe(client, bucket, [plan], { customerKey: "other" });
    const events = Array.from({ length: 60 }, (_, index) =>
      usageEvent({ requests: 1 }, { subject: index % 2 ? "acme" : "other" }),
    );
    const responses = await Promise.all(
      Array.from({ length: 12 }, (_, index) => {
        const part = [...events.slice(index * 5), ...events.slice(0, index * 5)].slice(0, 40);
        return record(client, bucket, index % 2 ? part : part.toReversed());
      }),
    );
    expect(responses.reduce((sum, { accepted }) => sum + accepted, 0)).toBe(60);
    expect(await usedOf(client, path)).toEqual({ requests: 30 });
    expect(await usedOf(client, `${bucket}/subscriptions/${other.id}`)).toEqual({ requests: 30 });
    expect(await agrees(bucket)).toBe(true);
  });

  test("buckets only count their own events", async () => {
    const [one, other] = [await subscribed(client), await subscribed(client)];
    const event = usageEvent({ requests: 1 });
    expect(await record(client, one.bucket, event)).toMatchObject({ accepted: 1 });
    expect(await record(client, other.bucket, event)).toMatchObject({ accepted: 1 });
    expect(await record(client, await newMeteringBucket(client), [event])).toMatchObject({
      accepted: 0,
      duplicates: 0,
    });
  });

  test("an event is known months later", async () => {
    const { bucket, path } = await subscribed(client);
    const event = usageEvent({ requests: 1 });
    await record(client, bucket, event);
    clock.advance(300 * 24 * 60 * 60 * 1000);
    expect(await record(client, bucket, event)).toMatchObject({ accepted: 0, duplicates: 1 });
    expect(await usedOf(client, path)).toEqual({ requests: 0 });
  });

  test("an event that was counted is a duplicate, whatever became of its subscription since", async () => {
    const { bucket, path, plan } = await subscribed(client);
    const event = usageEvent({ requests: 1 });
    await record(client, bucket, event);
    await client.patch(`${bucket}/plans/${plan.id}`, { meters: { other: { max: 1 } } });
    expect(await record(client, bucket, event)).toEqual({ accepted: 0, duplicates: 1, rejected: [] });
    await client.patch(path, { status: "canceled" });
    expect(await record(client, bucket, event)).toEqual({ accepted: 0, duplicates: 1, rejected: [] });
    const unknown = usageEvent({ requests: 1 });
    const batch = [unknown, event, { ...event, data: {} }, { ...event, source: "another" }];
    const { rejected, ...counts } = await record(client, bucket, batch);
    expect(counts).toEqual({ accepted: 0, duplicates: 1 });
    expect(rejected.map(({ index }: { index: number }) => index)).toEqual([0, 2, 3]);
    expect(await usedOf(client, path)).toMatchObject({ requests: 1 });
  });

  test("one Idempotency-Key replays the first response to a batch", async () => {
    const { bucket, path } = await subscribed(client);
    const batch = [usageEvent({ requests: 1 }), usageEvent({ nothing: 1 })];
    const headers = { "idempotency-key": bucket };
    const first = await client.post(`${bucket}/events`, batch, headers);
    expect(first.body).toMatchObject({ accepted: 1, duplicates: 0, rejected: [{ index: 1 }] });
    expect((await client.post(`${bucket}/events`, batch, headers)).text).toBe(first.text);
    expect(await usedOf(client, path)).toEqual({ requests: 1 });
  });
});
