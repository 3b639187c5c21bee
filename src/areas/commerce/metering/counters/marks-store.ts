import { type Amount, amountFromParts, partsOf } from "../../../../lib/amount.ts";
import type { ColumnType, Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";

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
export async function markTimes(
  reads: Reads,
  periods: { subscriptionSeq: number; periodStart: number }[],
): Promise<MarkTime[]> {
  const times: MarkTime[] = [];
  const places = periods.map(({ subscriptionSeq, periodStart }) => [subscriptionSeq, periodStart]);
  for (const { sql, parameters } of reads.tablesOf(["bigint", "bigint"], places)) {
    const rows = await reads.all<MarkTime>(
      `SELECT marks.subscription_seq, marks.period_start, segment_seq, time,
         CASE WHEN kind = 'idle' AND ends_on IS NULL THEN 1 ELSE 0 END AS is_end
       FROM segment_marks AS marks JOIN billing_segments ON billing_segments.seq = segment_seq
       WHERE (marks.subscription_seq, marks.period_start) IN (SELECT column1, column2 FROM ${sql} AS places)
       GROUP BY marks.subscription_seq, marks.period_start, segment_seq, time, kind, ends_on
       ORDER BY marks.subscription_seq, marks.period_start, segment_seq`,
      parameters,
    );
    times.push(...rows);
  }
  return times;
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
