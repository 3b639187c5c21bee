import { digestIn } from "../../../../counting/events/event-keys.ts";
import { lockTable } from "../../../../platform/storage/query.ts";
import type { Reads, RunStatement } from "../../../../platform/storage/storage.ts";
import { nextRanges, partitionName, type Range, type Unit } from "./bounds.ts";

/** What was received before there were partitions: events that were moved from SQLite. */
const firstEvents = "usage_events_before";
/** The default partition. It is empty unless no partition was created ahead. */
const laterEvents = "usage_events_later";

export interface Partition extends Range {
  name: string;
}

export interface Partitions {
  /** In the order of time. The first one may begin with -Infinity. */
  ranges: Partition[];
  /** The name of the partition of what was received before there were others, until it is dropped. */
  first: string | undefined;
  /** The name of the default partition. */
  later: string;
}

const listed = `SELECT relname AS name, pg_get_expr(relpartbound, pg_class.oid) AS bounds FROM pg_inherits
  JOIN pg_class ON pg_class.oid = inhrelid WHERE inhparent = 'usage_events'::regclass`;

interface ListedPartition {
  name: string;
  bounds: string;
}

export async function partitionsOf(reads: Reads): Promise<Partitions> {
  return partitionsIn(await reads.all<ListedPartition>(listed, []));
}

/** Such as FOR VALUES FROM (MINVALUE) TO ('1767225600000'), or DEFAULT. */
function partitionsIn(rows: ListedPartition[]): Partitions {
  const numberOf = (text: string | undefined) =>
    text === undefined || text === "MINVALUE" ? Number.NEGATIVE_INFINITY : Number(text);
  const ranges: Partition[] = [];
  for (const { name, bounds } of rows) {
    const [, from, to] = /FROM \('?(-?\d+|MINVALUE)'?\) TO \('?(-?\d+)'?\)/.exec(bounds) ?? [];
    if (to !== undefined) ranges.push({ name, from: numberOf(from), to: numberOf(to) });
  }
  ranges.sort((one, other) => one.to - other.to);
  return { ranges, first: ranges.find(({ name }) => name === firstEvents)?.name, later: laterEvents };
}

/** Acquires the lock for changing partitions. Returns false if another node holds it. */
export async function tryPartitionLock(run: RunStatement): Promise<boolean> {
  const sql = "SELECT pg_try_advisory_xact_lock(hashtextextended('partitions of usage events', 0)) AS locked";
  return (await run<{ locked: boolean }>(sql))[0]!.locked;
}

/** Whether the table of a new database, or of one that was moved from SQLite, is partitioned already. */
export async function isPartitioned(run: RunStatement): Promise<boolean> {
  const [table] = await run<{ relkind: string }>("SELECT relkind FROM pg_class WHERE oid = 'usage_events'::regclass");
  return table!.relkind === "p";
}

/** Makes the table a partition of a new one, and adds the keys of its events. */
export async function partitionTable(run: RunStatement, now: number, unit: Unit): Promise<void> {
  await run(lockTable("usage_events", "ACCESS EXCLUSIVE"));
  const [{ number, received }] = (await run(`SELECT coalesce(max(seq), 0) AS number,
    coalesce(max(received_on), 0) AS received FROM usage_events`)) as [{ number: number; received: number }];
  await run(`INSERT INTO usage_event_keys (bucket_seq, digest, received_on)
    SELECT bucket_seq, ${digestIn("usage_events")}, received_on FROM usage_events WHERE part = 0`);
  await run(`ALTER TABLE usage_events RENAME TO ${firstEvents}`);
  await run(`ALTER TABLE ${firstEvents} ALTER COLUMN seq DROP IDENTITY`);
  await run(`CREATE TABLE usage_events (LIKE ${firstEvents}) PARTITION BY RANGE (received_on)`);
  await run("CREATE SEQUENCE usage_event_numbers OWNED BY usage_events.seq");
  if (number > 0) await run("SELECT setval('usage_event_numbers', ?)", [number]);
  const bound = number > 0 ? unit.end(Math.max(received, now)) : unit.start(now);
  await run(`ALTER TABLE usage_events ATTACH PARTITION ${firstEvents} FOR VALUES FROM (MINVALUE) TO (${bound})`);
  await createLater(run);
  for (const range of nextRanges(bound, now, unit)) await createPartition(run, range);
}

