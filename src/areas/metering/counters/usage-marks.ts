import { type Amount, amountFromParts } from "../../../lib/amount.ts";
import type { WriteTransaction } from "../../../platform/storage/storage.ts";
import { eventsBetween, hoursSince, marksOf, markTimes, raiseMark } from "./marks-store.ts";
import { raiseCounters } from "./raise-counters.ts";
import { hourMilliseconds, startOf } from "./usage-hours.ts";
import type { CounterChange, CounterTotal } from "./usage-store.ts";

export type { UsageMark } from "./marks-store.ts";
export { marksOf };

interface CountedEvent {
  subscriptionSeq: number;
  periodStart: number;
  time: number;
  amounts: ReadonlyMap<string, Amount>;
}

/**
 * Adds late events to the marks of their periods; each list has the events of one period. Called after their counters
 * are raised: a transaction that marks usage locks the same counters, so either it counts these events or its mark is
 * visible here.
 */
export async function raiseMarks(transaction: WriteTransaction, periods: CountedEvent[][]): Promise<void> {
  if (periods.length === 0) return;
  const marked = await markTimes(
    transaction,
    periods.map(([first]) => first!),
  );
  for (const { subscription_seq, period_start: periodStart, time } of marked) {
    const events = periods.find(
      ([first]) => first!.subscriptionSeq === subscription_seq && first!.periodStart === periodStart,
    )!;
    const late = new Map<string, Amount>();
    for (const event of events)
      if (event.time < time)
        for (const [meter, amount] of event.amounts) late.set(meter, (late.get(meter) ?? 0n) + amount);
    for (const meter of [...late.keys()].sort())
      await raiseMark(transaction, subscription_seq, { periodStart, time, meter, used: late.get(meter)! });
  }
}

/**
 * Locks counters until the transaction ends, also those that another transaction is about to create, and returns their
 * totals: usage that is written in the meantime waits.
 */
export function lockCounters(
  transaction: WriteTransaction,
  counters: Pick<CounterChange, "subscriptionSeq" | "periodStart" | "meter">[],
): Promise<CounterTotal[]> {
  const nothing = { events: 0, amount: 0n, consumed: 0n };
  return raiseCounters(
    transaction,
    counters.map((counter) => ({ ...counter, ...nothing, hours: new Map() })),
  );
}

/**
 * Stores how much of some meters was used in a period before a time, unless that is stored already. Events are attributed by their
 * time. Usage without events has the time at which it was written; within the hour of the mark, it counts as before it.
 */
export async function markUsage(
  transaction: WriteTransaction,
  subscriptionSeq: number,
  periodStart: number,
  time: number,
  meters: string[],
): Promise<void> {
  const marked = await marksOf(transaction, subscriptionSeq);
  const isMarked = (meter: string) =>
    marked.some((mark) => mark.periodStart === periodStart && mark.time === time && mark.meter === meter);
  const unmarked = meters.filter((meter) => !isMarked(meter));
  if (unmarked.length === 0) return;
  const totals = await lockCounters(
    transaction,
    unmarked.map((meter) => ({ subscriptionSeq, periodStart, meter })),
  );
  const used = new Map(totals.map((total) => [total.meter, total.used]));
  const nextHour = startOf(time, hourMilliseconds) + hourMilliseconds;
  const since = [
    ...(await eventsBetween(transaction, subscriptionSeq, periodStart, time, nextHour)),
    ...(await hoursSince(transaction, subscriptionSeq, periodStart, nextHour)),
  ];
  for (const { meter, whole, billionths } of since)
    used.set(meter, (used.get(meter) ?? 0n) - amountFromParts(whole, billionths));
  for (const meter of unmarked)
    await raiseMark(transaction, subscriptionSeq, { periodStart, time, meter, used: used.get(meter) ?? 0n });
}
