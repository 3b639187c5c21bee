import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import type { Client } from "../../../../../test/support/client.ts";
import { type Database, type Engine, postgres, sqlite } from "../../../../../test/support/engines.ts";
import { FakeClock } from "../../../../../test/support/fake-clock.ts";
import {
  record,
  type Subscribed,
  subscribe,
  subscribed,
  usageEvent,
  usedOf,
} from "../../../../../test/support/metering.ts";
import { TestServer } from "../../../../../test/support/server.ts";
import { tableContent } from "../../../../../test/support/table-content.ts";
import { type TemporaryFolder, temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { until } from "../../../../../test/support/until.ts";
import { migrations } from "../../../../core/database/migrations/index.ts";
import { digestOf } from "../../../../counting/events/event-keys.ts";
import { openStorage } from "../../../../platform/storage/engines/open.ts";
import type { Storage } from "../../../../platform/storage/storage.ts";
import { moveToPostgres } from "../../../../server/maintenance/move-to-postgres.ts";
import { removeOldEvents } from "../usage/retention.ts";
import { unitOf } from "./bounds.ts";
import { partitionsOf } from "./partition-store.ts";
import { keepPartitions, startPartitions } from "./partitions.ts";

const day = 24 * 60 * 60 * 1000;
const meters = { requests: { max: 1_000_000 }, bytes: { max: 1_000_000 } };
const silentLog = { info: () => {} };
const many = (count: number, data: object) => Array.from({ length: count }, () => usageEvent(data));
const duplicates = (count: number) => ({ accepted: 0, duplicates: count, rejected: [] });

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder("partitions");
});
afterAll(() => folder.remove());

async function withStorage<Result>(place: Place, work: (storage: Storage) => Promise<Result>): Promise<Result> {
  const storage = await openStorage({
    dataDirectory: folder.path,
    databaseUrl: place.database.environment.DATABASE_URL,
    databasePatience: Number(place.database.environment.TOLLGATE_DATABASE_PATIENCE ?? 1),
    migrations,
    databaseConnections: 4,
    staleSeconds: 300,
    now: () => place.clock.now(),
    observer: { operation: () => {}, group: () => {}, revocationLag: () => {} },
    warn: () => {},
  });
  try {
    return await work(storage);
  } finally {
    await storage.close();
  }
}

/** A database, its clock, and a server on it that keeps events for some days. */
class Place {
  readonly clock = new FakeClock();
  readonly server: TestServer;
  readonly client: Client;
  made!: Subscribed;

  constructor(
    readonly database: Database,
    readonly days: number,
    engine: Engine = postgres,
  ) {
    const environment = { TOLLGATE_EVENT_DAYS: String(days) };
    this.server = new TestServer(engine, { database, clock: this.clock, environment });
    this.client = this.server.client;
  }

  async start(): Promise<void> {
    await this.server.start();
    this.made = await subscribed(this.client, { meters });
  }

  async stop(): Promise<void> {
    await this.server.stop();
    await this.database.drop();
  }

  record(events: object | object[]) {
    return record(this.client, this.made.bucket, events);
  }

  takeBack(source: string, id: string) {
    return this.client.post(`${this.made.bucket}/events/$void`, { source, id, reason: "sent by a test" });
  }

  async used(): Promise<Record<string, number>> {
    return usedOf(this.client, this.made.path);
  }

  async agrees(): Promise<void> {
    const { agrees, differences } = (await this.client.get(`${this.made.bucket}/reconciliation`)).body;
    expect({ agrees, differences }).toEqual({ agrees: true, differences: [] });
  }

  rows(table: string) {
    return tableContent(this.database, table);
  }

  partition(storage: Storage) {
    return startPartitions(storage, { now: this.clock.now(), retentionDays: this.days, log: silentLog });
  }

  /** Each event has its key, with the digest that this process computes and the receipt of the event. */
  async keysAreExact(): Promise<void> {
    const texts = (rows: { bucket: unknown; digest: string; received: unknown }[]) =>
      rows.map(({ bucket, digest, received }) => `${bucket} ${digest.replaceAll("-", "")} ${received}`).sort();
    const events = (await this.rows("usage_events")).filter(({ part }) => Number(part) === 0);
    const keys = await this.rows("usage_event_keys");
    expect(
      texts(keys.map((key) => ({ bucket: key.bucket_seq, digest: String(key.digest), received: key.received_on }))),
    ).toEqual(
      texts(
        events.map((event) => ({
          bucket: event.bucket_seq,
          digest: digestOf(String(event.source), String(event.event_id)),
          received: event.received_on,
        })),
      ),
    );
  }
}

