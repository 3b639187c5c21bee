import { fillLock } from "../../../counting/events/event-keys.ts";
import { pause } from "../../../lib/tasks/pause.ts";
import { lockTable } from "../../../platform/storage/query.ts";
import type { Storage } from "../../../platform/storage/storage.ts";
import { storageNodes } from "../../../platform/storage/storage-status.ts";
import type { Log } from "../../../platform/telemetry/log.ts";
import { boundAfter, isNear, type Unit } from "./bounds.ts";
import * as store from "./partition-store.ts";

/** The rows of one transaction: about 100 ms. */
const batchRows = 5_000;
/** The maximum number of events whose keys are added during the switch, which blocks writes. */
const maxLeftRows = 20_000;
const lockMilliseconds = 1_000;
const attempts = 10;
/** Nodes whose connections have broken, such as by a restart of PostgreSQL, connect again within this time. */
const settledMilliseconds = 60_000;

interface IntroductionOptions {
  now: number;
  unit: Unit;
  log: Pick<Log, "info">;
  signal?: AbortSignal | undefined;
  /** The rows of one transaction. */
  rows?: number;
  /** How long this node must have been connected before it knows all others. */
  settled?: number;
}

/** A database without events is partitioned at once, by the node that starts first. */
export async function partitionEmpty(storage: Storage, options: IntroductionOptions): Promise<void> {
  const { phase } = await store.stateOf(storage.reads);
  if (phase === "partitioned" || (await olderNodes(storage)) > 0) return;
  if (!(await storage.reads.one("SELECT 1 AS found FROM usage_events LIMIT 1", [])))
    await switchTables(storage, options);
}

/**
 * Introduces partitions while serving: adds the keys of stored events in batches, waits until no node of an earlier
 * release is connected, and switches. A restart continues.
 */
export async function introducePartitions(storage: Storage, options: IntroductionOptions): Promise<void> {
  const { now, log, signal } = options;
  const state = await store.stateOf(storage.reads);
  if (state.phase === "partitioned") return;
  // After the bound, its check constraint would reject events.
  if (state.bound !== null && isNear(state.bound, now)) await retried(storage, options, store.removeBound);
  await fillKeys(storage, options);
  if (signal?.aborted || !(await areAllCurrent(storage, options))) return;
  const bound = boundAfter(now, options.unit);
  if (!(await retried(storage, options, (run) => store.addBound(run, bound)))) return;
  log.info("usage events: checking the table before it becomes a partition");
  if (!(await retried(storage, options, store.validateBound))) return;
  for (let attempt = 0; attempt < attempts && !signal?.aborted; attempt++) {
    await fillKeys(storage, options);
    if (!(await areAllCurrent(storage, options))) return;
    if (await switchTables(storage, options)) return;
    await pause(lockMilliseconds);
  }
}

/** The nodes of earlier releases that are connected. They do not write keys. */
async function olderNodes(storage: Storage): Promise<number> {
  return (await storageNodes(storage)).filter(({ generation }) => generation < 2).length;
}

/** For the operator. */
export async function introductionStatus(storage: Storage) {
  const { phase, filled_to: filledTo } = await store.stateOf(storage.reads);
  const isPartitioned = phase === "partitioned";
  const partitions = isPartitioned ? (await store.partitionsOf(storage.reads)).ranges.length : 0;
  const { last } = isPartitioned ? { last: 0 } : (await storage.reads.one<{ last: number }>(store.lastNumber, []))!;
  const keysPercent = last === 0 ? 100 : Math.min(100, Math.floor((100 * filledTo) / last));
  return { isPartitioned, partitions, keysPercent, olderNodes: await olderNodes(storage) };
}

/** Duplicates are detected whatever this returns. But an earlier release cannot insert events after the switch. */
async function areAllCurrent(storage: Storage, { settled = settledMilliseconds }: IntroductionOptions) {
  const nodes = await storageNodes(storage);
  const own = nodes.find(({ isThis }) => isThis);
  return (own?.connectedFor ?? 0) >= settled && nodes.every(({ generation }) => generation >= 2);
}

/**
 * Adds the keys of all events that have none. Nodes of earlier releases may store further ones meanwhile. Numbers are
 * assigned before transactions commit: those in progress are awaited, so that no event up to `filled_to` appears later.
 */
