import { beforeAll, describe, expect, test } from "bun:test";
import { moveTo, newTestBucket } from "../../../../../test/support/billing.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { createPlan, newMeteringBucket, record, subscribe, usageEvent } from "../../../../../test/support/metering.ts";
import { runSql } from "../../../../../test/support/run-sql.ts";
import { useServer } from "../../../../../test/support/server.ts";
import { tableContent } from "../../../../../test/support/table-content.ts";

const hourMilliseconds = 3_600_000;

/** Ended subscriptions that make a bucket large. */
const padding = 2_000;

eachEngine((engine) => {
  const server = useServer(engine);
  const { client, clock } = server;

  /** Copies a subscription of the bucket as canceled, as often as it takes to be a large bucket. */
  async function enlarge(bucket: string, ended: string): Promise<void> {
    const [row] = await tableContent(server.database, "subscriptions LIMIT 1");
    const columns = Object.keys(row!).filter((column) => column !== "seq");
    const values = columns.map((column) => (column === "id" ? "'sbsc_' || n || '_' || ended.seq" : `ended.${column}`));
    await runSql(
      server.database,
      `INSERT INTO subscriptions (${columns.join(", ")})
       WITH RECURSIVE copies(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copies WHERE n < ${padding})
       SELECT ${values.join(", ")} FROM copies CROSS JOIN (SELECT * FROM subscriptions WHERE id = '${ended}') AS ended`,
    );
    await runSql(
      server.database,
      `INSERT INTO list_blocks (scope, list, block, shard, size)
       VALUES ('${bucket.split("/").at(-1)}', 'subscriptions', 1000000, 0, ${padding})`,
    );
  }

  async function customers(bucket: string, plan: { id: string; planExternalId: string }, used: Record<string, number>) {
    const ids: Record<string, string> = {};
    for (const [customerKey, requests] of Object.entries(used)) {
      ids[customerKey] = (await subscribe(client, bucket, [plan], { customerKey })).id;
      if (requests > 0) await record(client, bucket, usageEvent({ requests }, { subject: customerKey }));
    }
    const ended = (await subscribe(client, bucket, [plan], { customerKey: "ended" })).id;
    await client.patch(`${bucket}/subscriptions/${ended}`, { status: "canceled" });
    await enlarge(bucket, ended);
    return ids;
  }

  const use = (bucket: string, customerKey: string, requests: number) =>
    record(client, bucket, usageEvent({ requests }, { subject: customerKey }));

  /** Total, then the customers with their shares. */
  async function listed(bucket: string, query = "") {
    const { body } = await client.get(`${bucket}/usage${query}`);
    const shares = body.data.map((each: { customerKey: string; share: number }) => [each.customerKey, each.share]);
    return { total: body.total, shares, rankedOn: body.rankedOn };
  }

  async function rankAgain(): Promise<void> {
    clock.advance(hourMilliseconds);
    await server.runTasks();
  }

  describe("a bucket with many subscriptions", () => {
    let bucket: string;
    let plan: { id: string; planExternalId: string };
    let ids: Record<string, string>;
    let rankedOn: string;

    beforeAll(async () => {
      clock.set("2031-06-01T00:00:00.000Z");
      bucket = await newMeteringBucket(client);
      plan = await createPlan(client, bucket, { meters: { requests: { max: 100 } } });
      ids = await customers(bucket, plan, { low: 10, over: 150, near: 80, idle: 0, other: 79 });
    });

    test("is ranked for each request until there is a ranking", async () => {
      const { total, rankedOn } = await listed(bucket);
      expect([total, rankedOn]).toEqual([5, undefined]);
    });

    test("is listed in the order of its ranking, with current shares", async () => {
      rankedOn = clock.iso();
      await server.runTasks();
      const order = [
        ["over", 1.5],
        ["near", 0.8],
        ["other", 0.79],
        ["low", 0.1],
        ["idle", 0],
      ];
      expect(await listed(bucket)).toEqual({ total: 5, shares: order, rankedOn });
      expect(await listed(bucket, "?near=0.8")).toEqual({ total: 2, shares: order.slice(0, 2), rankedOn });
      expect(await listed(bucket, "?near=0.7999999")).toMatchObject({ total: 2 });
      expect(await listed(bucket, "?near=0.79")).toMatchObject({ total: 3 });
      expect(await listed(bucket, "?near=3")).toEqual({ total: 0, shares: [], rankedOn });
      expect(await listed(bucket, "?limit=2&offset=2")).toEqual({ total: 5, shares: order.slice(2, 4), rankedOn });
      expect(await listed(bucket, "?offset=5")).toMatchObject({ total: 5, shares: [] });
      // Those of some customers and of one meter are compared for each request.
      for (const query of ["?customerKeys=low,over", "?meter=requests"])
        expect((await listed(bucket, query)).rankedOn).toBeUndefined();

      await use(bucket, "low", 80);
      expect((await listed(bucket, "?limit=3")).shares.map(([name]: [string]) => name)).toEqual([
        "over",
        "near",
        "other",
      ]);
      expect((await listed(bucket, "?limit=1&offset=3")).shares).toEqual([["low", 0.9]]);
    });

    test("links to the next page of the same ranking", async () => {
      const first = await client.get(`${bucket}/usage?limit=3`);
      const link = first.headers.get("link")!;
      expect(link).toContain(`limit=3&offset=3&rankedOn=${encodeURIComponent(rankedOn)}`);
      await rankAgain();
      expect((await listed(bucket)).shares.slice(0, 2)).toEqual([
        ["over", 1.5],
        ["low", 0.9],
      ]);
      const next = await client.get(/<(.*)>/.exec(link)![1]!);
      expect(next.body).toMatchObject({ total: 5, rankedOn, data: [{ customerKey: "low" }, { customerKey: "idle" }] });
      // The former ranking is removed by the one after the next. The last one is used then.
      await rankAgain();
      expect((await listed(bucket, `?rankedOn=${rankedOn}`)).rankedOn).toBe(clock.iso());
      expectProblem(await client.get(`${bucket}/usage?rankedOn=now`), 400, "validation_failed", {
        pointer: "?rankedOn",
      });
    });

    test("omits a deleted subscription at once, and has a new plan with the next ranking", async () => {
      await client.delete(`${bucket}/subscriptions/${ids.other}`);
      expect((await listed(bucket, "?limit=3")).shares.map(([name]: [string]) => name)).toEqual([
        "over",
        "low",
        "near",
      ]);
      const large = await createPlan(client, bucket, { meters: { requests: { max: 1_000 } } });
      const changed = { planExternalIds: [large.planExternalId] };
      expect((await client.patch(`${bucket}/subscriptions/${ids.over}`, changed)).status).toBe(200);
      await rankAgain();
      expect(await listed(bucket)).toMatchObject({
        total: 4,
        shares: [
          ["low", 0.9],
          ["near", 0.8],
          ["over", 0.15],
          ["idle", 0],
        ],
      });
    });

    test("shows the usage of a new period, and ranks it anew", async () => {
      clock.set("2031-07-01T00:00:01.000Z");
      await use(bucket, "idle", 20);
      const renewed = [
        ["idle", 0.2],
        ["low", 0],
        ["over", 0],
        ["near", 0],
      ];
      expect((await listed(bucket)).shares).toEqual(renewed);
      // The total is that of the ranking, but nothing is near a limit.
      expect(await listed(bucket, "?near=0.8")).toMatchObject({ total: 2, shares: [] });
      await rankAgain();
      expect((await listed(bucket, "?limit=1")).shares).toEqual([["idle", 0.2]]);
      expect(await listed(bucket, "?near=0.8")).toMatchObject({ total: 0, shares: [] });
    });

    test("has no ranking if it is no longer large", async () => {
      await runSql(server.database, `DELETE FROM list_blocks WHERE block = 1000000`);
      await rankAgain();
      expect((await listed(bucket)).rankedOn).toBeUndefined();
      expect(await tableContent(server.database, "usage_ranking_blocks")).toEqual([]);
    });
  });

  test("a test bucket is ranked again when its clock is moved", async () => {
    const bucket = await newTestBucket(client, "2032-01-01T00:00:00.000Z");
    const plan = await createPlan(client, bucket, { meters: { requests: { max: 100 } } });
    await customers(bucket, plan, { one: 50, two: 40 });
    await server.runTasks();
    expect((await listed(bucket)).shares).toEqual([
      ["one", 0.5],
      ["two", 0.4],
    ]);
    await moveTo(client, bucket, "2032-02-01T00:00:00.000Z");
    await use(bucket, "two", 10);
    await server.runTasks();
    expect(await listed(bucket, "?limit=1")).toMatchObject({
      total: 2,
      shares: [["two", 0.1]],
      rankedOn: clock.iso(1),
    });
  });
});
