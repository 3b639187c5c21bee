import type { Reads } from "../../../platform/storage/storage.ts";
import type { RowOf } from "../../../platform/storage/tables.ts";

/** Rows are read in the order of `seq`, this many at a time. */
export const pageRows = 5_000;

/** A row at a position of its table, with the time at which it was stored. */
export interface Position {
  seq: number;
  time: number;
}

const liveBuckets = "metering_buckets.test_clock IS NULL";

export async function eventFrom(reads: Reads, seq: number): Promise<Position | undefined> {
  return reads.one(
    `SELECT usage_events.seq, usage_events.received_on AS time FROM usage_events
      JOIN metering_buckets ON metering_buckets.seq = usage_events.bucket_seq
      WHERE usage_events.seq >= ? AND ${liveBuckets} ORDER BY usage_events.seq LIMIT 1`,
    [seq],
  );
}

export interface EventRow {
  seq: number;
  account_seq: number;
  event_id: string;
  source: string;
  bucket_id: string;
  customer_key: string | null;
  subscription_id: string | null;
  meter: string;
  whole: number;
  billionths: number;
  time: number;
  received_on: number;
  period_start: number;
}

/** The events of all accounts: with a condition on the account, other indexes would sort all of its events. */
export function eventsAfter(reads: Reads, seq: number): Promise<EventRow[]> {
  return reads.all(
    `SELECT usage_events.seq, metering_buckets.account_seq, event_id, source, metering_buckets.id AS bucket_id,
      subscriptions.customer_key, subscriptions.id AS subscription_id, meter, whole, billionths, usage_events.time,
      received_on, period_start
      FROM usage_events JOIN metering_buckets ON metering_buckets.seq = usage_events.bucket_seq
      LEFT JOIN subscriptions ON subscriptions.seq = usage_events.subscription_seq
      WHERE usage_events.seq > ? AND ${liveBuckets} ORDER BY usage_events.seq LIMIT ${pageRows}`,
    [seq],
  );
}

export function requestFrom(
  reads: Reads,
  seq: number,
): Promise<{ seq: number; time: number; entry: string } | undefined> {
  return reads.one("SELECT seq, time, entry FROM requests WHERE seq >= ? ORDER BY seq LIMIT 1", [seq]);
}

/** Null if there are no rows. */
export async function seqRange(reads: Reads, table: "usage_events" | "requests") {
  const row = await reads.one<{ first: number | null; last: number | null }>(
    // SQLite reads a whole index if one query has both.
    `SELECT (SELECT min(seq) FROM ${table}) AS first, (SELECT max(seq) FROM ${table}) AS last`,
    [],
  );
  return row?.first === null || row?.last === null || !row ? undefined : { first: row.first, last: row.last };
}

export function liveBucketsOf(reads: Reads, accountSeq: number): Promise<{ seq: number; id: string }[]> {
  return reads.all(`SELECT seq, id FROM metering_buckets WHERE account_seq = ? AND ${liveBuckets} ORDER BY seq`, [
    accountSeq,
  ]);
}

export type InvoiceRow = RowOf<"invoices">;

export function invoicesOfHour(
  reads: Reads,
  bucketSeq: number,
  from: number,
  to: number,
  after: { recordedOn: number; seq: number },
): Promise<InvoiceRow[]> {
  return reads.all(
    `SELECT * FROM invoices WHERE bucket_seq = ? AND recorded_on >= ? AND recorded_on < ?
      AND (recorded_on > ? OR recorded_on = ? AND seq > ?) ORDER BY recorded_on, seq LIMIT 500`,
    [bucketSeq, from, to, after.recordedOn, after.recordedOn, after.seq],
  );
}

type SegmentRow = RowOf<"audit_segments">;

/** The segments that were sealed in a range of time, in the order of the chain, after a number. */
export function segmentsSealed(
  reads: Reads,
  accountSeq: number,
  from: number,
  to: number,
  after: number,
): Promise<Pick<SegmentRow, "number" | "entries">[]> {
  return reads.all(
    `SELECT number, entries FROM audit_segments WHERE account_seq = ? AND number > ?
      AND sealed_on >= ? AND sealed_on < ? ORDER BY number LIMIT 50`,
    [accountSeq, after, from, to],
  );
}
