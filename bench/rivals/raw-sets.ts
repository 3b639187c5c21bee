/**
 * The rival of batches of events on PostgreSQL: `raw-sets.ts URL BATCHES SIZE`. The events, keys, counters, hours and days that
 * a server stored are written again into tables of the same columns and indexes, each batch by one statement per table in a
 * durable transaction, without deduplication, checks and limits. Prints a Sample in which a batch is a request.
 */
import { SQL } from "bun";
import { databaseProcessId } from "../postgres.ts";
import { cpuMicrosecondsOfTree } from "../process-cpu.ts";
import { sampleOf } from "../sample.ts";

const [url] = process.argv.slice(2) as [string];
const [batchCount, batchSize] = process.argv.slice(3).map(Number) as [number, number];
const connections = 8;

const tables = {
  usage_event_keys: "bucket_seq, digest",
  usage_events: "",
  usage_counters: "subscription_seq, period_start, meter",
  usage_hours: "time, subscription_seq, period_start, meter",
  usage_days: "subscription_seq, period_start, time, meter",
} as const;
type Table = keyof typeof tables;
const names = Object.keys(tables) as Table[];

const database = new SQL(url, { max: connections });
for (const name of names)
  await database.unsafe(
    `DROP TABLE IF EXISTS raw_${name}; CREATE TABLE raw_${name} (LIKE ${name} INCLUDING INDEXES) WITH (fillfactor = 45)`,
  );

const events: EventRow[] = await database.unsafe(
  `SELECT * FROM usage_events ORDER BY seq LIMIT ${10 * batchCount * batchSize}`,
);
const batches = batchesOf(events).map(rowsOf);

/** Batches as they were sent: a statement cannot raise the counter of a customer twice. */
function batchesOf(events: EventRow[]): EventRow[][] {
  const batches: EventRow[][] = [];
  let batch = new Map<string, EventRow>();
  for (const event of events) {
    batch.set(event.subscription_seq, event);
    if (batch.size < batchSize) continue;
    batches.push([...batch.values()]);
    if (batches.length === batchCount) break;
    batch = new Map();
  }
  return batches;
}

interface EventRow {
  seq: string;
  bucket_seq: string;
  subscription_seq: string;
  period_start: string;
  received_on: string;
  time: string;
  meter: string;
  whole: string;
}

function rowsOf(some: EventRow[]): Record<Table, object[]> {
  const used = some.map(({ subscription_seq, period_start, meter, whole }) => {
    return { subscription_seq, period_start, meter, whole, billionths: 0 };
  });
  const at = (milliseconds: number) =>
    used.map((each, index) => ({ ...each, time: Math.floor(Number(some[index]!.time) / milliseconds) * milliseconds }));
  const none = {
    removed_events: 0,
    removed_whole: 0,
    removed_billionths: 0,
    consumed_whole: 0,
    consumed_billionths: 0,
  };
  const unset = { is_unchecked: 1, announced_percent: 0, version: 0 };
  return {
    usage_event_keys: some.map(({ bucket_seq, received_on }) => ({
      bucket_seq,
      received_on,
      digest: crypto.randomUUID(),
    })),
    usage_events: some,
    usage_counters: used.map((each) => ({ ...each, ...none, ...unset, events: 1 })),
    usage_hours: at(3_600_000),
    usage_days: at(86_400_000),
  };
}

const statementOf = (name: Table) => {
  const key = tables[name];
  const raised = `DO UPDATE SET whole = raw_${name}.whole + excluded.whole`;
  const conflict = name.startsWith("usage_event") ? "" : `ON CONFLICT (${key}) ${raised}`;
  const order = key === "" ? "" : `ORDER BY ${key}`;
  return `INSERT INTO raw_${name} SELECT * FROM json_populate_recordset(NULL::raw_${name}, $1::text::json) ${order} ${conflict}`;
};

const postgres = await databaseProcessId(url);
const cpuOf = () => cpuMicrosecondsOfTree(process.pid) + cpuMicrosecondsOfTree(postgres);
const latencies: number[] = [];
const cpuAtStart = cpuOf();
const startedAt = performance.now();
let next = 0;
async function writeBatches(): Promise<void> {
  for (let batch = batches[next++]; batch; batch = batches[next++]) {
    const begunAt = performance.now();
    const rows = batch;
    await database.begin(async (transaction) => {
      for (const name of names) await transaction.unsafe(statementOf(name), [JSON.stringify(rows[name])]);
    });
    latencies.push(performance.now() - begunAt);
  }
}
await Promise.all(Array.from({ length: connections }, writeBatches));
const seconds = (performance.now() - startedAt) / 1000;
console.log(JSON.stringify(sampleOf(latencies, seconds, cpuOf() - cpuAtStart)));
await database.close();
