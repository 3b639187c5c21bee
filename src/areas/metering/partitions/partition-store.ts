import { digestIn } from "../../../counting/events/event-keys.ts";
import { lockTable } from "../../../platform/storage/query.ts";
import type { Reads, RunStatement } from "../../../platform/storage/storage.ts";
import { nextRanges, partitionName, type Range, type Unit } from "./bounds.ts";

/** The table of earlier releases, as a partition. */
const earlierEvents = "usage_events_before";
/** The default partition. It is empty unless no partition was created ahead. */
const laterEvents = "usage_events_later";
const boundCheck = "usage_events_bound";

export interface Partition extends Range {
  name: string;
}

export interface Partitions {
  /** In the order of time. The first one may begin with -Infinity. */
  ranges: Partition[];
  /** The name of the table of earlier releases, if it is still a partition. */
  earlier: string | undefined;
  /** The name of the default partition. */
  later: string;
}

interface StorageState {
  phase: "filling" | "partitioned";
  filled_to: number;
  bound: number | null;
  removed_before: number;
}

export async function stateOf(reads: Reads): Promise<StorageState> {
  return (await reads.one<StorageState>("SELECT * FROM usage_event_storage", []))!;
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
  return { ranges, earlier: ranges.find(({ name }) => name === earlierEvents)?.name, later: laterEvents };
}

/** Acquires the lock for changing partitions. Returns false if another node holds it. */
export async function tryPartitionLock(run: RunStatement): Promise<boolean> {
  const sql = "SELECT pg_try_advisory_xact_lock(hashtextextended('partitions of usage events', 0)) AS locked";
  return (await run<{ locked: boolean }>(sql))[0]!.locked;
}

/** Adds the keys of some events, by seq. */
export const addKeys = `INSERT INTO usage_event_keys (bucket_seq, digest, received_on)
  SELECT bucket_seq, ${digestIn("usage_events")}, received_on FROM usage_events
  WHERE seq > ? AND seq <= ? AND part = 0 ON CONFLICT DO NOTHING`;

/** Locks the table until the transaction ends, and returns its state. */
export async function lockedState(run: RunStatement): Promise<StorageState> {
  return (await run<StorageState>("SELECT * FROM usage_event_storage FOR UPDATE"))[0]!;
}

/** New events satisfy the check from now on; the table is read only by `validateBound`. */
export async function addBound(run: RunStatement, bound: number): Promise<void> {
  if ((await lockedState(run)).bound !== null) return;
  await run(`ALTER TABLE usage_events ADD CONSTRAINT ${boundCheck} CHECK (received_on < ${bound}) NOT VALID`);
  await run("UPDATE usage_event_storage SET bound = ?", [bound]);
}

/** Reads the whole table. Does not block writes. */
export async function validateBound(run: RunStatement): Promise<void> {
  await run(`ALTER TABLE usage_events VALIDATE CONSTRAINT ${boundCheck}`);
}

export async function removeBound(run: RunStatement): Promise<void> {
  await run(`ALTER TABLE usage_events DROP CONSTRAINT IF EXISTS ${boundCheck}`);
  await run("UPDATE usage_event_storage SET bound = NULL");
}

/** The last number of an event, which may be that of a transaction in progress. */
export const lastNumber = `SELECT greatest(
  coalesce(pg_sequence_last_value(pg_get_serial_sequence('usage_events', 'seq')::regclass), 0),
  coalesce((SELECT max(seq) FROM usage_events), 0)) AS last`;

/**
 * Makes the table a partition of a new one, without reading it: a check proves that its events were received before the
 * bound. The caller has locked it.
 */
export async function partitionTable(run: RunStatement, bound: number, now: number, unit: Unit): Promise<void> {
  const [{ last }] = (await run<{ last: number }>(lastNumber)) as [{ last: number }];
  await run(`ALTER TABLE usage_events RENAME TO ${earlierEvents}`);
  await run(`ALTER TABLE ${earlierEvents} ALTER COLUMN seq DROP IDENTITY`);
  await run(`CREATE TABLE usage_events (LIKE ${earlierEvents}) PARTITION BY RANGE (received_on)`);
  await run("CREATE SEQUENCE usage_event_numbers OWNED BY usage_events.seq");
  if (last > 0) await run("SELECT setval('usage_event_numbers', ?)", [last]);
  await run(`ALTER TABLE usage_events ATTACH PARTITION ${earlierEvents} FOR VALUES FROM (MINVALUE) TO (${bound})`);
  await run(`ALTER TABLE ${earlierEvents} DROP CONSTRAINT IF EXISTS ${boundCheck}`);
  await createLater(run);
  for (const range of nextRanges(bound, now, unit)) await createPartition(run, range);
  await run("UPDATE usage_event_storage SET phase = 'partitioned', bound = NULL");
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
