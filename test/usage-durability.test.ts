import { expect, test } from "bun:test";
import type { Client } from "./support/client.ts";
import { type Engine, postgres, sqlite } from "./support/engines.ts";
import { metersOf, type Subscribed, subscribed, usageEvent } from "./support/metering.ts";
import { spawnServer } from "./support/spawned-server.ts";
import { until } from "./support/until.ts";

const workers = 8;
const batchSize = 5;

interface Batch {
  events: ReturnType<typeof usageEvent>[];
  /** The sum of the events. */
  amount: number;
}

interface Traffic {
  acknowledged: Batch[];
  unacknowledged: Batch[];
  finished: Promise<unknown>;
}

/** Sends events until the server is gone, and records which were acknowledged. */
function sendEvents(client: Client, bucket: string): Traffic {
  const traffic: Traffic = { acknowledged: [], unacknowledged: [], finished: Promise.resolve() };
  const work = async () => {
    for (;;) {
      const events = Array.from({ length: batchSize }, (_, index) => usageEvent({ requests: index + 0.1 }));
      const batch = { events, amount: events.reduce((sum, { data }) => sum + data.requests * 10, 0) / 10 };
      const response = await client.post(`${bucket}/events`, events).catch(() => undefined);
      if (!response) {
        traffic.unacknowledged.push(batch);
        return;
      }
      expect(response.body).toEqual({ accepted: batchSize, duplicates: 0, rejected: [] });
      traffic.acknowledged.push(batch);
    }
  };
  traffic.finished = Promise.all(Array.from({ length: workers }, work));
  return traffic;
}

const sumOf = (batches: Batch[]) => Math.round(batches.reduce((sum, { amount }) => sum + amount * 10, 0)) / 10;

test.each<[name: string, engine: Engine, rounds: number]>([
  ["SQLite", sqlite, 3],
  ["PostgreSQL", postgres, 2],
])(
  "kill -9 while events flow, on %s: each that was acknowledged is counted, and none twice",
  async (_name, engine, rounds) => {
    const database = await engine.migratedDatabase();
    const counted: Batch[] = [];
    let unacknowledged: Batch[] = [];
    let scene: Subscribed | undefined;
    let keptUnacknowledged = 0;

    for (let round = 0; round <= rounds; round++) {
      const server = await spawnServer(engine, { database });
      const { client } = server;
      scene ??= await subscribed(client, { meters: { requests: { max: 1 } } });
      const { bucket, path } = scene;

      // A batch in progress at the kill is stored completely or not at all. After it is sent again, it is counted once.
      const before = (await metersOf(client, path)).requests.used;
      const known = sumOf(counted);
      const kept: Batch[] = [];
      for (const batch of unacknowledged) {
        const { body } = await client.post(`${bucket}/events`, batch.events);
        expect(body.rejected).toEqual([]);
        expect([body.accepted, body.duplicates]).toBeOneOf([
          [batchSize, 0],
          [0, batchSize],
        ]);
        if (body.duplicates > 0) kept.push(batch);
      }
      expect(before).toBe(sumOf([...counted, ...kept]));
      expect(before).toBeGreaterThanOrEqual(known);
      keptUnacknowledged += kept.length;
      counted.push(...unacknowledged);

      // Acknowledged batches of the last round are recognized as duplicates.
      for (const batch of counted.slice(-3)) {
        const { body } = await client.post(`${bucket}/events`, batch.events);
        expect(body).toEqual({ accepted: 0, duplicates: batchSize, rejected: [] });
      }
      expect((await metersOf(client, path)).requests.used).toBe(sumOf(counted));
      const reconciled = (await client.get(`${bucket}/reconciliation`)).body;
      expect(reconciled.differences).toEqual([]);
      const accepted = counted.length * batchSize;
      if (accepted > 0) expect(reconciled.meters.requests.accepted).toBe(accepted);

      if (round === rounds) {
        await server.stop();
        break;
      }
      const traffic = sendEvents(client, bucket);
      await until(() => traffic.acknowledged.length >= workers * 2);
      expect(await server.kill("SIGKILL")).toBe("SIGKILL");
      await traffic.finished;
      await server.stop();
      expect(traffic.unacknowledged).toHaveLength(workers);
      counted.push(...traffic.acknowledged);
      unacknowledged = traffic.unacknowledged;
    }
    expect(counted.length).toBeGreaterThanOrEqual(rounds * workers * 3);
    expect(keptUnacknowledged).toBeLessThanOrEqual(rounds * workers);
    await database.drop();
  },
  180_000,
);
