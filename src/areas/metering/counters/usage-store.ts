import type { Selectable } from "kysely";
import { pieceSize, yieldToEventLoop } from "../../../lib/tasks/slices.ts";
import { runsOf } from "../../../platform/storage/runs.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { Tables } from "../../../platform/storage/tables.ts";

export type EventRow = Omit<Selectable<Tables["usage_events"]>, "seq" | "voided_on">;

/**
 * Stores events, each as the rows of its meters, and returns for each whether it is new. A duplicate is not changed. A
 * large batch is one transaction, but yields so that reads run in between.
 */
export async function insertEvents(transaction: WriteTransaction, events: Iterable<EventRow[]>): Promise<boolean[]> {
  const isNew: boolean[] = [];
  for (const piece of piecesByRows(events)) {
    if (isNew.length > 0) await yieldToEventLoop();
    isNew.push(...(await insertPiece(transaction, piece)));
  }
  return isNew;
}

/** An event may have a thousand rows. */
function* piecesByRows(events: Iterable<EventRow[]>): Generator<EventRow[][]> {
  let piece: EventRow[][] = [];
  let count = 0;
  for (const rows of events) {
    piece.push(rows);
    count += rows.length;
    if (count < pieceSize) continue;
    yield piece;
    piece = [];
    count = 0;
  }
  if (piece.length > 0) yield piece;
}

async function insertPiece(transaction: WriteTransaction, events: EventRow[][]): Promise<boolean[]> {
  const firstParts = events.map(([first]) => first!);
  const isNew = await transaction.insertNew("usage_events", firstParts, ["bucket_seq", "source", "event_id", "part"]);
  await transaction.insertAll(
    "usage_events",
    events.flatMap((rows, index) => (isNew[index] ? rows.slice(1) : [])),
  );
  return isNew;
}

/** Returns for each event whether it is stored. */
export async function knownEvents(
  reads: Reads,
  bucketSeq: number,
  events: { source: string; id: string }[],
): Promise<boolean[]> {
  const keyOf = (source: string, id: string) => JSON.stringify([source, id]);
  const known = new Set<string>();
  for (const run of runsOf(events)) {
    const rows = await reads.all<{ source: string; event_id: string }>(
      `SELECT source, event_id FROM usage_events
       WHERE bucket_seq = ? AND part = 0 AND (source, event_id) IN (VALUES ${run.map(() => "(?, ?)").join(", ")})`,
      [bucketSeq, ...run.flatMap(({ source, id }) => [source, id])],
    );
    for (const row of rows) known.add(keyOf(row.source, row.event_id));
  }
  return events.map(({ source, id }) => known.has(keyOf(source, id)));
}

/** Counters and events of one meter of one subscription in one period. */
export interface UsageComparison {
  subscription_id: string;
  period_start: number;
  meter: string;
  counted_events: number;
  counted_whole: number;
  counted_billionths: number;
  stored_events: number;
  stored_whole: number;
  stored_billionths: number;
}

export interface UsedPeriod {
  subscription_seq: number;
  period_start: number;
  /** The total of all meters, as counted. */
  events: number;
  meters: number;
}

/**
 * Returns the periods of some subscriptions that have counters or events. Only the first event of each period is read,
 * because there may be millions.
 */
export function usedPeriods(reads: Reads, subscriptionSeqs: number[], from: number, to: number): Promise<UsedPeriod[]> {
  const chosen = `(${subscriptionSeqs.map(() => "?").join(", ")})`;
  return reads.all(
    `WITH RECURSIVE stored(subscription_seq, period_start) AS (
      SELECT seq, (SELECT MIN(period_start) FROM usage_events
        WHERE usage_events.subscription_seq = subscriptions.seq AND usage_events.period_start >= ?)
      FROM subscriptions WHERE seq IN ${chosen}
      UNION ALL
      SELECT subscription_seq, (SELECT MIN(later.period_start) FROM usage_events AS later
        WHERE later.subscription_seq = stored.subscription_seq AND later.period_start > stored.period_start)
      FROM stored WHERE period_start < ?)
    SELECT subscription_seq, period_start, CAST(SUM(events) AS bigint) AS events, CAST(SUM(meters) AS bigint) AS meters FROM (
      SELECT subscription_seq, period_start, events, 1 AS meters FROM usage_counters
        WHERE subscription_seq IN ${chosen} AND period_start >= ? AND period_start < ?
      UNION ALL
      SELECT subscription_seq, period_start, 0, 0 FROM stored WHERE period_start < ?
    ) AS used GROUP BY subscription_seq, period_start`,
    [from, ...subscriptionSeqs, to, ...subscriptionSeqs, from, to, to],
  );
}

type PeriodPlace = Pick<UsedPeriod, "subscription_seq" | "period_start">;

/**
 * Returns the counters and events of some periods; with `after`, only events with a later `seq`. One statement, so that
 * a counter and its events are from the same snapshot. Events that retention removed count as stored.
 */
