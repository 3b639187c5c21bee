import { hourMilliseconds, startOf } from "../../../../counting/counters/usage-hours.ts";
import { keptSince } from "../../../../counting/events/event-table.ts";
import { runsOf } from "../../../../platform/storage/runs.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";

/** One meter of an event. */
export interface EventPart {
  seq: number;
  received_on: number;
  time: number;
  period_start: number;
  meter: string;
  whole: number;
  billionths: number;
}

/** Returns the periods in which a subscription has usage in the hour of a time or later. */
export async function periodsWithUsageSince(reads: Reads, subscriptionSeq: number, time: number): Promise<number[]> {
  const rows = await reads.all<{ period_start: number }>(
    "SELECT DISTINCT period_start FROM usage_hours WHERE time >= ? AND subscription_seq = ? ORDER BY period_start",
    [startOf(time, hourMilliseconds), subscriptionSeq],
  );
  return rows.map(({ period_start }) => period_start);
}

const partsAtOnce = 2_000;

/** Yields the events of a period after a time, in pieces. They may be moved in between. */
export async function* eventsAfter(
  transaction: WriteTransaction,
  subscriptionSeq: number,
  periodStart: number,
  time: number,
): AsyncGenerator<EventPart[]> {
  const kept = await keptSince(transaction);
  const sql = `SELECT seq, received_on, time, period_start, meter, whole, billionths FROM usage_events
    WHERE subscription_seq = ? AND period_start = ? AND time > ? AND received_on >= ? AND seq > ?
    ORDER BY seq LIMIT ${partsAtOnce}`;
  for (let after = 0; ; ) {
    const parts = await transaction.all<EventPart>(sql, [subscriptionSeq, periodStart, time, kept, after]);
    if (parts.length > 0) yield parts;
    if (parts.length < partsAtOnce) return;
    after = parts.at(-1)!.seq;
  }
}

/** Moves events to a period of another subscription. Returns those that no other transaction has moved. */
export async function moveEvents(
  transaction: WriteTransaction,
  parts: EventPart[],
  fromSeq: number,
  to: { subscriptionSeq: number; periodStart: number },
): Promise<Set<number>> {
  const moved = new Set<number>();
  for (const run of runsOf(parts)) {
    const receipts = run.map(({ received_on }) => received_on);
    const rows = await transaction.all<{ seq: number }>(
      `UPDATE usage_events SET subscription_seq = ?, period_start = ? WHERE subscription_seq = ?
       AND received_on >= ? AND received_on <= ? AND seq IN (${run.map(() => "?").join(", ")}) RETURNING seq`,
      [
        to.subscriptionSeq,
        to.periodStart,
        fromSeq,
        Math.min(...receipts),
        Math.max(...receipts),
        ...run.map(({ seq }) => seq),
      ],
    );
    for (const { seq } of rows) moved.add(seq);
  }
  return moved;
}