async function fillKeys(storage: Storage, options: IntroductionOptions): Promise<void> {
  const { log, signal, rows = batchRows } = options;
  const { last } = (await storage.reads.one<{ last: number }>(store.lastNumber, []))!;
  if (!(await writersEnded(storage, signal))) return;
  for (let reported = performance.now(); !signal?.aborted; ) {
    const began = performance.now();
    const filledTo = await storage.write(async (transaction) => {
      await transaction.lock(fillLock);
      const { filled_to: from, phase } = await store.stateOf(transaction);
      if (phase === "partitioned" || from >= last) return last;
      const sql = `SELECT max(seq) AS seq FROM
        (SELECT seq FROM usage_events WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ${rows}) AS next`;
      const to = (await transaction.one<{ seq: number | null }>(sql, [from, last]))?.seq ?? last;
      await transaction.run(store.addKeys, [from, to]);
      await transaction.run("UPDATE usage_event_storage SET filled_to = ?", [to]);
      return to;
    });
    if (filledTo >= last) return;
    if (performance.now() - reported > 30_000) {
      log.info("usage events: adding keys of stored events", { percent: Math.floor((100 * filledTo) / last) });
      reported = performance.now();
    }
    // Pauses as long as the batch took, so that writers get at least half of the time.
    await pause(performance.now() - began);
  }
}

/** Waits until the transactions that are writing events have ended. */
async function writersEnded({ reads }: Storage, signal: AbortSignal | undefined): Promise<boolean> {
  const sql = `SELECT virtualtransaction AS id FROM pg_locks WHERE locktype = 'relation' AND mode = 'RowExclusiveLock'
    AND relation = 'usage_events'::regclass AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  const writers = async () => new Set((await reads.all<{ id: string }>(sql, [])).map(({ id }) => id));
  let left = await writers();
  while (left.size > 0 && !signal?.aborted) {
    await pause(50);
    left = left.intersection(await writers());
  }
  return left.size === 0;
}

/** Returns false if the table was in use, if many events have no keys, and if it has events and no bound. */
async function switchTables(storage: Storage, options: IntroductionOptions): Promise<boolean> {
  const { now, unit, log } = options;
  const isSwitched = await maintained(storage, options, async (run) => {
    if (!(await store.tryPartitionLock(run))) return false;
    await run(lockTable("usage_events", "ACCESS EXCLUSIVE"));
    const { phase, filled_to: from, bound } = await store.lockedState(run);
    if (phase === "partitioned") return true;
    if (bound === null && (await run("SELECT 1 FROM usage_events LIMIT 1")).length > 0) return false;
    const left = `SELECT count(*) AS rows FROM (SELECT 1 FROM usage_events WHERE seq > ? LIMIT ${maxLeftRows + 1}) AS rest`;
    if ((await run<{ rows: number }>(left, [from]))[0]!.rows > maxLeftRows) return false;
    await run(store.addKeys, [from, Number.MAX_SAFE_INTEGER]);
    await store.partitionTable(run, bound ?? unit.start(now), now, unit);
    return true;
  });
  if (isSwitched) log.info("usage events are partitioned");
  return isSwitched ?? false;
}

type Work<Result> = Parameters<NonNullable<Storage["maintain"]>>[0] extends (run: infer Run) => unknown
  ? (run: Run) => Promise<Result>
  : never;

function maintained<Result>(storage: Storage, { signal }: IntroductionOptions, work: Work<Result>) {
  return storage.maintain!(work, { lockMilliseconds, signal });
}

/** Returns false if a lock was never free. */
async function retried(storage: Storage, options: IntroductionOptions, work: Work<void>): Promise<boolean> {
  for (let attempt = 0; attempt < attempts && !options.signal?.aborted; attempt++) {
    const isDone = await maintained(storage, options, async (run) => {
      if (!(await store.tryPartitionLock(run))) return false;
      // Another node may have switched in the meantime.
      if ((await store.lockedState(run)).phase === "filling") await work(run);
      return true;
    });
    if (isDone) return true;
    await pause(lockMilliseconds);
  }
  return false;
}
