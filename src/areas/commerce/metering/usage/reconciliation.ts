import { type Amount, amountFromParts, numberOf } from "../../../../lib/amount.ts";
import { yieldToEventLoop } from "../../../../lib/tasks/slices.ts";
import { formatDateTime } from "../../../../lib/time/time.ts";
import { runsOf } from "../../../../platform/storage/runs.ts";
import type { Reads, Storage } from "../../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { subscriptionSeqsAfter } from "../../subscriptions/subscriptions.ts";
import {
  compareCounters,
  eventSums,
  lastEventOf,
  type UsageComparison,
  type UsedPeriod,
  usedPeriods,
} from "../counters/usage-store.ts";

type ReadStorage = Pick<Storage, "isShared" | "reads">;

const maxDifferences = 100;

interface Side {
  events: number;
  amount: Amount;
}

/** Compares the counters with the events, for the periods that begin in a time range. */
export async function reconcile(storage: ReadStorage, bucket: MeteringBucket, from: number, to: number) {
  // A Map, because a meter may be named `toString`.
  const meters = new Map<string, { counted: Side; stored: Side }>();
  const differences = [];
  let agrees = true;
  for await (const row of comparisonsIn(storage, bucket, from, to)) {
    const { counted, stored } = sidesOf(row);
    const sum = meters.get(row.meter) ?? { counted: { events: 0, amount: 0n }, stored: { events: 0, amount: 0n } };
    meters.set(row.meter, sum);
    add(sum.counted, counted);
    add(sum.stored, stored);
    if (counted.events === stored.events && counted.amount === stored.amount) continue;
    agrees = false;
    if (differences.length < maxDifferences)
      differences.push({
        subscriptionId: row.subscription_id,
        meter: row.meter,
        periodStart: formatDateTime(row.period_start),
        counted: present(counted),
        stored: present(stored),
      });
  }
  return {
    agrees,
    meters: Object.fromEntries(
      [...meters].map(([meter, { counted, stored }]) => [
        meter,
        { accepted: counted.events, counted: present(counted), stored: present(stored) },
      ]),
    ),
    differences,
  };
}

/** PostgreSQL plans a query of all partitions for some 20 ms, whatever the number; SQLite blocks the event loop. */
const subscriptionsAtOnce = { shared: 256, embedded: 32 };
/** The maximum number of counters and events in one statement, which bounds how long others wait. */
const rowsAtOnce = 5_000;

/**
 * Yields the counters of a bucket with their events, so that other requests are served in between. A statement reads
 * whole periods: a counter and its events are from the same snapshot. On SQLite, whose statements block the event loop,
 * a large period is read in slices.
 */
async function* comparisonsIn(
  { isShared, reads }: ReadStorage,
  bucket: MeteringBucket,
  from: number,
  to: number,
): AsyncGenerator<UsageComparison> {
  for (let after = 0; ; ) {
    const seqs = await subscriptionSeqsAfter(
      reads,
      bucket.seq,
      after,
      subscriptionsAtOnce[isShared ? "shared" : "embedded"],
    );
    if (seqs.length === 0) return;
    for (const some of together(await usedPeriods(reads, seqs, from, to))) {
      if (!isShared && some.length === 1 && rowsOf(some[0]!) > rowsAtOnce) {
        yield* await compareInSlices(reads, some[0]!);
        continue;
      }
      for (const run of runsOf(some)) {
        yield* await compareCounters(reads, run);
        await yieldToEventLoop();
      }
    }
    after = seqs.at(-1)!;
  }
}

function* together(periods: UsedPeriod[]): Generator<UsedPeriod[]> {
  let some: UsedPeriod[] = [];
  let rows = 0;
  for (const period of periods) {
    rows += rowsOf(period);
    if (some.length > 0 && rows > rowsAtOnce) {
      yield some;
      some = [];
      rows = rowsOf(period);
    }
    some.push(period);
  }
  if (some.length > 0) yield some;
}

function rowsOf({ events, meters }: UsedPeriod): number {
  return events + meters;
}

function sidesOf(meter: UsageComparison): { counted: Side; stored: Side } {
  return {
    counted: { events: meter.counted_events, amount: amountFromParts(meter.counted_whole, meter.counted_billionths) },
    stored: { events: meter.stored_events, amount: amountFromParts(meter.stored_whole, meter.stored_billionths) },
  };
}

function add(sum: Side, side: Side): void {
  sum.events += side.events;
  sum.amount += side.amount;
}

function present({ events, amount }: Side) {
  return { events, amount: numberOf(amount) };
}

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
