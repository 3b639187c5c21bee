import { Database as SqliteFile } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { type Database, eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { newMeteringBucket, record, subscribe, subscribed, usageEvent } from "../../../../../test/support/metering.ts";
import { useServer } from "../../../../../test/support/server.ts";
import { tableContent } from "../../../../../test/support/table-content.ts";

/** Writes directly to the database, bypassing the server. */
async function breakByHand({ environment }: Database, statement: string): Promise<void> {
  const { DATABASE_URL, TOLLGATE_DATA_DIR } = environment;
  if (DATABASE_URL === undefined) {
    using file = new SqliteFile(`${TOLLGATE_DATA_DIR}/tollgate.db`);
    file.run(statement);
  } else {
    await using connection = new SQL(DATABASE_URL, { max: 1 });
    await connection.unsafe(statement);
  }
}

const periodStart = "2026-01-15T10:00:00.000Z";
const meters = { requests: { max: 100 }, bytes: { max: 100 } };

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;
  const reconcile = async (bucket: string, query: Record<string, string> = {}) =>
    (await client.get(`${bucket}/reconciliation?${new URLSearchParams(query)}`)).body;
  const side = (events: number, amount: number) => ({ events, amount });
  const same = (events: number, amount: number) => ({
    accepted: events,
    counted: side(events, amount),
    stored: side(events, amount),
  });

  async function subscriptionIs(id: string): Promise<string> {
    const rows = await tableContent(server.database, "subscriptions");
    return `subscription_seq = ${rows.find((row) => row.id === id)!.seq}`;
  }

  test("a period of many events is read in slices, while others are counted, and differences are exact", async () => {
    const many = 60_000;
    const { bucket, subscription } = await subscribed(client, { meters: { requests: { max: 1 }, bytes: { max: 1 } } });
    await record(client, bucket, usageEvent({ requests: 0.5, bytes: 1 }));
    const is = await subscriptionIs(subscription.id);
    const columns = "bucket_seq, source, part, subscription_seq, time, period_start, received_on, meter";
    await breakByHand(
      server.database,
      `INSERT INTO usage_events (seq, event_id, whole, billionths, ${columns})
       WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${many})
       SELECT ${engine.name === "sqlite" ? "event.seq + 10 + n" : "nextval('usage_event_numbers')"}, 'many-' || n, 2, 500000000, ${columns}
       FROM numbers, (SELECT * FROM usage_events WHERE ${is} AND meter = 'requests') AS event`,
    );
    const added = `events = events + ${many}, whole = whole + ${many * 2.5}`;
    await breakByHand(server.database, `UPDATE usage_counters SET ${added} WHERE ${is} AND meter = 'requests'`);
    let isOver = false;
    let turns = 0;
    const count = () => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    const reconciled = reconcile(bucket).finally(() => {
      isOver = true;
    });
    setImmediate(count);
    let recorded = 0;
    while (!isOver) {
      await record(client, bucket, usageEvent({ requests: 1 }));
      recorded += 1;
    }
    const { agrees, meters, differences } = await reconciled;
    expect([agrees, differences]).toEqual([true, []]);
    expect(meters.bytes).toEqual(same(1, 1));
    expect(meters.requests.stored.events).toBeWithin(many + 1, many + recorded + 2);
    // PostgreSQL reads the events in a process of its own.
    if (engine.name === "sqlite") expect(turns).toBeGreaterThan(many / 1_000);

    await breakByHand(server.database, "DELETE FROM usage_events WHERE event_id = 'many-7'");
    const after = await reconcile(bucket);
    const counted = side(many + 1 + recorded, many * 2.5 + 0.5 + recorded);
    const stored = side(counted.events - 1, counted.amount - 2.5);
    expect(after).toMatchObject({ agrees: false, differences: [{ meter: "requests", counted, stored }] });
  });

  test("an empty bucket has no differences", async () => {
    expect(await reconcile(await newMeteringBucket(client))).toEqual({ agrees: true, meters: {}, differences: [] });
  });

  test("reports how much was accepted, counted and stored of each meter, of all subscriptions", async () => {
    const { bucket, plan, path } = await subscribed(client, { meters });
    await subscribe(client, bucket, [plan], { customerKey: "other" });
    await record(client, bucket, [
      usageEvent({ requests: 1, bytes: 0.5 }),
      usageEvent({ requests: 2 }, { subject: "other" }),
      usageEvent({ requests: 4 }, { time: "2025-01-01T00:00:00Z" }),
      usageEvent({ nothing: 4 }),
    ]);
    // Consumed amounts come from no event.
    await client.post(`${path}/quotas/consume`, { meters: { requests: 50 } });
    expect(await reconcile(bucket)).toEqual({
      agrees: true,
      meters: { requests: same(3, 7), bytes: same(1, 0.5) },
      differences: [],
    });
  });

  test("meters may have names that objects have", async () => {
    const names = ["toString", "valueOf", "hasOwnProperty", "isPrototypeOf"];
    const { bucket, path } = await subscribed(client, {
      meters: Object.fromEntries(names.map((name) => [name, { max: 9 }])),
    });
    await record(client, bucket, [usageEvent(Object.fromEntries(names.map((name) => [name, 2])))]);
    const consumed = await client.post(`${path}/quotas/consume`, { meters: { toString: 1 } });
    expect(consumed.body.meters.toString).toEqual({ used: 3, max: 9, available: 6 });
    const { agrees, meters: found } = await reconcile(bucket);
    expect(agrees).toBe(true);
    expect(Object.entries(found).sort()).toEqual(names.toSorted().map((name) => [name, same(1, 2)]));
  });

  test("stays exact when the fractions of millions of events add up", async () => {
    const { bucket, subscription } = await subscribed(client, { meters });
    await record(client, bucket, [usageEvent({ requests: 0.5 })]);
    // The state after retention removed 10 million events of 0.999999999.
    const fractions = "whole = 9999999, billionths = 990000000 + 500000000";
    const removed = "removed_events = 10000000, removed_whole = 0, removed_billionths = 9999999990000000";
    const ours = await subscriptionIs(subscription.id);
    await breakByHand(
      server.database,
      `UPDATE usage_counters SET events = 10000001, ${fractions}, ${removed} WHERE ${ours}`,
    );
    const sums = same(10_000_001, 10_000_000.49);
    expect(await reconcile(bucket)).toEqual({ agrees: true, meters: { requests: sums }, differences: [] });
    await breakByHand(server.database, `UPDATE usage_counters SET removed_billionths = 9999999990000001 WHERE ${ours}`);
    expect((await reconcile(bucket)).agrees).toBe(false);
  });

  describe("a range of time", () => {
    test("takes the periods that begin in it", async () => {
      const { bucket } = await subscribed(client, { meters }, { quotaResetAnchor: "2026-01-01T00:00:00Z" });
      await record(client, bucket, [
        usageEvent({ requests: 1 }, { time: "2025-12-31T23:59:59.999Z" }),
        usageEvent({ requests: 2 }, { time: "2026-01-01T00:00:00Z" }),
        usageEvent({ requests: 4 }, { time: "2026-01-31T00:00:00Z" }),
        usageEvent({ requests: 8 }, { time: "2026-02-01T00:00:00Z" }),
      ]);
      const counted = async (query: Record<string, string>) =>
        (await reconcile(bucket, query)).meters.requests?.counted;
      expect(await counted({})).toEqual(side(4, 15));
      expect(await counted({ from: "2026-01-01T00:00:00Z" })).toEqual(side(3, 14));
      expect(await counted({ to: "2026-02-01T00:00:00Z" })).toEqual(side(3, 7));
      expect(await counted({ from: "2026-01-01T00:00:00Z", to: "2026-02-01T00:00:00Z" })).toEqual(side(2, 6));
      expect(await counted({ from: "2026-01-02T00:00:00Z", to: "2026-02-01T00:00:00Z" })).toBeUndefined();
    });

    test.each([
      ["from=2026-01-01", "?from"],
      ["to=soon", "?to"],
      ["from=", "?from"],
    ])("is rejected: %s", async (query, pointer) => {
      const { bucket } = await subscribed(client);
      expectProblem(await client.get(`${bucket}/reconciliation?${query}`), 400, "validation_failed", { pointer });
    });
  });

  describe("broken by hand, and reported with subscription, meter and period:", () => {
    test.each<[what: string, statement: string, counted: object, stored: object]>([
      ["a counter too high", "UPDATE usage_counters SET whole = whole + 1 WHERE OURS", side(2, 8), side(2, 7)],
      ["a counter too low", "UPDATE usage_counters SET whole = 0 WHERE OURS", side(2, 0), side(2, 7)],
      ["a fraction too high", "UPDATE usage_counters SET billionths = 1 WHERE OURS", side(2, 7.000000001), side(2, 7)],
      ["too many events", "UPDATE usage_counters SET events = 3 WHERE OURS", side(3, 7), side(2, 7)],
      ["a counter that is gone", "DELETE FROM usage_counters WHERE OURS", side(0, 0), side(2, 7)],
      ["events that are gone", "DELETE FROM usage_events WHERE OURS", side(2, 7), side(0, 0)],
      ["one event that is gone", "DELETE FROM usage_events WHERE OURS AND whole = 3", side(2, 7), side(1, 4)],
      [
        "an event that was changed",
        "UPDATE usage_events SET whole = 5 WHERE OURS AND whole = 3",
        side(2, 7),
        side(2, 9),
      ],
    ])("%s", async (_what, statement, counted, stored) => {
      const { bucket, subscription } = await subscribed(client, { meters }, { quotaResetAnchor: periodStart });
      const at = { time: periodStart };
      await record(client, bucket, [
        usageEvent({ requests: 3, bytes: 1 }, at),
        usageEvent({ requests: 4 }, at),
        usageEvent({ requests: 5 }, { time: "2025-06-01T00:00:00Z" }),
      ]);
      const other = await subscribed(client, { meters });
      await record(client, other.bucket, [usageEvent({ requests: 3 })]);

      const ours = `${await subscriptionIs(subscription.id)} AND meter = 'requests' AND period_start = ${Date.parse(periodStart)}`;
      await breakByHand(server.database, statement.replace("OURS", ours));

      const { agrees, differences, meters: sums } = await reconcile(bucket);
      expect(agrees).toBe(false);
      expect(differences).toEqual([
        { subscriptionId: subscription.id, meter: "requests", periodStart, counted, stored },
      ]);
      expect(sums.bytes).toEqual(same(1, 1));
      expect((await reconcile(bucket, { to: periodStart })).agrees).toBe(true);
      expect((await reconcile(other.bucket)).agrees).toBe(true);
    });
  });
});
