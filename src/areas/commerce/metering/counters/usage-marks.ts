import { type CounterChange, type CounterTotal, consumedIn } from "../../../../counting/counters/counter-store.ts";
import { raiseCounters } from "../../../../counting/counters/raise-counters.ts";
import { hourMilliseconds, startOf } from "../../../../counting/counters/usage-hours.ts";
import { type Amount, amountFromParts, partsOf } from "../../../../lib/amount.ts";
import { allWith } from "../../../../platform/storage/query.ts";
import type { ColumnType, Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";

interface CountedEvent {
  subscriptionSeq: number;
  periodStart: number;
  time: number;
  amounts: ReadonlyMap<string, Amount>;
}

/**
 * Adds late events, or what holds take in the end, to the marks of their periods; each list has those of one period. Called after their counters
 * are raised: a transaction that marks usage locks the same counters, so either it counts these events or its mark is
 * visible here.
 */
export async function raiseMarks(
  transaction: WriteTransaction,
  periods: CountedEvent[][],
  kind: "events" | "consumed" = "events",
): Promise<void> {
  if (periods.length === 0) return;
  const keyOf = (subscriptionSeq: number, periodStart: number) => `${subscriptionSeq} ${periodStart}`;
  const byPeriod = new Map(
    periods.map((events) => [keyOf(events[0]!.subscriptionSeq, events[0]!.periodStart), events]),
  );
  const marked = await markTimes(
    transaction,
    periods.map(([first]) => first!),
  );
  const marks = marked.flatMap(({ subscription_seq: subscriptionSeq, period_start, segment_seq, time, is_end }) => {
    const late = new Map<string, Amount>();
    // A subscription that has ended has no events after that: this one arrived at the same time.
    const isLate = (event: CountedEvent) => event.time < time || (event.time === time && is_end === 1);
    for (const event of byPeriod.get(keyOf(subscriptionSeq, period_start))!)
      if (isLate(event)) for (const [meter, amount] of event.amounts) late.set(meter, (late.get(meter) ?? 0n) + amount);
    const mark = { subscriptionSeq, periodStart: period_start, segmentSeq: segment_seq, time };
    return [...late].map(([meter, used]) => ({ ...mark, meter, used, consumed: kind === "consumed" ? used : 0n }));
  });
  await addToMarks(transaction, marks, { isLate: true });
}

/**
 * Subtracts an event that is taken back from the marks that include it: those after its time, and those of its time that
 * were made after it was stored. Called after its counters are lowered.
 */
export async function lowerMarks(transaction: WriteTransaction, event: CountedEvent & { seq: number }): Promise<void> {
  const { subscriptionSeq, periodStart, amounts } = event;
  for (const { segment_seq: segmentSeq, time, is_end } of await markTimes(transaction, [event])) {
    if (event.time > time) continue;
    const mustBeBefore = event.time === time && is_end === 0;
    for (const [meter, used] of amounts)
      await lowerMark(
        transaction,
        subscriptionSeq,
        { periodStart, segmentSeq, meter, used },
        mustBeBefore ? event.seq : 0,
      );
  }
}

/**
 * Locks counters until the transaction ends, also those that another transaction is about to create, and returns their
 * totals: usage that is written in the meantime waits.
 */
export function lockCounters(
  transaction: WriteTransaction,
  counters: Pick<CounterChange, "subscriptionSeq" | "periodStart" | "meter">[],
): Promise<CounterTotal[]> {
  const nothing = { events: 0, amount: 0n, consumed: 0n };
  return raiseCounters(
    transaction,
    counters.map((counter) => ({ ...counter, ...nothing, hours: new Map() })),
  );
}

/** A segment of a subscription's period, and when it begins. */
interface MarkedSegment {
  subscriptionSeq: number;
  periodStart: number;
  segmentSeq: number;
  time: number;
}

/**
 * Stores how much of some meters was used in a period before a segment, and returns how much after its start. Events are
 * ordered by their time, and those of the start by their arrival: what is stored now counts as before it. Usage without
 * events has the time at which it was written; within the hour of the start, it counts as before it.
 */
export async function markUsage(
  transaction: WriteTransaction,
  { subscriptionSeq, periodStart, segmentSeq, time }: MarkedSegment,
  meters: string[],
): Promise<Map<string, Amount>> {
  const after = new Map<string, Amount>();
  if (meters.length === 0) return after;
  const totals = await lockCounters(
    transaction,
    meters.map((meter) => ({ subscriptionSeq, periodStart, meter })),
  );
  const used = new Map(totals.map((total) => [total.meter, total.used]));
  const nextHour = startOf(time, hourMilliseconds) + hourMilliseconds;
  const since = [
    ...(await eventsBetween(transaction, subscriptionSeq, periodStart, time, nextHour)),
    ...(await hoursSince(transaction, subscriptionSeq, periodStart, nextHour)),
  ];
  for (const { meter, whole, billionths } of since)
    after.set(meter, (after.get(meter) ?? 0n) + amountFromParts(whole, billionths));
  const consumed = await consumedIn(transaction, subscriptionSeq, periodStart);
  const marks = meters.map((meter) => {
    const before = (used.get(meter) ?? 0n) - (after.get(meter) ?? 0n);
    const mark = { subscriptionSeq, periodStart, segmentSeq, time, meter };
    return { ...mark, used: before, consumed: consumed.get(meter) ?? 0n };
  });
  await addToMarks(transaction, marks, { isLate: false });
  return after;
}

interface MarkRow {
  period_start: number;
  segment_seq: number;
  meter: string;
  whole: number;
  billionths: number;
  consumed_whole: number;
  consumed_billionths: number;
}

/** The usage of a meter in a period before a segment. */
export interface UsageMark {
  periodStart: number;
  segmentSeq: number;
  meter: string;
  used: Amount;
  /** The usage without events when the mark was made. */
  consumed: Amount;
}

interface MarkTime {
  subscription_seq: number;
  period_start: number;
  segment_seq: number;
  time: number;
  /** 1 if the subscription has ended at that time. */
  is_end: number;
}

/** The times of some periods at which usage was marked. */
export function markTimes(
  reads: Reads,
  periods: { subscriptionSeq: number; periodStart: number }[],
): Promise<MarkTime[]> {
  return allWith(
    reads,
    ["bigint", "bigint"],
    periods.map(({ subscriptionSeq, periodStart }) => [subscriptionSeq, periodStart]),
    (places) => `SELECT marks.subscription_seq, marks.period_start, segment_seq, time,
        CASE WHEN kind = 'idle' AND ends_on IS NULL THEN 1 ELSE 0 END AS is_end
      FROM segment_marks AS marks JOIN billing_segments ON billing_segments.seq = segment_seq
      WHERE (marks.subscription_seq, marks.period_start) IN (SELECT column1, column2 FROM ${places} AS places)
      GROUP BY marks.subscription_seq, marks.period_start, segment_seq, time, kind, ends_on
      ORDER BY marks.subscription_seq, marks.period_start, segment_seq`,
  );
}

/** Returns the marks of a subscription in the order of their segments. */
export async function marksOf(reads: Reads, subscriptionSeq: number): Promise<UsageMark[]> {
  const rows = await reads.all<MarkRow>(
    `SELECT period_start, segment_seq, meter, whole, billionths, consumed_whole, consumed_billionths FROM segment_marks
     WHERE subscription_seq = ? ORDER BY segment_seq`,
    [subscriptionSeq],
  );
  return rows.map((row) => ({
    periodStart: row.period_start,
    segmentSeq: row.segment_seq,
    meter: row.meter,
    used: amountFromParts(row.whole, row.billionths),
    consumed: amountFromParts(row.consumed_whole, row.consumed_billionths),
  }));
}

const raise = (marks: string, lastEvent: string) => `INSERT INTO segment_marks (subscription_seq, period_start,
    segment_seq, time, meter, whole, billionths, consumed_whole, consumed_billionths, last_event)
  SELECT column1, column2, column3, column4, column5, column6, column7, column8, column9, ${lastEvent}
  FROM ${marks} AS marks WHERE true
  ON CONFLICT (subscription_seq, period_start, segment_seq, meter) DO UPDATE SET ${["", "consumed_"]
    .map(
      (kind) => `${kind}whole = segment_marks.${kind}whole + excluded.${kind}whole
        + (segment_marks.${kind}billionths + excluded.${kind}billionths) / 1000000000,
      ${kind}billionths = (segment_marks.${kind}billionths + excluded.${kind}billionths) % 1000000000`,
    )
    .join(", ")}`;

/** A new mark includes the events that are stored now. One that only late events make has none of its own time. */
const [lastStored, lastOfLate] = ["(SELECT COALESCE(MAX(seq), 0) FROM usage_events)", "0"];

const types: ColumnType[] = [...Array<ColumnType>(4).fill("bigint"), "text", ...Array<ColumnType>(4).fill("bigint")];

/** Marks of the same counters are raised one after the other, because their counters are locked. */
export async function addToMarks(
  transaction: WriteTransaction,
  marks: (UsageMark & { subscriptionSeq: number; time: number })[],
  { isLate }: { isLate: boolean },
): Promise<void> {
  const rows = marks.map(({ subscriptionSeq, periodStart, segmentSeq, time, meter, ...amounts }) => {
    const [used, consumed] = [partsOf(amounts.used), partsOf(amounts.consumed)];
    const parts = [used.whole, used.billionths, consumed.whole, consumed.billionths];
    return [subscriptionSeq, periodStart, segmentSeq, time, meter, ...parts.map(Number)];
  });
  for (const { sql, parameters } of transaction.tablesOf(types, rows))
    await transaction.run(raise(sql, isLate ? lastOfLate : lastStored), parameters);
}

/**
 * Subtracts usage from a mark, if there is one of the meter.
 * @param eventSeq of an event of the time of the mark: only a mark that was made after it was stored includes it
 */
export async function lowerMark(
  transaction: WriteTransaction,
  subscriptionSeq: number,
  { periodStart, segmentSeq, meter, used }: Omit<UsageMark, "consumed">,
  eventSeq = 0,
): Promise<void> {
  const { whole, billionths } = partsOf(used);
  await transaction.run(
    `UPDATE segment_marks SET whole = whole - ?, billionths = billionths - ?
     WHERE subscription_seq = ? AND period_start = ? AND segment_seq = ? AND meter = ?
       AND last_event >= ?`,
    [Number(whole), Number(billionths), subscriptionSeq, periodStart, segmentSeq, meter, eventSeq],
  );
}

/** Returns the sum of the events of a period after a time and before another, by meter. */
export function eventsBetween(
  reads: Reads,
  subscriptionSeq: number,
  periodStart: number,
  after: number,
  to: number,
): Promise<{ meter: string; whole: number; billionths: number }[]> {
  return reads.all(
    `SELECT meter, CAST(SUM(whole) AS bigint) AS whole, CAST(SUM(billionths) AS bigint) AS billionths FROM usage_events
     WHERE subscription_seq = ? AND period_start = ? AND time > ? AND time < ? GROUP BY meter`,
    [subscriptionSeq, periodStart, after, to],
  );
}

/** Returns the usage of a period in all hours from a time on, by meter. */
export function hoursSince(
  reads: Reads,
  subscriptionSeq: number,
  periodStart: number,
  from: number,
): Promise<{ meter: string; whole: number; billionths: number }[]> {
  return reads.all(
    `SELECT meter, CAST(SUM(whole) AS bigint) AS whole, CAST(SUM(billionths) AS bigint) AS billionths FROM usage_hours
     WHERE time >= ? AND subscription_seq = ? AND period_start = ? GROUP BY meter`,
    [from, subscriptionSeq, periodStart],
  );
}