export function compareCounters(
  reads: Reads,
  periods: PeriodPlace[],
  after: number | undefined = undefined,
): Promise<UsageComparison[]> {
  const places = `(subscription_seq, period_start) IN
    (VALUES ${Array(periods.length).fill("(CAST(? AS bigint), CAST(? AS bigint))").join(", ")})`;
  const parameters = periods.flatMap(({ subscription_seq, period_start }) => [subscription_seq, period_start]);
  return reads.all(
    `SELECT subscriptions.id AS subscription_id, period_start, meter,
      CAST(SUM(counted_events) AS bigint) AS counted_events,
      CAST(SUM(counted_whole) AS bigint) + CAST(SUM(counted_billionths) AS bigint) / 1000000000 AS counted_whole,
      CAST(SUM(counted_billionths) AS bigint) % 1000000000 AS counted_billionths,
      CAST(SUM(stored_events) AS bigint) AS stored_events,
      CAST(SUM(stored_whole) AS bigint) + CAST(SUM(stored_billionths) AS bigint) / 1000000000 AS stored_whole,
      CAST(SUM(stored_billionths) AS bigint) % 1000000000 AS stored_billionths
    FROM (
      SELECT subscription_seq, period_start, meter,
        events AS counted_events, whole AS counted_whole, billionths AS counted_billionths,
        removed_events AS stored_events, removed_whole AS stored_whole, removed_billionths AS stored_billionths
      FROM usage_counters WHERE ${places}
      UNION ALL
      SELECT subscription_seq, period_start, meter, 0, 0, 0, 1, whole, billionths FROM usage_events
        WHERE ${places} ${after === undefined ? "" : "AND seq > ?"}
    ) AS both_sides JOIN subscriptions ON subscriptions.seq = both_sides.subscription_seq
    GROUP BY subscriptions.id, period_start, meter`,
    [...parameters, ...parameters, ...(after === undefined ? [] : [after])],
  );
}

/** Returns the `seq` of the last event of a period, or 0. */
export async function lastEventOf(reads: Reads, period: PeriodPlace): Promise<number> {
  const sql = "SELECT MAX(seq) AS last FROM usage_events WHERE subscription_seq = ? AND period_start = ?";
  const row = await reads.one<{ last: number | null }>(sql, [period.subscription_seq, period.period_start]);
  return row?.last ?? 0;
}

/** The sums of some events of a meter. */
export interface EventSums {
  subscription_id: string;
  meter: string;
  events: number;
  whole: number;
  billionths: number;
  last: number;
}

/** Returns the sums of the next events of a period by meter, in the order of `seq`. */
export function eventSums(
  reads: Reads,
  { subscription_seq, period_start }: PeriodPlace,
  { after, last, limit }: { after: number; last: number; limit: number },
): Promise<EventSums[]> {
  return reads.all(
    `SELECT subscriptions.id AS subscription_id, meter, COUNT(*) AS events, SUM(whole) AS whole,
      SUM(billionths) AS billionths, MAX(events.seq) AS last
    FROM (
      SELECT seq, subscription_seq, meter, whole, billionths FROM usage_events
      WHERE subscription_seq = ? AND period_start = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?
    ) AS events JOIN subscriptions ON subscriptions.seq = events.subscription_seq
    GROUP BY subscriptions.id, meter`,
    [subscription_seq, period_start, after, last, limit],
  );
}

type RemovedRow = Pick<
  Selectable<Tables["usage_events"]>,
  "seq" | "subscription_seq" | "period_start" | "meter" | "whole" | "billionths"
>;

/**
 * Returns the oldest events that were received before a time: those of the `max` oldest rows, each with all of its
 * rows. If only some rows of an event were removed, it would be new by its first row and a duplicate by another.
 */
export function oldestEvents(reads: Reads, receivedBefore: number, max: number): Promise<RemovedRow[]> {
  return reads.all(
    `SELECT seq, subscription_seq, period_start, meter, whole, billionths
     FROM usage_events WHERE (bucket_seq, source, event_id) IN (
       SELECT bucket_seq, source, event_id
       FROM (SELECT * FROM usage_events ORDER BY seq LIMIT ?) AS oldest WHERE received_on < ?)`,
    [max, receivedBefore],
  );
}

/** Removes events and adds them to the removed sums of their counters. The usage is unchanged. */
export async function removeEvents(transaction: WriteTransaction, rows: RemovedRow[]): Promise<void> {
  const note = `UPDATE usage_counters SET removed_events = removed_events + ?,
      removed_whole = removed_whole + ?, removed_billionths = removed_billionths + ?
    WHERE subscription_seq = ? AND period_start = ? AND meter = ?`;
  const ofCounter = Map.groupBy(rows, (row) => `${row.subscription_seq} ${row.period_start} ${row.meter}`);
  for (const removed of ofCounter.values()) {
    const { subscription_seq, period_start, meter } = removed[0]!;
    // Each is exact below 2^53; their sum may not be.
    const whole = removed.reduce((sum, row) => sum + BigInt(row.whole), 0n);
    const billionths = removed.reduce((sum, row) => sum + row.billionths, 0);
    await transaction.run(note, [removed.length, whole, billionths, subscription_seq, period_start, meter]);
  }
  for (const run of runsOf(rows)) {
    const places = run.map(() => "?").join(", ");
    await transaction.run(
      `DELETE FROM usage_events WHERE seq IN (${places})`,
      run.map((row) => row.seq),
    );
  }
}
