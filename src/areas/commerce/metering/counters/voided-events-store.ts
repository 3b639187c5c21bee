import { digestOf } from "../../../../counting/events/event-keys.ts";
import { isPartitioned, keptSince } from "../../../../counting/events/event-table.ts";
import type { WriteTransaction } from "../../../../platform/storage/storage.ts";

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