/**
 * Attached after it is created, because CREATE TABLE … PARTITION OF would block all reads and writes. There is an index
 * of receipt, because keys have the time of receipt; events are stored in that order, so it takes a few bytes.
 */
async function createPartition(run: RunStatement, range: Range): Promise<void> {
  const name = partitionName(range);
  await createTable(run, name);
  await run(`ALTER TABLE usage_events ATTACH PARTITION ${name} FOR VALUES FROM (${range.from}) TO (${range.to})`);
}

async function createLater(run: RunStatement): Promise<void> {
  await createTable(run, laterEvents);
  await run(`ALTER TABLE usage_events ATTACH PARTITION ${laterEvents} DEFAULT`);
}

async function createTable(run: RunStatement, name: string): Promise<void> {
  await run(`CREATE TABLE ${name} (LIKE usage_events)`);
  await run(`ALTER TABLE ${name} ADD PRIMARY KEY (seq)`);
  await run(`CREATE INDEX ON ${name} (subscription_seq, period_start)`);
  await run(`CREATE INDEX ON ${name} USING brin (received_on) WITH (autosummarize = on)`);
}

/** Creates the partitions that are missing. */
export async function createAhead(run: RunStatement, now: number, unit: Unit): Promise<void> {
  const { ranges } = partitionsIn(await run<ListedPartition>(listed));
  let lastEnd = ranges.at(-1)?.to ?? unit.start(now);
  const sql = `SELECT max(received_on) AS last FROM ${laterEvents} WHERE received_on >= ?`;
  const [{ last }] = (await run<{ last: number | null }>(sql, [lastEnd])) as [{ last: number | null }];
  if (last !== null) lastEnd = await rangeOfLater(run, { from: lastEnd, to: unit.end(last) });
  for (const range of nextRanges(lastEnd, now, unit)) await createPartition(run, range);
}

/**
 * Events are in the default partition, because none was created ahead. It becomes the partition of their time, and a new
 * one the default. Earlier events in it, of a clock that was late, are removed before by retention: until then this
 * fails. Returns the end.
 */
async function rangeOfLater(run: RunStatement, range: Range): Promise<number> {
  const name = partitionName(range);
  await run(`ALTER TABLE usage_events DETACH PARTITION ${laterEvents}`);
  await run(`ALTER TABLE ${laterEvents} RENAME TO ${name}`);
  await run(`ALTER TABLE usage_events ATTACH PARTITION ${name} FOR VALUES FROM (${range.from}) TO (${range.to})`);
  await createLater(run);
  return range.to;
}

/**
 * Drops a partition and stores its sums, in one transaction. Its events are immutable by then, see `removed_before`;
 * the first lock waits for those that began before. The second, which blocks all reads and writes of events, is taken
 * when the sums are complete.
 */
export async function dropWithSums(run: RunStatement, name: string): Promise<void> {
  await run(lockTable(name, "SHARE"));
  await run(`INSERT INTO removed_usage (subscription_seq, period_start, meter, events, whole, billionths)
    SELECT subscription_seq, period_start, meter, count(*), sum(whole) + div(sum(billionths), 1000000000),
      mod(sum(billionths), 1000000000)
    FROM ${name} GROUP BY subscription_seq, period_start, meter`);
  await run(`DROP TABLE ${name}`);
}

/** Whether a partition still exists. */
export async function isAttached(run: RunStatement, name: string): Promise<boolean> {
  return partitionsIn(await run<ListedPartition>(listed)).ranges.some((each) => each.name === name);
}
