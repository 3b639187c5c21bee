import { type CounterChange, type CounterTotal, consumedIn } from "../../../../counting/counters/counter-store.ts";
import { raiseCounters } from "../../../../counting/counters/raise-counters.ts";
import { hourMilliseconds, startOf } from "../../../../counting/counters/usage-hours.ts";
import { type Amount, amountFromParts } from "../../../../lib/amount.ts";
import type { WriteTransaction } from "../../../../platform/storage/storage.ts";
import { addToMarks, eventsBetween, hoursSince, lowerMark, marksOf, markTimes } from "./marks-store.ts";

export type { UsageMark } from "./marks-store.ts";
export { marksOf };

interface CountedEvent {
  subscriptionSeq: number;
  periodStart: number;
  time: number;
  amounts: ReadonlyMap<string, Amount>;
}

/**
 * Adds late events, or what holds take in the end, to the marks of their periods; each list has those of one period. Called after their counters
 * are raised: a transaction that marks usage locks the same counters, so either it counts these events or its mark is
 * visible here.
 */
export async function raiseMarks(
  transaction: WriteTransaction,
  periods: CountedEvent[][],
  kind: "events" | "consumed" = "events",
): Promise<void> {
  if (periods.length === 0) return;
  const keyOf = (subscriptionSeq: number, periodStart: number) => `${subscriptionSeq} ${periodStart}`;
  const byPeriod = new Map(
    periods.map((events) => [keyOf(events[0]!.subscriptionSeq, events[0]!.periodStart), events]),
  );
  const marked = await markTimes(
    transaction,
    periods.map(([first]) => first!),
  );
  const marks = marked.flatMap(({ subscription_seq: subscriptionSeq, period_start, segment_seq, time, is_end }) => {
    const late = new Map<string, Amount>();
    // A subscription that has ended has no events after that: this one arrived at the same time.
    const isLate = (event: CountedEvent) => event.time < time || (event.time === time && is_end === 1);
    for (const event of byPeriod.get(keyOf(subscriptionSeq, period_start))!)
      if (isLate(event)) for (const [meter, amount] of event.amounts) late.set(meter, (late.get(meter) ?? 0n) + amount);
    const mark = { subscriptionSeq, periodStart: period_start, segmentSeq: segment_seq, time };
    return [...late].map(([meter, used]) => ({ ...mark, meter, used, consumed: kind === "consumed" ? used : 0n }));
  });
  await addToMarks(transaction, marks, { isLate: true });
}

/**
 * Subtracts an event that is taken back from the marks that include it: those after its time, and those of its time that
 * were made after it was stored. Called after its counters are lowered.
 */
export async function lowerMarks(transaction: WriteTransaction, event: CountedEvent & { seq: number }): Promise<void> {
  const { subscriptionSeq, periodStart, amounts } = event;
  for (const { segment_seq: segmentSeq, time, is_end } of await markTimes(transaction, [event])) {
    if (event.time > time) continue;
    const mustBeBefore = event.time === time && is_end === 0;
    for (const [meter, used] of amounts)
      await lowerMark(
        transaction,
        subscriptionSeq,
        { periodStart, segmentSeq, meter, used },
        mustBeBefore ? event.seq : 0,
      );
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

/** A segment of a subscription's period, and when it begins. */
interface MarkedSegment {
  subscriptionSeq: number;
  periodStart: number;
  segmentSeq: number;
  time: number;
}

/**
 * Stores how much of some meters was used in a period before a segment, and returns how much after its start. Events are
 * ordered by their time, and those of the start by their arrival: what is stored now counts as before it. Usage without
 * events has the time at which it was written; within the hour of the start, it counts as before it.
 */
export async function markUsage(
  transaction: WriteTransaction,
  { subscriptionSeq, periodStart, segmentSeq, time }: MarkedSegment,
  meters: string[],
): Promise<Map<string, Amount>> {
  const after = new Map<string, Amount>();
  if (meters.length === 0) return after;
  const totals = await lockCounters(
    transaction,
    meters.map((meter) => ({ subscriptionSeq, periodStart, meter })),
  );
  const used = new Map(totals.map((total) => [total.meter, total.used]));
  const nextHour = startOf(time, hourMilliseconds) + hourMilliseconds;
  const since = [
    ...(await eventsBetween(transaction, subscriptionSeq, periodStart, time, nextHour)),
    ...(await hoursSince(transaction, subscriptionSeq, periodStart, nextHour)),
  ];
  for (const { meter, whole, billionths } of since)
    after.set(meter, (after.get(meter) ?? 0n) + amountFromParts(whole, billionths));
  const consumed = await consumedIn(transaction, subscriptionSeq, periodStart);
  const marks = meters.map((meter) => {
    const before = (used.get(meter) ?? 0n) - (after.get(meter) ?? 0n);
    const mark = { subscriptionSeq, periodStart, segmentSeq, time, meter };
    return { ...mark, used: before, consumed: consumed.get(meter) ?? 0n };
  });
  await addToMarks(transaction, marks, { isLate: false });
  return after;
}
