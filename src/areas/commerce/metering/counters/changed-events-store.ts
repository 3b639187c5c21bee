import { hourMilliseconds, startOf } from "../../../../counting/counters/usage-hours.ts";
import { digestOf } from "../../../../counting/events/event-keys.ts";
import { isPartitioned, keptSince } from "../../../../counting/events/event-table.ts";
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

/** One meter of a stored event. */
interface StoredPart {
  seq: number;
  subscription_seq: number;
  subscription_id: string;
  customer_key: string;
  time: number;
  period_start: number;
  received_on: number;
  meter: string;
  whole: number;
  billionths: number;
  /** When it was taken back. */
  voided_on: number | null;
}

/** Returns the parts of an event. Empty if it is not stored. */
export async function partsOfEvent(
  transaction: WriteTransaction,
  bucketSeq: number,
  source: string,
  id: string,
): Promise<StoredPart[]> {
  const hasKey = isPartitioned(transaction);
  const receivedOn = hasKey ? await receiptOf(transaction, bucketSeq, source, id) : undefined;
  if (hasKey && receivedOn === undefined) return [];
  return transaction.all(
    `SELECT usage_events.seq, subscription_seq, subscriptions.id AS subscription_id, customer_key, time, period_start,
       received_on, meter, whole, billionths, voided_on
     FROM usage_events JOIN subscriptions ON subscriptions.seq = subscription_seq AND former_bucket_seq IS NULL
     WHERE usage_events.bucket_seq = ? AND source = ? AND event_id = ? ${hasKey ? "AND received_on = ?" : ""}
     ORDER BY part`,
    [bucketSeq, source, id, ...(hasKey ? [receivedOn] : [])],
  );
}

/** Partitions have no index of ids, but one of receipt. */
async function receiptOf(
  transaction: WriteTransaction,
  bucketSeq: number,
  source: string,
  id: string,
): Promise<number | undefined> {
  const row = await transaction.one<{ received_on: number }>(
    "SELECT received_on FROM usage_event_keys WHERE bucket_seq = ? AND digest = CAST(? AS uuid) AND received_on >= ?",
    [bucketSeq, digestOf(source, id), await keptSince(transaction)],
  );
  return row?.received_on;
}

/** Sets the amounts of an event to 0. Its id stays a duplicate. Returns the number of its parts that are still stored. */
export async function voidParts(
  transaction: WriteTransaction,
  seqs: number[],
  receivedOn: number,
  now: number,
): Promise<number> {
  const rows = await transaction.all(
    `UPDATE usage_events SET whole = 0, billionths = 0, voided_on = ?
     WHERE voided_on IS NULL AND received_on = ? AND seq IN (${seqs.map(() => "?").join(", ")}) RETURNING seq`,
    [now, receivedOn, ...seqs],
  );
  return rows.length;
}
