import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { RowOf } from "../../../../platform/storage/tables.ts";

type CheckoutRow = RowOf<"checkouts">;

/** A checkout with its account. */
interface FoundCheckout extends CheckoutRow {
  bucket_id: string;
  account_seq: number;
  account_id: string;
  account_name: string;
}

export async function insertCheckout(transaction: WriteTransaction, checkout: CheckoutRow): Promise<void> {
  await transaction.insertAll("checkouts", [checkout]);
}

export function findCheckout(reads: Reads, hash: Uint8Array, now: number): Promise<FoundCheckout | undefined> {
  return reads.one(
    `SELECT checkouts.*, metering_buckets.id AS bucket_id, accounts.seq AS account_seq, accounts.id AS account_id,
       accounts.name AS account_name
     FROM checkouts JOIN metering_buckets ON metering_buckets.seq = checkouts.bucket_seq
     JOIN accounts ON accounts.seq = metering_buckets.account_seq
     WHERE checkouts.hash = ? AND checkouts.expires_on > ?`,
    [hash, now],
  );
}

export async function deleteCheckouts(transaction: WriteTransaction, bucketSeq: number, customerKey: string) {
  await transaction.run("DELETE FROM checkouts WHERE bucket_seq = ? AND customer_key = ?", [bucketSeq, customerKey]);
}

/** Returns how many were deleted. */
export async function deleteExpired(transaction: WriteTransaction, now: number, rows: number): Promise<number> {
  const deleted = await transaction.all(
    `DELETE FROM checkouts WHERE hash IN (SELECT hash FROM checkouts WHERE expires_on <= ? LIMIT ?) RETURNING expires_on`,
    [now, rows],
  );
  return deleted.length;
}
