import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";

/** One meter of a stored event. */
export interface StoredPart {
  seq: number;
  subscription_seq: number;
  subscription_id: string;
  customer_key: string;
  time: number;
  period_start: number;
  meter: string;
  whole: number;
  billionths: number;
  /** When it was taken back. */
  voided_on: number | null;
}

/** Returns the parts of an event. Empty if it is not stored. */
export function partsOfEvent(reads: Reads, bucketSeq: number, source: string, id: string): Promise<StoredPart[]> {
  return reads.all(
    `SELECT usage_events.seq, subscription_seq, subscriptions.id AS subscription_id, customer_key, time, period_start,
       meter, whole, billionths, voided_on
     FROM usage_events JOIN subscriptions ON subscriptions.seq = subscription_seq
     WHERE usage_events.bucket_seq = ? AND source = ? AND event_id = ? ORDER BY part`,
    [bucketSeq, source, id],
  );
}

/** Sets the amounts of an event to 0. Its id stays a duplicate. Returns the number of its parts that are still stored. */
export async function voidParts(transaction: WriteTransaction, seqs: number[], now: number): Promise<number> {
  const rows = await transaction.all(
    `UPDATE usage_events SET whole = 0, billionths = 0, voided_on = ?
     WHERE voided_on IS NULL AND seq IN (${seqs.map(() => "?").join(", ")}) RETURNING seq`,
    [now, ...seqs],
  );
  return rows.length;
}
