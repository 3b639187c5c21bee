import { type Amount, amountFromParts, partsOf } from "../../lib/amount.ts";
import { Slice } from "../../lib/tasks/slices.ts";
import type { ColumnType, Reads, WriteTransaction } from "../../platform/storage/storage.ts";
import { dayMilliseconds, startOf } from "./usage-hours.ts";

interface SeriesChange {
  subscriptionSeq: number;
  periodStart: number;
  meter: string;
  hours: Map<number, Amount>;
}

const types: ColumnType[] = ["bigint", "bigint", "bigint", "text", "bigint", "bigint"];

const raise = (table: "usage_hours" | "usage_days", rows: string) => `INSERT INTO ${table}
    (time, subscription_seq, period_start, meter, whole, billionths)
  SELECT column1, column2, column3, column4, column5, column6 FROM ${rows} AS added WHERE true
  ON CONFLICT (time, subscription_seq, period_start, meter) DO UPDATE SET
    whole = ${table}.whole + excluded.whole + (${table}.billionths + excluded.billionths) / 1000000000,
    billionths = (${table}.billionths + excluded.billionths) % 1000000000`;

/**
 * Adds usage to hours and days in the transaction that adds it to the counters. The caller has locked these counters,
 * so no other transaction can wait here in another order.
 */
export async function raiseSeries(transaction: WriteTransaction, changes: SeriesChange[]): Promise<void> {
  const hours: unknown[][] = [];
  const days: unknown[][] = [];
  for (const { subscriptionSeq, periodStart, meter, hours: amounts } of changes) {
    const row = (time: number, amount: Amount) => {
      const { whole, billionths } = partsOf(amount);
      return [time, subscriptionSeq, periodStart, meter, Number(whole), Number(billionths)];
    };
    for (const [hour, amount] of amounts) hours.push(row(hour, amount));
    if (amounts.size === 1) {
      // The usual case, without a map: a batch may raise 100,000 counters.
      for (const [hour, amount] of amounts) days.push(row(startOf(hour, dayMilliseconds), amount));
      continue;
    }
    const byDay = new Map<number, Amount>();
    for (const [hour, amount] of amounts) {
      const day = startOf(hour, dayMilliseconds);
      byDay.set(day, (byDay.get(day) ?? 0n) + amount);
    }
    for (const [day, amount] of byDay) days.push(row(day, amount));
  }
  const statementsOf = (table: "usage_hours" | "usage_days", rows: unknown[][]) =>
    Array.from(transaction.tablesOf(types, rows), ({ sql, parameters }) => ({ sql: raise(table, sql), parameters }));
  await transaction.runAll([...statementsOf("usage_hours", hours), ...statementsOf("usage_days", days)]);
}

export interface UsageSeriesRow {
  time: number;
  period_start: number;
  meter: string;
  whole: number;
  billionths: number;
}

export function amountOfRow({ whole, billionths }: UsageSeriesRow): Amount {
  return amountFromParts(whole, billionths);
}

const seriesColumns = "time, period_start, meter, whole, billionths";
const ofMeter = (meter: string | undefined) => (meter === undefined ? "" : " AND meter = ?");

/**
 * A constant number, so that the statement is prepared once. A subscription may have a thousand meters in each hour.
 */
const hoursAtOnce = 16;

/** Returns the usage of a subscription in each of the hours. Each is a separate range of the primary key. */
export async function* usageInHours(
  reads: Reads,
  subscriptionSeq: number,
  hours: number[],
  meter: string | undefined,
): AsyncGenerator<UsageSeriesRow> {
  const sql = `SELECT ${seriesColumns} FROM usage_hours
    WHERE time IN (${Array(hoursAtOnce).fill("?").join(", ")}) AND subscription_seq = ?${ofMeter(meter)}`;
  const slice = new Slice();
  for (let from = 0; from < hours.length; from += hoursAtOnce) {
    const some = hours.slice(from, from + hoursAtOnce);
    while (some.length < hoursAtOnce) some.push(some.at(-1)!);
    yield* await reads.all<UsageSeriesRow>(sql, [...some, subscriptionSeq, ...(meter === undefined ? [] : [meter])]);
    if (slice.isOver) await slice.next();
  }
}

const daysAtOnce = 2_000;

/** Returns its usage by day in the periods that begin in a range. */
export async function* usageInDays(
  reads: Reads,
  subscriptionSeq: number,
  periodsFrom: number,
  periodsTo: number,
  meter: string | undefined,
): AsyncGenerator<UsageSeriesRow> {
  const sql = `SELECT ${seriesColumns} FROM usage_days
    WHERE subscription_seq = ? AND (period_start, time, meter) > (?, ?, ?) AND period_start < ?${ofMeter(meter)}
    ORDER BY period_start, time, meter LIMIT ${daysAtOnce}`;
  const slice = new Slice();
  // No meter has an empty name.
  for (let last: [number, number, string] = [periodsFrom, Number.MIN_SAFE_INTEGER, ""]; ; ) {
    const rows = await reads.all<UsageSeriesRow>(sql, [
      subscriptionSeq,
      ...last,
      periodsTo,
      ...(meter === undefined ? [] : [meter]),
    ]);
    yield* rows;
    if (rows.length < daysAtOnce) return;
    const { period_start, time, meter: name } = rows.at(-1)!;
    last = [period_start, time, name];
    if (slice.isOver) await slice.next();
  }
}

/** Removes at most the given number of rows from before a time. Returns how many it removed. */
export async function removeHoursBefore(transaction: WriteTransaction, time: number, rows: number): Promise<number> {
  const key = "time, subscription_seq, period_start, meter";
  const removed = await transaction.all(
    `DELETE FROM usage_hours WHERE (${key}) IN (SELECT ${key} FROM usage_hours WHERE time < ? ORDER BY ${key} LIMIT ?)
      RETURNING time`,
    [time, rows],
  );
  return removed.length;
}
