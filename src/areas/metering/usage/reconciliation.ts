import { type Amount, amountFromParts, numberOf } from "../../../lib/amount.ts";
import { yieldToEventLoop } from "../../../lib/tasks/slices.ts";
import { formatDateTime } from "../../../lib/time/time.ts";
import { runsOf } from "../../../platform/storage/runs.ts";
import type { Storage } from "../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { subscriptionSeqsAfter } from "../../subscriptions/subscription-rows.ts";
import { compareCounters, type UsageComparison, type UsedPeriod, usedPeriods } from "../counters/usage-store.ts";
import { compareInSlices } from "./compare-in-slices.ts";

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