/** Ends the connection before the statement of that number, as if the process or PostgreSQL were killed. */
function killedAt(storage: Storage, statement: number): { storage: Storage; wasKilled(): boolean } {
  let left = statement;
  const maintain: Storage["maintain"] = (work, options) =>
    storage.maintain!(
      (run) =>
        work(async (sql, parameters) => {
          left -= 1;
          if (left === -1) await run("SELECT pg_terminate_backend(pg_backend_pid())");
          return run(sql, parameters);
        }),
      options,
    );
  return { storage: { ...storage, maintain }, wasKilled: () => left < 0 };
}

/** Repeats the work, killed at another statement each time, until it is not killed. Returns the number of kills. */
async function killedEverywhere(
  storage: Storage,
  work: (storage: Storage) => Promise<unknown>,
  afterKill: () => Promise<void>,
  step = 4,
) {
  for (let kills = 0; ; kills++) {
    const victim = killedAt(storage, kills * step);
    await work(victim.storage).catch((error) => {
      if (!victim.wasKilled()) throw error;
    });
    if (!victim.wasKilled()) return kills;
    await afterKill();
  }
}

test("a database that was moved from SQLite is partitioned at its first start: events, keys and sums of removed events are exact", async () => {
  const source = await sqlite.freshDatabase();
  const before = new Place(source, 7, sqlite);
  await before.start();
  /** By meter: the number of removed events, and their sum in billionths. */
  const removedSums = async (at: Place) =>
    Object.fromEntries(
      (await at.rows("usage_counters")).map(({ meter, removed_events, removed_whole, removed_billionths }) => [
        String(meter),
        [Number(removed_events), Number(removed_whole) * 1e9 + Number(removed_billionths)],
      ]),
    );
  const storedEvents = async (at: Place) =>
    (await at.rows("usage_events")).map((row) => Object.entries(row).map(String).sort().join()).sort();
  await before.record(many(3, { requests: 0.7, bytes: 5 }));
  before.clock.advance(9 * day);
  const events = many(10, { requests: 1.5, bytes: 1 });
  await before.record(events);
  expect((await before.takeBack(events[9]!.source, events[9]!.id)).status).toBe(200);
  await before.server.runTasks();
  const [used, stored, removed] = [await before.used(), await storedEvents(before), await removedSums(before)];
  expect(used).toEqual({ requests: 15.6, bytes: 24 });
  expect(removed).toEqual({ requests: [3, 2_100_000_000], bytes: [3, 15_000_000_000] });
  await before.agrees();
  await before.server.stop();
  const place = new Place(await postgres.freshDatabase(), 7);
  place.made = before.made;
  place.clock.advance(9 * day);
  await moveToPostgres({
    directory: source.environment.TOLLGATE_DATA_DIR!,
    url: place.database.environment.DATABASE_URL!,
    now: place.clock.now(),
    onProgress: () => {},
  });
  await source.drop();
  const kills = await withStorage(place, (storage) =>
    killedEverywhere(
      storage,
      (victim) => place.partition(victim),
      async () => {
        expect(await storedEvents(place)).toEqual(stored);
        expect(await place.rows("usage_event_keys")).toEqual([]);
      },
    ),
  );
  expect(kills).toBeGreaterThan(4);
  // Nodes that start at the same time, one of which finds it done.
  await withStorage(place, (storage) => Promise.all([place.partition(storage), place.partition(storage)]));
  expect(await storedEvents(place)).toEqual(stored);
  expect(await removedSums(place)).toEqual(removed);
  await place.keysAreExact();
  await place.server.start();
  expect(await place.record(events)).toEqual(duplicates(10));
  expect((await place.record(usageEvent({ requests: 1 }))).accepted).toBe(1);
  expect(await place.used()).toEqual({ ...used, requests: 16.6 });
  await place.agrees();
  await place.keysAreExact();

  // What was moved is removed here: its sums are added to those of SQLite. An event that was taken back counts as zero.
  await withStorage(place, (storage) => removeOldEvents(storage, place.clock.now() + 1));
  expect(await place.rows("usage_events")).toEqual([]);
  expect(await removedSums(place)).toEqual({ requests: [14, 16_600_000_000], bytes: [13, 24_000_000_000] });
  expect(await place.used()).toEqual({ ...used, requests: 16.6 });
  await place.agrees();
  await place.keysAreExact();
  await place.stop();
});

