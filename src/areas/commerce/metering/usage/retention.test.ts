import { expect, spyOn, test } from "bun:test";
import type { Client } from "../../../../../test/support/client.ts";
import { type Database, type Engine, eachEngine, postgres } from "../../../../../test/support/engines.ts";
import { FakeClock } from "../../../../../test/support/fake-clock.ts";
import { record, subscribed, usageEvent, usedOf } from "../../../../../test/support/metering.ts";
import { startServer } from "../../../../../test/support/server.ts";
import { openStorageOf } from "../../../../../test/support/storage.ts";
import { tableContent } from "../../../../../test/support/table-content.ts";
import { type TemporaryFolder, temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { until } from "../../../../../test/support/until.ts";
import type { Storage } from "../../../../platform/storage/storage.ts";
import { removeOldEvents } from "./retention.ts";

const day = 24 * 60 * 60 * 1000;
const meters = { requests: { max: 10_000 }, bytes: { max: 10_000 } };

interface Place {
  database: Database;
  folder: TemporaryFolder;
  clock: FakeClock;
}

async function inPlace(engine: Engine, work: (place: Place) => Promise<void>): Promise<void> {
  const database = await engine.freshDatabase();
  const folder = await temporaryFolder("storage");
  try {
    await work({ database, folder, clock: new FakeClock() });
  } finally {
    await folder.remove();
    await database.drop();
  }
}

async function withServer<Result>(engine: Engine, place: Place, work: (client: Client) => Promise<Result>) {
  const environment = { TOLLGATE_EVENT_DAYS: "30" };
  const server = await startServer(engine, { database: place.database, clock: place.clock, environment });
  try {
    return await work(server.client);
  } finally {
    await server.stop();
  }
}

/** The storage of so many nodes; on SQLite of one, while no server uses it. */
async function withStorages(count: number, place: Place, work: (storages: Storage[]) => Promise<void>): Promise<void> {
  const { database, folder, clock } = place;
  const storages: Storage[] = [];
  try {
    for (let index = 0; index < count; index++) {
      const storage = await openStorageOf(database, folder.path, clock);
      storages.push(storage);
    }
    await work(storages);
  } finally {
    for (const storage of storages) await storage.close();
  }
}

const many = (count: number, data: object) => Array.from({ length: count }, () => usageEvent(data));
const reconcile = async (client: Client, bucket: string) => (await client.get(`${bucket}/reconciliation`)).body;

eachEngine((engine) => {
  test("events beyond the retention are removed; their sums stay", () =>
    inPlace(engine, async (place) => {
      const { database, clock } = place;
      // Partitions of a day are dropped after it.
      const received = clock.now();
      const removedFrom = engine.name === "sqlite" ? received + 1 : Math.ceil(received / day) * day;
      const old = many(1200, { requests: 1, bytes: 0.5 });
      const recent = [usageEvent({ requests: 10 }), usageEvent({ requests: 20 }, { time: "2020-01-01T00:00:00Z" })];
      const { bucket, path, before } = await withServer(engine, place, async (client) => {
        const made = await subscribed(client, { meters });
        await record(client, made.bucket, old);
        await client.post(`${made.path}/quotas/consume`, { meters: { requests: 3 } });
        clock.advance(2 * day);
        await record(client, made.bucket, recent);
        return { ...made, before: await reconcile(client, made.bucket) };
      });
      expect(before).toMatchObject({ agrees: true, meters: { requests: { accepted: 1202 } } });

      await withStorages(1, place, async ([storage]) => {
        await removeOldEvents(storage!, clock.now() - 3 * day);
        // An event that was received exactly at that time is not before it.
        await removeOldEvents(storage!, clock.now() - 2 * day);
        expect(await tableContent(database, "usage_events")).toHaveLength(2402);
        await removeOldEvents(storage!, removedFrom - 1);
        expect(await tableContent(database, "usage_events")).toHaveLength(2402);
        await removeOldEvents(storage!, removedFrom);
        // By the time of receipt, not by the event's own time.
        const left = await tableContent(database, "usage_events");
        expect(left.map(({ event_id }) => event_id)).toEqual(recent.map(({ id }) => id));
        await removeOldEvents(storage!, removedFrom);
        if (engine.name === "postgres") expect(await tableContent(database, "usage_event_keys")).toHaveLength(2);
      });

      await withServer(engine, place, async (client) => {
        expect(await usedOf(client, path)).toEqual({ requests: 1213, bytes: 600 });
        expect(await reconcile(client, bucket)).toEqual(before);
        expect(await record(client, bucket, recent)).toEqual({ accepted: 0, duplicates: 2, rejected: [] });
        await record(client, bucket, [usageEvent({ requests: 1 })]);
        // A removed event counts as new: deduplication covers the retention period only.
        expect(await record(client, bucket, old.slice(0, 3))).toEqual({ accepted: 3, duplicates: 0, rejected: [] });
        expect(await reconcile(client, bucket)).toMatchObject({
          agrees: true,
          meters: { requests: { accepted: 1206 }, bytes: { accepted: 1203 } },
        });
      });
    }));

  test("the server removes events after TOLLGATE_EVENT_DAYS", () =>
    inPlace(engine, async ({ database, clock }) => {
      const timers = spyOn(globalThis, "setInterval");
      const server = await startServer(engine, { database, clock, environment: { TOLLGATE_EVENT_DAYS: "2" } });
      const housekeeping = timers.mock.calls.map(([work]) => work as () => void);
      timers.mockRestore();
      try {
        const { bucket, path } = await subscribed(server.client, { meters });
        const [old, recent] = [usageEvent({ requests: 1 }), usageEvent({ requests: 2 })];
        await record(server.client, bucket, old);
        clock.advance(day);
        await record(server.client, bucket, recent);
        clock.advance(day + 14 * 60 * 60 * 1000);
        for (const work of housekeeping) work();
        const kept = async () => (await tableContent(database, "usage_events")).map(({ event_id }) => event_id);
        await until(async () => (await kept()).length < 2);
        expect(await kept()).toEqual([recent.id]);
        expect(await usedOf(server.client, path)).toEqual({ requests: 3, bytes: 0 });
        expect(await record(server.client, bucket, recent)).toMatchObject({ accepted: 0, duplicates: 1 });
      } finally {
        await server.stop();
      }
    }));

  test("an event goes whole: stopped between two steps, none is left in parts", () =>
    inPlace(engine, async (place) => {
      // What was received before the first partition is removed row by row on PostgreSQL, too.
      place.clock.advance(3 * day);
      await withServer(engine, place, async () => {});
      place.clock.advance(-3 * day);
      const batch = many(700, { requests: 1, bytes: 1 });
      const { bucket, path } = await withServer(engine, place, async (client) => {
        const made = await subscribed(client, { meters });
        await record(client, made.bucket, batch);
        return made;
      });
      await withStorages(1, place, async ([storage]) => {
        let steps = 0;
        const write: Storage["write"] = (work) => {
          steps += 1;
          return steps === 1 ? storage!.write(work) : Promise.reject(new Error("stopped"));
        };
        const removal = removeOldEvents({ ...storage!, write }, place.clock.now() + 1);
        expect(await removal.catch((error: Error) => error.message)).toBe("stopped");
      });
      await withServer(engine, place, async (client) => {
        const { accepted, duplicates, rejected } = await record(client, bucket, batch);
        expect([accepted + duplicates, rejected]).toEqual([700, []]);
        expect(accepted).toBeGreaterThan(0);
        expect(duplicates).toBeGreaterThan(0);
        expect(await usedOf(client, path)).toEqual({ requests: 700 + accepted, bytes: 700 + accepted });
        expect((await reconcile(client, bucket)).agrees).toBe(true);
      });
    }));
});

test("nodes that remove at once note each event once", () =>
  inPlace(postgres, (place) =>
    withServer(postgres, place, async (client) => {
      const { bucket } = await subscribed(client, { meters });
      await record(client, bucket, many(2000, { requests: 1 }));
      await withStorages(4, place, async (storages) => {
        await Promise.all(storages.map((storage) => removeOldEvents(storage, place.clock.now() + day)));
        // A node skips the job while another node runs it.
        await removeOldEvents(storages[0]!, place.clock.now() + day);
      });
      expect(await tableContent(place.database, "usage_events")).toEqual([]);
      const side = { events: 2000, amount: 2000 };
      expect(await reconcile(client, bucket)).toEqual({
        agrees: true,
        meters: { requests: { accepted: 2000, counted: side, stored: side } },
        differences: [],
      });
    }),
  ));
