import { type Amount, amountFromParts, partsOf } from "../../../lib/amount.ts";
import { runsOf } from "../../../platform/storage/runs.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";

interface MarkRow {
  period_start: number;
  time: number;
  meter: string;
  whole: number;
  billionths: number;
}

/** The usage of a meter in a period before a time. */
export interface UsageMark {
  periodStart: number;
  time: number;
  meter: string;
  used: Amount;
}

/** The times of some periods at which usage was marked. */
export async function markTimes(
  reads: Reads,
  periods: { subscriptionSeq: number; periodStart: number }[],
): Promise<{ subscription_seq: number; period_start: number; time: number }[]> {
  const times: { subscription_seq: number; period_start: number; time: number }[] = [];
  for (const run of runsOf(periods)) {
    const places = run.map(() => "(CAST(? AS bigint), CAST(? AS bigint))").join(", ");
    const rows = await reads.all<(typeof times)[number]>(
      `SELECT DISTINCT subscription_seq, period_start, time FROM usage_marks
       WHERE (subscription_seq, period_start) IN (VALUES ${places}) ORDER BY subscription_seq, period_start, time`,
      run.flatMap(({ subscriptionSeq, periodStart }) => [subscriptionSeq, periodStart]),
    );
    times.push(...rows);
  }
  return times;
}

export async function marksOf(reads: Reads, subscriptionSeq: number): Promise<UsageMark[]> {
  const rows = await reads.all<MarkRow>(
    "SELECT period_start, time, meter, whole, billionths FROM usage_marks WHERE subscription_seq = ?",
    [subscriptionSeq],
  );
  return rows.map(({ period_start, time, meter, whole, billionths }) => ({
    periodStart: period_start,
    time,
    meter,
    used: amountFromParts(whole, billionths),
  }));
}

const raise = `INSERT INTO usage_marks (subscription_seq, period_start, time, meter, whole, billionths)
  VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (subscription_seq, period_start, time, meter) DO UPDATE SET
    whole = usage_marks.whole + excluded.whole + (usage_marks.billionths + excluded.billionths) / 1000000000,
    billionths = (usage_marks.billionths + excluded.billionths) % 1000000000`;

export async function raiseMark(
  transaction: WriteTransaction,
  subscriptionSeq: number,
  { periodStart, time, meter, used }: UsageMark,
): Promise<void> {
  const { whole, billionths } = partsOf(used);
  await transaction.run(raise, [subscriptionSeq, periodStart, time, meter, Number(whole), Number(billionths)]);
}

/** Returns the sum of the events of a period from a time to another, by meter. */
export function eventsBetween(
  reads: Reads,
  subscriptionSeq: number,
  periodStart: number,
  from: number,
  to: number,
): Promise<{ meter: string; whole: number; billionths: number }[]> {
  return reads.all(
    `SELECT meter, CAST(SUM(whole) AS bigint) AS whole, CAST(SUM(billionths) AS bigint) AS billionths FROM usage_events
     WHERE subscription_seq = ? AND period_start = ? AND time >= ? AND time < ? GROUP BY meter`,
    [subscriptionSeq, periodStart, from, to],
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
