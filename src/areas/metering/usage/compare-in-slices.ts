import { yieldToEventLoop } from "../../../lib/tasks/slices.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import {
  compareCounters,
  eventSums,
  lastEventOf,
  type UsageComparison,
  type UsedPeriod,
} from "../counters/usage-store.ts";

/** An event takes about a microsecond. */
const eventsAtOnce = 1_000;
const maxAttempts = 3;
const billion = 1_000_000_000;

/**
 * Compares the counters of a period with its events, and yields to the event loop in between. Only for storage that is not
 * shared: its statements block the event loop, and new events have a higher `seq` than those that were read. Events that are removed or moved meanwhile would count twice or
 * not at all. Such a result shows a difference while the counters change: it is tried again, and at last with one
 * statement.
 */
export async function compareInSlices(reads: Reads, period: UsedPeriod): Promise<UsageComparison[]> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const last = await lastEventOf(reads, period);
    const before = await compareCounters(reads, [period], last);
    const sums = await sumsUntil(reads, period, last);
    const after = await compareCounters(reads, [period], last);
    const compared = combined(after, sums);
    if (compared.every(agrees) || Bun.deepEquals(before, after)) return compared;
  }
  return compareCounters(reads, [period]);
}

/** Returns the events up to the last one by meter, as comparisons with counters that are 0. */
async function sumsUntil(reads: Reads, period: UsedPeriod, last: number): Promise<Map<string, UsageComparison>> {
  // A Map, because a meter may be named `toString`.
  const sums = new Map<string, UsageComparison>();
  for (let after = 0; after < last; ) {
    const some = await eventSums(reads, period, { after, last, limit: eventsAtOnce });
    if (some.length === 0) break;
    for (const { subscription_id, meter, events, whole, billionths } of some) {
      const stored = { stored_events: events, stored_whole: whole, stored_billionths: billionths };
      const counted = { counted_events: 0, counted_whole: 0, counted_billionths: 0 };
      const row = { subscription_id, period_start: period.period_start, meter, ...counted, ...stored };
      const sum = sums.get(meter);
      sums.set(meter, sum ? withStored(sum, row) : row);
    }
    after = Math.max(...some.map((each) => each.last));
    await yieldToEventLoop();
  }
  return sums;
}

function combined(rows: UsageComparison[], sums: Map<string, UsageComparison>): UsageComparison[] {
  const all = rows.map((row) => {
    const sum = sums.get(row.meter);
    sums.delete(row.meter);
    return sum ? withStored(row, sum) : row;
  });
  return [...all, ...sums.values()];
}

/** Adds the stored part of another comparison of the meter. */
function withStored(row: UsageComparison, other: UsageComparison): UsageComparison {
  const billionths = row.stored_billionths + other.stored_billionths;
  return {
    ...row,
    stored_events: row.stored_events + other.stored_events,
    stored_whole: row.stored_whole + other.stored_whole + Math.floor(billionths / billion),
    stored_billionths: billionths % billion,
  };
}

function agrees(row: UsageComparison): boolean {
  return (
    row.counted_events === row.stored_events &&
    row.counted_whole === row.stored_whole &&
    row.counted_billionths === row.stored_billionths
  );
}