test("an event that is recorded while the partition of its day is attached is stored once", async () => {
  const place = new Place(await postgres.freshDatabase(), 60);
  await place.start();
  const other = new SQL(place.database.environment.DATABASE_URL!, { max: 1 });
  try {
    // The server creates none meanwhile.
    await other`SELECT pg_advisory_lock(hashtextextended('partitions of usage events', 0))`;
    place.clock.set("2026-01-19T08:00:00Z");
    const from = Date.parse("2026-01-19");
    await other`BEGIN`;
    await other`CREATE TABLE usage_events_attached (LIKE usage_events)`;
    await other.unsafe(
      `ALTER TABLE usage_events ATTACH PARTITION usage_events_attached FOR VALUES FROM (${from}) TO (${from + day})`,
    );
    const recorded = place.record(usageEvent({ requests: 1 }));
    await until(async () => (await other`SELECT 1 FROM pg_locks WHERE NOT granted`).length > 0);
    await other`COMMIT`;
    expect((await recorded).accepted).toBe(1);
  } finally {
    await other.close();
  }
  expect(await place.rows("usage_events_attached")).toHaveLength(1);
  await place.agrees();
  await place.stop();
});

describe("a new database", () => {
  let place: Place;

  beforeAll(async () => {
    // The server itself removes nothing: the tests take less than 60 days of its clock.
    place = new Place(await postgres.freshDatabase(), 60);
    await place.start();
  });

  afterAll(() => place.stop());

  const names = () =>
    withStorage(place, async (storage) => (await partitionsOf(storage.reads)).ranges.map(({ name }) => name));
  const keep = (retentionDays = 7) =>
    withStorage(place, (storage) => keepPartitions(storage, { now: place.clock.now(), retentionDays }));

  test("is partitioned at the start, some days ahead", async () => {
    expect(await names()).toEqual([
      "usage_events_before",
      "usage_events_20260115",
      "usage_events_20260116",
      "usage_events_20260117",
      "usage_events_20260118",
    ]);
  });

  test("events beyond the last partition are accepted, and their table becomes one", async () => {
    // The server creates none meanwhile.
    const other = new SQL(place.database.environment.DATABASE_URL!, { max: 1 });
    await other`SELECT pg_advisory_lock(hashtextextended('partitions of usage events', 0))`;
    place.clock.set("2026-01-19T08:00:00Z");
    const early = usageEvent({ requests: 1 });
    await place.record(early);
    expect(await place.rows("usage_events_later")).toHaveLength(1);
    place.clock.set("2026-01-20T08:00:00Z");
    await place.record(usageEvent({ requests: 2 }));
    expect(await place.rows("usage_events_later")).toHaveLength(2);
    await other.close();
    await keep();
    expect(await place.rows("usage_events_later")).toEqual([]);
    expect((await names()).slice(4)).toEqual([
      "usage_events_20260118",
      "usage_events_20260119",
      "usage_events_20260121",
      "usage_events_20260122",
      "usage_events_20260123",
    ]);
    expect(await place.record(early)).toEqual(duplicates(1));
    await place.agrees();
  });

  test("partitions of weeks follow if the retention is changed, and of days if it is changed back", async () => {
    await place.server.stop();
    place.clock.set("2026-01-22T08:00:00Z");
    await keep(400);
    expect((await names()).slice(8)).toEqual([
      "usage_events_20260123",
      "usage_events_20260124",
      "usage_events_20260126",
      "usage_events_20260202",
    ]);
    await keep(7);
    place.clock.set("2026-02-06T09:00:00Z");
    await keep(7);
    expect((await names()).slice(-2)).toEqual(["usage_events_20260202", "usage_events_20260209"]);
    await place.server.start();
    await place.record(usageEvent({ requests: 4 }));
    expect(await place.rows("usage_events_20260202")).toHaveLength(1);
  });

  test("an event of an earlier partition is taken back; late events are counted where they belong", async () => {
    const [event, kept] = [usageEvent({ requests: 100, bytes: 3 }), usageEvent({ requests: 1 })];
    await place.record([event, kept]);
    place.clock.advance(5 * day);
    await keep();
    const before = await place.used();
    const voided = await place.takeBack(event.source, event.id);
    expect(voided.status).toBe(200);
    expect(await place.used()).toEqual({ requests: before.requests! - 100, bytes: before.bytes! - 3 });
    expect(await place.record(event)).toEqual(duplicates(1));
    expect((await place.record(usageEvent({ requests: 9 }, { time: "2026-02-05T00:00:00Z" }))).accepted).toBe(1);
    expect((await place.used()).requests).toBe(before.requests! - 91);
    const unknown = await place.takeBack(event.source, "unknown");
    expect(unknown.status).toBe(404);
    await place.agrees();
  });

  test("killed at any statement of a drop, nothing has changed; the sums are exact after it", async () => {
    const before = await place.rows("usage_events");
    const used = await place.used();
    const cutoff = Date.parse("2026-02-09T00:00:00Z");
    const left = before.filter(({ received_on }) => Number(received_on) >= cutoff);
    expect(left.length).toBeWithin(1, before.length - 3);
    const dropped = before.find(({ received_on }) => Number(received_on) < cutoff)!;
    let removed = 0;
    const kills = await withStorage(place, (storage) =>
      killedEverywhere(
        storage,
        (victim) => removeOldEvents(victim, cutoff),
        async () => {
          await place.agrees();
          const count = (await place.rows("usage_events")).length;
          removed = Math.max(removed, before.length - count);
          expect(count).toBeGreaterThan(left.length);
        },
        1,
      ),
    );
    expect(kills).toBeGreaterThan(3);
    expect((await place.rows("usage_events")).map(({ event_id }) => event_id)).toEqual(
      left.map(({ event_id }) => event_id),
    );
    expect(await place.rows("removed_usage")).toEqual([]);
    await place.keysAreExact();
    await place.agrees();
    expect(await place.used()).toEqual(used);
    // Deduplication ends with the event.
    const again = usageEvent({ requests: 1 }, { source: dropped.source, id: dropped.event_id });
    expect((await place.record(again)).accepted).toBe(1);
    const gone = await place.takeBack("gateway", "event-gone");
    expect(gone.status).toBe(404);
  });

  test("between a drop and the counters, sums are exact; events about to be dropped are not taken back", async () => {
    const event = usageEvent({ requests: 3, bytes: 0.7 });
    await place.record(event);
    const today = unitOf(7).start(place.clock.now());
    const then = new Date(place.clock.now()).toISOString();
    const used = await usedOf(place.client, place.made.path, then);
    place.clock.advance(10 * day);
    await keep();
    await withStorage(place, async (storage) => {
      await removeOldEvents(storage, today);
      expect((await partitionsOf(storage.reads)).ranges[0]!.from).toBe(today);
      // Stopped before the drop, when what is to be dropped has been announced.
      const cutoff = today + day;
      const maintain = () => Promise.reject(new Error("killed"));
      const early = await removeOldEvents({ ...storage, maintain }, cutoff).catch((error: Error) => error.message);
      expect(early).toBe("killed");
      const taken = await place.takeBack(event.source, event.id);
      expect(taken.status).toBe(404);
      // Stopped after the drop.
      let writes = 0;
      const write: Storage["write"] = (work) => {
        writes += 1;
        return writes === 1 ? storage.write(work) : Promise.reject(new Error("killed"));
      };
      const killed = await removeOldEvents({ ...storage, write }, cutoff).catch((error: Error) => error.message);
      expect(killed).toBe("killed");
      await place.agrees();
      await removeOldEvents(storage, cutoff);
    });
    await place.agrees();
    expect(await usedOf(place.client, place.made.path, then)).toEqual(used);
    expect(await place.rows("removed_usage")).toEqual([]);
  });

  test("events of a deleted subscription, and of a deleted bucket, take their keys along", async () => {
    const events = many(20, { requests: 1 });
    await place.record(events);
    expect((await place.client.delete(place.made.path)).status).toBe(204);
    await subscribe(place.client, place.made.bucket, [place.made.plan]);
    expect(await place.record(events)).toMatchObject({ accepted: 20, duplicates: 0 });
    expect((await place.client.delete(`${place.made.bucket}?force=true`)).status).toBe(204);
    await until(async () => (await place.rows("metering_buckets")).length === 0);
    expect(await place.rows("usage_events")).toEqual([]);
    expect(await place.rows("usage_event_keys")).toEqual([]);
  });
});
