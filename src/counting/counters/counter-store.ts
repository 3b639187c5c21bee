import { type Amount, amountFromParts } from "../../lib/amount.ts";
import { Slice } from "../../lib/tasks/slices.ts";
import type { Reads } from "../../platform/storage/storage.ts";

/** The part of a counter that its total consists of. */
export interface CounterRow {
  subscription_seq: number;
  period_start: number;
  meter: string;
  whole: number;
  billionths: number;
  consumed_whole: number;
  consumed_billionths: number;
  version: number;
}

export const totalColumns =
  "subscription_seq, period_start, meter, whole, billionths, consumed_whole, consumed_billionths, version";

const countersOfPeriod = `SELECT ${totalColumns} FROM usage_counters WHERE subscription_seq = ? AND period_start = ?
  ORDER BY meter`;

/** Returns the usage in a period by meter: events and consumed quotas. */
export async function usedIn(reads: Reads, subscriptionSeq: number, periodStart: number): Promise<Map<string, Amount>> {
  const rows = await reads.all<CounterRow>(countersOfPeriod, [subscriptionSeq, periodStart]);
  return new Map(rows.map((row) => [row.meter, usedOf(row)]));
}

export function totalOf(row: CounterRow): CounterTotal {
  const { subscription_seq: subscriptionSeq, period_start: periodStart, meter, version } = row;
  return { subscriptionSeq, periodStart, meter, used: usedOf(row), version };
}

/** The totals of a period by meter, with their versions. */
export interface VersionedTotals {
  used: Map<string, Amount>;
  versions: Map<string, number>;
  /** The last batch of a writer that they include. */
  batch: number;
}

/** Returns the usage in periods by their `periodKey`, and the last batch of a writer that it includes. */
export async function usedWithBatch(
  reads: Reads,
  places: { subscriptionSeq: number; periodStart: number }[],
  writer: string,
): Promise<Map<string, VersionedTotals>> {
  const slice = new Slice();
  const rowsOfPlaces = places.map(({ subscriptionSeq, periodStart }) => [subscriptionSeq, periodStart]);
  const totals = new Map<string, VersionedTotals>();
  for (const { subscriptionSeq, periodStart } of places)
    totals.set(periodKey(subscriptionSeq, periodStart), { used: new Map(), versions: new Map(), batch: 0 });
  for (const { sql, parameters } of reads.tablesOf(["bigint", "bigint"], rowsOfPlaces)) {
    // One statement, so that both are from the same snapshot.
    const rows = await reads.all<CounterRow & { batch: number | null }>(
      `SELECT ${totalColumns}, (SELECT number FROM written_batches WHERE writer = ?) AS batch
       FROM usage_counters WHERE (subscription_seq, period_start) IN (SELECT column1, column2 FROM ${sql} AS places)`,
      [writer, ...parameters],
    );
    for (const row of rows) {
      if (slice.isOver) await slice.next();
      const total = totals.get(periodKey(row.subscription_seq, row.period_start))!;
      total.used.set(row.meter, usedOf(row));
      total.versions.set(row.meter, row.version);
      total.batch = row.batch ?? 0;
    }
  }
  return totals;
}

type UsedRow = Pick<CounterRow, "whole" | "billionths" | "consumed_whole" | "consumed_billionths">;

function usedOf(used: UsedRow): Amount {
  return amountFromParts(used.whole, used.billionths) + amountFromParts(used.consumed_whole, used.consumed_billionths);
}

const countersOfSome = (places: string) => `SELECT ${totalColumns} FROM usage_counters
  WHERE (subscription_seq, period_start) IN (SELECT column1, column2 FROM ${places} AS places)`;

/** Returns the totals of periods, in any order. */
export async function totalsOfPeriods(
  reads: Reads,
  places: { subscriptionSeq: number; periodStart: number }[],
): Promise<CounterTotal[]> {
  const totals: CounterTotal[] = [];
  const rows = places.map(({ subscriptionSeq, periodStart }) => [subscriptionSeq, periodStart]);
  for (const { sql, parameters } of reads.tablesOf(["bigint", "bigint"], rows))
    for (const row of await reads.all<CounterRow>(countersOfSome(sql), parameters)) totals.push(totalOf(row));
  return totals;
}

/** Returns the usage in periods by their `periodKey` and by meter. */
export async function countersOfPeriods(
  reads: Reads,
  places: { subscriptionSeq: number; periodStart: number }[],
): Promise<Map<string, Map<string, Amount>>> {
  const used = new Map<string, Map<string, Amount>>();
  for (const { subscriptionSeq, periodStart, meter, used: amount } of await totalsOfPeriods(reads, places)) {
    const key = periodKey(subscriptionSeq, periodStart);
    const meters = used.get(key) ?? new Map<string, Amount>();
    used.set(key, meters.set(meter, amount));
  }
  return used;
}

/** Returns the usage in a period that is not from events, by meter. */
export async function consumedIn(
  reads: Reads,
  subscriptionSeq: number,
  periodStart: number,
): Promise<Map<string, Amount>> {
  const rows = await reads.all<Pick<CounterRow, "meter" | "consumed_whole" | "consumed_billionths">>(
    "SELECT meter, consumed_whole, consumed_billionths FROM usage_counters WHERE subscription_seq = ? AND period_start = ?",
    [subscriptionSeq, periodStart],
  );
  return new Map(rows.map((row) => [row.meter, amountFromParts(row.consumed_whole, row.consumed_billionths)]));
}

export function periodKey(subscriptionSeq: number, periodStart: number): string {
  return `${subscriptionSeq} ${periodStart}`;
}

/** Returns the start of the first period with usage, if any. */
export async function firstUsedPeriod(reads: Reads, subscriptionSeq: number): Promise<number | undefined> {
  const sql = "SELECT period_start FROM usage_counters WHERE subscription_seq = ? ORDER BY period_start LIMIT 1";
  return (await reads.one<{ period_start: number }>(sql, [subscriptionSeq]))?.period_start;
}

/** The addition to one counter. It is negative for events that move to another subscription. */
export interface CounterChange {
  subscriptionSeq: number;
  periodStart: number;
  meter: string;
  events: number;
  amount: Amount;
  consumed: Amount;
  /** The sum of both amounts by the hour of use. */
  hours: Map<number, Amount>;
}

/** The total of a counter. It may decrease, for example if events move to another subscription. */
export interface CounterTotal {
  subscriptionSeq: number;
  periodStart: number;
  meter: string;
  used: Amount;
  /** The later of two totals has the larger version. */
  version: number;
}
