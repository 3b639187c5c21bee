import type { Amount } from "../../../../lib/amount.ts";
import { allWith, forUpdate, type OneRead } from "../../../../platform/storage/query.ts";
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

/** Sets the state of holds, and what the counters include of each. */
export async function updateHolds(
  transaction: WriteTransaction,
  state: HoldRow["state"],
  holds: readonly { id: string; counts: ReadonlyMap<string, Amount> }[],
): Promise<void> {
  const rows = holds.map(({ id, counts }) => [id, amountsText(counts)]);
  for (const { sql, parameters } of transaction.tablesOf(["text", "text"], rows))
    await transaction.run(
      `UPDATE metering_holds SET state = ?, counted = column2 FROM ${sql} AS ended WHERE id = column1`,
      [state, ...parameters],
    );
}

/** Locks and returns those of the holds that are open. Their subscriptions must be locked. */
export function lockOpenHolds(transaction: WriteTransaction, ids: readonly string[]): Promise<HoldRow[]> {
  const open = (wanted: string) =>
    `SELECT * FROM metering_holds WHERE id IN (SELECT column1 FROM ${wanted} AS wanted) AND state = 'open' ORDER BY id`;
  const rows = ids.map((id) => [id]);
  return allWith(transaction, ["text"], rows, (wanted) => forUpdate(transaction, open(wanted)));
}

/** An open hold that has expired, with what is needed to find it again and to count it. */
export interface ExpiredHold extends OfBucket {
  id: string;
  subscription_seq: number;
}

/** Returns some open holds that have expired, the oldest first. */
export function expiredHolds(reads: Reads, now: number, rows: number): Promise<ExpiredHold[]> {
  return reads.all<ExpiredHold>(
    `SELECT metering_holds.id, subscription_seq, ${bucketColumns} FROM metering_holds ${joinBucket("bucket_seq")}
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
