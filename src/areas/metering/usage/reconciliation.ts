import { type Amount, amountFromParts, numberOf } from "../../../lib/amount.ts";
import { formatDateTime } from "../../../lib/time/time.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../buckets.ts";
import { type Comparison, compareCounters } from "../counters/usage-store.ts";

const mostDifferences = 100;

interface Side {
  events: number;
  amount: Amount;
}

/** Whether the counters match the events, for the periods that begin in a time range. */
export async function reconcile(reads: Reads, bucket: MeteringBucket, from: number, to: number) {
  const comparisons = await compareCounters(reads, bucket.seq, from, to);
  // A map: a meter may be named `toString`.
  const meters = new Map<string, { counted: Side; stored: Side }>();
  const differences = [];
  for (const row of comparisons) {
    const { counted, stored } = sidesOf(row);
    const sum = meters.get(row.meter) ?? { counted: { events: 0, amount: 0n }, stored: { events: 0, amount: 0n } };
    meters.set(row.meter, sum);
    add(sum.counted, counted);
    add(sum.stored, stored);
    if (counted.events !== stored.events || counted.amount !== stored.amount)
      differences.push({
        subscriptionId: row.subscription_id,
        meter: row.meter,
        periodStart: formatDateTime(row.period_start),
        counted: present(counted),
        stored: present(stored),
      });
  }
  return {
    agrees: differences.length === 0,
    meters: Object.fromEntries(
      [...meters].map(([meter, { counted, stored }]) => [
        meter,
        { accepted: counted.events, counted: present(counted), stored: present(stored) },
      ]),
    ),
    differences: differences.slice(0, mostDifferences),
  };
}

function sidesOf(row: Comparison): { counted: Side; stored: Side } {
  return {
    counted: { events: row.counted_events, amount: amountFromParts(row.counted_whole, row.counted_billionths) },
    stored: { events: row.stored_events, amount: amountFromParts(row.stored_whole, row.stored_billionths) },
  };
}

function add(sum: Side, side: Side): void {
  sum.events += side.events;
  sum.amount += side.amount;
}

function present({ events, amount }: Side) {
  return { events, amount: numberOf(amount) };
}
