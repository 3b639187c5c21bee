import type { Amount } from "../../../../lib/amount.ts";
import type { OneRead } from "../../../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { RowOf } from "../../../../platform/storage/tables.ts";
import { bucketColumns, joinBucket, type OfBucket } from "../../metering-buckets/metering-buckets.ts";

export type HoldRow = RowOf<"metering_holds">;

export interface NewHold {
  id: string;
  bucketSeq: number;
  subscriptionSeq: number;
  periodStart: number;
  /** The time in the bucket, at which the usage is counted. */
  time: number;
  createdOn: number;
  expiresOn: number;
  onExpiry: "release" | "count";
  amounts: ReadonlyMap<string, Amount>;
}

export function findHold(reads: OneRead, bucketSeq: number, id: string): Promise<HoldRow | undefined> {
  return reads.one("SELECT * FROM metering_holds WHERE bucket_seq = ? AND id = ?", [bucketSeq, id]);
}

export async function insertHold(transaction: WriteTransaction, hold: NewHold): Promise<void> {
  const amounts = amountsText(hold.amounts);
  await transaction.run(
    `INSERT INTO metering_holds (id, bucket_seq, subscription_seq, period_start, time, created_on, expires_on, on_expiry,
       state, held, counted) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'open', ?, ?)`,
    [
      hold.id,
      hold.bucketSeq,
      hold.subscriptionSeq,
      hold.periodStart,
      hold.time,
      hold.createdOn,
      hold.expiresOn,
      hold.onExpiry,
      amounts,
      amounts,
    ],
  );
}

/** Sets the state, and what the counters include of the hold. */
export async function updateHold(
  transaction: WriteTransaction,
  id: string,
  state: HoldRow["state"],
  counted: ReadonlyMap<string, Amount>,
): Promise<void> {
  const sql = "UPDATE metering_holds SET state = ?, counted = ? WHERE id = ?";
  await transaction.run(sql, [state, amountsText(counted), id]);
}

/** An open hold that has expired, with what is needed to find it again and to count it. */
interface ExpiredHold extends OfBucket {
  id: string;
  bucket_seq: number;
}

/** Returns some open holds that have expired, the oldest first. */
export function expiredHolds(reads: Reads, now: number, rows: number): Promise<ExpiredHold[]> {
  return reads.all<ExpiredHold>(
    `SELECT metering_holds.id, bucket_seq, ${bucketColumns} FROM metering_holds ${joinBucket("bucket_seq")}
     WHERE state = 'open' AND metering_holds.expires_on <= ? ORDER BY metering_holds.expires_on LIMIT ?`,
    [now, rows],
  );
}

/** Removes at most the given number of holds that expired before a time. Returns how many it removed. */
export async function removeHoldsBefore(transaction: WriteTransaction, time: number, rows: number): Promise<number> {
  const removed = await transaction.all(
    `DELETE FROM metering_holds WHERE id IN (
       SELECT id FROM metering_holds WHERE expires_on < ? AND state <> 'open' ORDER BY expires_on LIMIT ?
     ) RETURNING id`,
    [time, rows],
  );
  return removed.length;
}

function amountsText(amounts: ReadonlyMap<string, Amount>): string {
  return JSON.stringify(Array.from(amounts, ([meter, amount]) => [meter, String(amount)]));
}

export function amountsIn(text: string): Map<string, Amount> {
  const pairs = JSON.parse(text) as [meter: string, amount: string][];
  return new Map(pairs.map(([meter, amount]) => [meter, BigInt(amount)]));
}
