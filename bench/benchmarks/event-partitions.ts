import { type EventRow, insertEvents, insertUnique } from "../../src/areas/commerce/metering/counters/event-store.ts";
import { unitOf } from "../../src/areas/commerce/metering/partitions/bounds.ts";
import { startPartitions } from "../../src/areas/commerce/metering/partitions/partitions.ts";
import { createPartitions } from "../../src/areas/commerce/metering/partitions/upkeep.ts";
import { removeOldEvents, removeRows } from "../../src/areas/commerce/metering/usage/retention.ts";
import { digestIn } from "../../src/counting/events/event-keys.ts";
import type { Storage, WriteTransaction } from "../../src/platform/storage/storage.ts";
import { newPostgresDatabase } from "../postgres.ts";
import { progress } from "../progress.ts";
import { atLeast, atMost, type Row } from "../row.ts";
import { median } from "../sample.ts";
import { openBenchStorage } from "../storage.ts";
import type { Workspace } from "../workspace.ts";

const day = 24 * 60 * 60 * 1000;
const year = Date.parse("2025-01-06T00:00:00Z");
const weeks = 52;
const eventsPerDay = 600;
const rounds = 12;
const batchesPerRound = 60;
const batchSize = 100;
const subscriptions = 500;
/** Weeks that are removed from each side, in turns. */
const removedWeeks = 3;

/** A database with the events of a year, which are inserted and removed in one of two ways. */
interface Side {
  storage: Storage;
  insert(transaction: WriteTransaction, events: EventRow[][]): Promise<boolean[]>;
}

/** Events in weekly partitions with keys, against one table with a unique constraint, as before there were partitions. */
export async function eventPartitions(workspace: Workspace): Promise<Row[]> {
  const unit = unitOf(400);
  await using one = await open(workspace, "event-table", insertUnique);
  await using many = await open(workspace, "event-partitions", insertEvents);
  await startPartitions(many.storage, { now: year, retentionDays: 400, log: { info: () => {} } });
  for (let week = 0; week < weeks; week++) await createPartitions(many.storage, year + week * 7 * day, unit);
  progress("event-partitions: writing the events of a year");
  await fill(one.storage, "SELECT 1", "");
  await fill(many.storage, fillKeys, "nextval('usage_event_numbers')");

  const rates: number[] = [];
  for (let round = 0; round < rounds; round++) {
    progress(`event-partitions: round ${round + 1} of ${rounds}`);
    const order = round % 2 === 0 ? [one, many] : [many, one];
    const seconds = new Map<Side, number>();
    for (const side of order) seconds.set(side, await insertRound(side, round));
    rates.push(seconds.get(one)! / seconds.get(many)!);
  }

  const removals: number[] = [];
  for (let week = 1; week <= removedWeeks; week++) {
    progress(`event-partitions: removing week ${week}`);
    const before = year + week * 7 * day;
    const took = async ({ storage }: Side, remove: typeof removeOldEvents) => {
      const began = performance.now();
      await remove(storage, before);
      return performance.now() - began;
    };
    removals.push((await took(many, removeOldEvents)) / (await took(one, removeRows)));
  }
  return [
    {
      what: "insert rate of usage events with weekly partitions, after a year of events",
      against: "one table with a unique constraint",
      againstOurselves: true,
      explanation: `Batches of ${batchSize} events, one transaction each, without counting; both sides have ${weeks * 7 * eventsPerDay} events.`,
      target: atLeast(0.9),
      reached: median(rates),
      rounds: rates,
    },
    {
      what: "time to remove a week of usage events by dropping its partition, with its keys and sums",
      against: "one table, row by row",
      againstOurselves: true,
      explanation: `A week has ${7 * eventsPerDay} events; keys are removed row by row on our side.`,
      target: atMost(0.5),
      reached: median(removals),
      rounds: removals,
    },
  ];
}

async function open(
  workspace: Workspace,
  name: string,
  insert: (...args: Parameters<Side["insert"]>) => Promise<boolean[]>,
) {
  const storage = await openBenchStorage(workspace.newDirectory(name), {
    databaseUrl: (await newPostgresDatabase()).DATABASE_URL,
  });
  return { storage, insert, [Symbol.asyncDispose]: () => storage.close() };
}

const fillKeys = `INSERT INTO usage_event_keys (bucket_seq, digest, received_on)
  SELECT bucket_seq, ${digestIn("usage_events")}, received_on FROM usage_events WHERE received_on >= ? AND received_on < ?`;

/** Ids are random, as those of customers are. */
async function fill(storage: Storage, keys: string, seq: string): Promise<void> {
  for (let week = 0; week < weeks; week++) {
    const from = year + week * 7 * day;
    await storage.maintain!(
      async (run) => {
        await run(
          `INSERT INTO usage_events (${seq && "seq,"} bucket_seq, source, event_id, part, subscription_seq, time, period_start,
             received_on, meter, whole, billionths)
           SELECT ${seq && `${seq},`} 1, 'gateway', gen_random_uuid()::text, 0, n % ${subscriptions}, at, ?::bigint, at, 'requests', 1, 0
           FROM (SELECT n, ?::bigint + n * ${Math.floor(day / eventsPerDay)} AS at FROM generate_series(0, ${7 * eventsPerDay - 1}) AS n) AS times`,
          [from, from],
        );
        await run(keys, keys === fillKeys ? [from, from + 7 * day] : []);
      },
      { lockMilliseconds: 10_000 },
    );
  }
  await storage.maintain!((run) => run("ANALYZE"), { lockMilliseconds: 10_000 });
}

async function insertRound({ storage, insert }: Side, round: number): Promise<number> {
  const received = year + (weeks * 7 - 3) * day + round * 60_000;
  const batches = Array.from({ length: batchesPerRound }, () =>
    Array.from({ length: batchSize }, (_, index) => [eventRow(received, index)]),
  );
  const began = performance.now();
  for (const batch of batches) await storage.write((transaction) => insert(transaction, batch));
  return (performance.now() - began) / 1000;
}

function eventRow(received: number, index: number): EventRow {
  return {
    bucket_seq: 1,
    source: "gateway",
    event_id: crypto.randomUUID(),
    part: 0,
    subscription_seq: index % subscriptions,
    time: received,
    period_start: year + (weeks - 1) * 7 * day,
    received_on: received,
    meter: "requests",
    whole: 1,
    billionths: 0,
  };
}
