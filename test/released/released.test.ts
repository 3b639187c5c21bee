import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type Database, eachEngine } from "../support/engines.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { verdict } from "../support/key-holder.ts";
import { callHost } from "../support/project.ts";
import { TestServer } from "../support/server.ts";
import { adminToken } from "../support/server-settings.ts";
import { tableContent, tableNames } from "../support/table-content.ts";
import { load } from "./dump.ts";
import { type Released, read, settings } from "./fill.ts";

const versions = readdirSync(import.meta.dir, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

/** Tables without a row in a database at rest, or in one of this size. */
const emptyTables: Record<string, string> = {
  quota_holds: "what nodes hold, which they return when they stop",
  removed_usage: "the sums of dropped partitions, until they are added to the counters",
  usage_event_keys: "added when events are partitioned, as after a move from SQLite",
  usage_ranking_blocks: "of buckets with more than 2,000 subscriptions",
  usage_rankings: "of buckets with more than 2,000 subscriptions",
  webhook_removals: "deleted webhooks, until their deliveries are deleted",
};

/** The messages that wait in the database are sent as soon as the server has started. */
const among = ({ data, ...rest }: { data: object[] }) => ({
  ...rest,
  data: expect.arrayContaining(data.map((delivery) => expect.objectContaining(delivery))),
});

test("there is a database of every release", () => {
  expect(versions).toContain("0.1.0");
});

eachEngine((engine) => {
  describe.each(versions)("a database of version %s", (version) => {
    let database: Database;
    let server: TestServer;
    let released: Released;
    let tables: string[];
    const empty: string[] = [];
    const file = (extension: string) => Bun.file(join(import.meta.dir, version, `${engine.name}.${extension}`));

    beforeAll(async () => {
      released = await file("json").json();
      database = await engine.freshDatabase();
      await load(database, await file("sql").text());
      tables = await tableNames(database);
      for (const table of tables) if ((await tableContent(database, table)).length === 0) empty.push(table);
      server = new TestServer(engine, { database, environment: settings, clock: new FakeClock(released.time) });
      await server.start();
    });

    afterAll(async () => {
      await server.stop();
      await database.drop();
    });

    test("has data in every table", () => {
      expect(tables.length).toBeGreaterThan(100);
      expect(empty.filter((table) => !Object.hasOwn(emptyTables, table))).toEqual([]);
    });

    test("is returned as it was stored", async () => {
      for (const [path, body] of Object.entries(released.reads)) {
        const now = await read(server.client, path);
        expect({ path, body: now }).toMatchObject({
          path,
          body: path.includes("/deliveries") ? among(body as { data: object[] }) : body,
        });
      }
    });

    test("has keys that verify as they did", async () => {
      for (const [key, expected] of Object.entries(released.verdicts))
        expect([key, await verdict(server.client, released.bucket, key)]).toEqual([key, expected]);
    });

    test("replays idempotent requests", async () => {
      const { path, key, response } = released.idempotent;
      // Not by the test client, which validates against the current API: the response is that of the old version.
      const again = await fetch(server.url + path, {
        method: "POST",
        headers: { authorization: `Bearer ${adminToken}`, "idempotency-key": key },
        body: JSON.stringify({ description: "once" }),
      });
      expect(again.headers.get("idempotency-replayed")).toBe("true");
      expect(await again.json()).toEqual(response);
    });

    test("continues its counters, and counts no event twice", async () => {
      const { client } = server;
      const { bucket, path, event, used } = released.subscription;
      const usedNow = async () => (await client.get(`${path}/usage`)).body.meters.requests.used;
      expect((await client.post(`${bucket}/events`, event)).status).toBeLessThan(300);
      expect(await usedNow()).toBe(used);
      const series = async (step: string) =>
        (await client.get(`${path}/usage-series?step=${step}`)).body.meters.requests as {
          used: number;
          points: { used: number }[];
        };
      // Usage before the upgrade is one point, at the start of its period.
      for (const step of ["1h", "1d"]) expect(await series(step)).toMatchObject({ used, points: [{ used }] });
      const taken = await client.post(`${path}/quotas/consume`, { meters: { requests: 2 } });
      expect(taken.body).toMatchObject({ allowed: true });
      expect(await usedNow()).toBe(used + 2);
      for (const step of ["1h", "1d"]) expect((await series(step)).used).toBe(used + 2);
    });

    test("has deployments that serve", async () => {
      const { host, key } = released.deployment;
      const headers = { authorization: `Bearer ${key}` };
      const response = await callHost(server.url, host, "/hello/you", { headers });
      expect([response.status, await response.text()]).toEqual([200, "hello you"]);
      expect((await callHost(server.url, host, "/hello/you")).status).toBe(401);
    });

    test("accepts new data, and restarts", async () => {
      const { client } = server;
      const created = await client.post(`${released.bucket}/consumers?with-api-key=true`, { name: "newcomer" });
      expect(created.status).toBe(200);
      await server.restart();
      expect(await verdict(client, released.bucket, created.body.apiKeys[0].key)).toBe("valid");
    });
  });
});
