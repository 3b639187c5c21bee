import type { CounterChange } from "../../../../counting/counters/counter-store.ts";
import { raiseCounters } from "../../../../counting/counters/raise-counters.ts";
import { recordTotals, type TotalsOwner } from "../../../../counting/counters/totals.ts";
import { addHour } from "../../../../counting/counters/usage-hours.ts";
import { type Amount, amountOf, maxAmount } from "../../../../lib/amount.ts";
import { Slice } from "../../../../lib/tasks/slices.ts";
import type { WriteTransaction } from "../../../../platform/storage/storage.ts";
import { raiseMarks } from "../counters/usage-marks.ts";

/** What is counted of an event: its amounts in a period of a subscription. */
export interface CountedEvent {
  subscriptionSeq: number;
  periodStart: number;
  time: number;
  amounts: ReadonlyMap<string, Amount>;
}

/** A counter must stay within the exact range of numbers. */
export const maxCount = amountOf(maxAmount)!;

/** Events would add up to more than can be counted. Which of them, is known when the totals before them are read. */
export class TotalTooLarge extends Error {}

/** Together, the changes of 100,000 counters would take more than 100 MB. */
const countersAtOnce = 5_000;

/**
 * Counts events and publishes the totals. Throws `TotalTooLarge` if a total exceeds `maxCount`. Periods are in the order of `raiseCounters`, so that two transactions cannot
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
    if (changes.some(({ amount }) => amount > maxCount)) throw new TotalTooLarge();
    const totals = await raiseCounters(transaction, changes);
    if (totals.some(({ used }) => used > maxCount)) throw new TotalTooLarge();
    await recordTotals(transaction, totals, owners);
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
