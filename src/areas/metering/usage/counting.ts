import type { CounterChange } from "../../../counting/counters/counter-store.ts";
import { raiseCounters } from "../../../counting/counters/raise-counters.ts";
import { recordTotals, type TotalsOwner } from "../../../counting/counters/totals.ts";
import { addHour } from "../../../counting/counters/usage-hours.ts";
import type { Amount } from "../../../lib/amount.ts";
import { Slice } from "../../../lib/tasks/slices.ts";
import type { WriteTransaction } from "../../../platform/storage/storage.ts";
import { raiseMarks } from "../counters/usage-marks.ts";

/** What is counted of an event: its amounts in a period of a subscription. */
export interface CountedEvent {
  subscriptionSeq: number;
  periodStart: number;
  time: number;
  amounts: ReadonlyMap<string, Amount>;
}

/** Together, the changes of 100,000 counters would take more than 100 MB. */
const countersAtOnce = 5_000;

/**
 * Counts events and publishes the totals. Periods are in the order of `raiseCounters`, so that two transactions cannot
 * deadlock.
 */
export async function countEvents(
  transaction: WriteTransaction,
  events: CountedEvent[],
  owners: Map<number, TotalsOwner>,
): Promise<void> {
  const slice = new Slice();
  const periods = Map.groupBy(events, ({ subscriptionSeq, periodStart }) => `${subscriptionSeq} ${periodStart}`);
  let changes: CounterChange[] = [];
  const raise = async () => {
    await recordTotals(transaction, await raiseCounters(transaction, changes), owners);
    changes = [];
  };
  for (const key of [...periods.keys()].sort()) {
    for (const change of usageChangesOf(periods.get(key)!)) changes.push(change);
    if (changes.length >= countersAtOnce) await raise();
    if (slice.isOver) await slice.next();
  }
  await raise();
  await raiseMarks(transaction, periods.values().toArray());
}

/** Returns the changes of the counters of one period. */
export function usageChangesOf(events: CountedEvent[]): CounterChange[] {
  const changes = new Map<string, CounterChange>();
  for (const { subscriptionSeq, periodStart, time, amounts } of events)
    for (const [meter, amount] of amounts) {
      const change = changes.get(meter);
      const hours = change?.hours ?? new Map<number, Amount>();
      addHour(hours, time, amount);
      if (change) {
        change.events += 1;
        change.amount += amount;
      } else changes.set(meter, { subscriptionSeq, periodStart, meter, events: 1, amount, consumed: 0n, hours });
    }
  return [...changes.values()];
}

/** The change that undoes another one. */
export function negated(change: CounterChange): CounterChange {
  const hours = new Map([...change.hours].map(([hour, amount]) => [hour, -amount]));
  return { ...change, events: -change.events, amount: -change.amount, hours };
}
