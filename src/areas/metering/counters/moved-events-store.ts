import { hourMilliseconds, startOf } from "../../../counting/counters/usage-hours.ts";
import { runsOf } from "../../../platform/storage/runs.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";

/** One meter of an event. */
export interface EventPart {
  seq: number;
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
  reads: Reads,
  subscriptionSeq: number,
  periodStart: number,
  time: number,
): AsyncGenerator<EventPart[]> {
  const sql = `SELECT seq, time, period_start, meter, whole, billionths FROM usage_events
    WHERE subscription_seq = ? AND period_start = ? AND time > ? AND seq > ? ORDER BY seq LIMIT ${partsAtOnce}`;
  for (let after = 0; ; ) {
    const parts = await reads.all<EventPart>(sql, [subscriptionSeq, periodStart, time, after]);
    if (parts.length > 0) yield parts;
    if (parts.length < partsAtOnce) return;
    after = parts.at(-1)!.seq;
  }
}

/** Moves events to a period of another subscription. Returns those that no other transaction has moved. */
export async function moveEvents(
  transaction: WriteTransaction,
  seqs: number[],
  fromSeq: number,
  to: { subscriptionSeq: number; periodStart: number },
): Promise<Set<number>> {
  const moved = new Set<number>();
  for (const run of runsOf(seqs)) {
    const rows = await transaction.all<{ seq: number }>(
      `UPDATE usage_events SET subscription_seq = ?, period_start = ?
       WHERE subscription_seq = ? AND seq IN (${run.map(() => "?").join(", ")}) RETURNING seq`,
      [to.subscriptionSeq, to.periodStart, fromSeq, ...run],
    );
    for (const { seq } of rows) moved.add(seq);
  }
  return moved;
}
