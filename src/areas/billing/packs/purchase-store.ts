import type { Selectable, Updateable } from "kysely";
import type { Paging } from "../../../lib/paging.ts";
import { forUpdate, readPage } from "../../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { Tables } from "../../../platform/storage/tables.ts";
import { accountColumns, type DueGrantCustomer, joinAccounts } from "../credit-grants/grant-store.ts";

export type PurchaseRow = Selectable<Tables["pack_purchases"]>;

const withId = "SELECT * FROM pack_purchases WHERE bucket_seq = ? AND id = ?";

export function findPurchase(reads: Reads, bucketSeq: number, id: string): Promise<PurchaseRow | undefined> {
  return reads.one(withId, [bucketSeq, id]);
}

export function findPurchaseForUpdate(transaction: WriteTransaction, bucketSeq: number, id: string) {
  return transaction.one<PurchaseRow>(forUpdate(transaction, withId), [bucketSeq, id]);
}

export function listPurchases(reads: Reads, bucketSeq: number, customerKey: string, paging: Paging) {
  const query = reads.query.selectFrom("pack_purchases").where("bucket_seq", "=", bucketSeq);
  return readPage(query.where("customer_key", "=", customerKey), paging);
}

/** The purchases of a customer that are neither paid nor ended. */
export function openPurchases(reads: Reads, bucketSeq: number, customerKey: string): Promise<PurchaseRow[]> {
  return reads.all(
    "SELECT * FROM pack_purchases WHERE bucket_seq = ? AND customer_key = ? AND state = 'open' ORDER BY seq",
    [bucketSeq, customerKey],
  );
}

/** Top-ups of a customer that were created in a range of time and did not fail. */
export function topUpsBetween(reads: Reads, bucketSeq: number, customerKey: string, from: number, to: number) {
  return reads.all<Pick<PurchaseRow, "currency" | "total">>(
    `SELECT currency, total FROM pack_purchases WHERE bucket_seq = ? AND customer_key = ? AND is_top_up = 1
       AND state <> 'failed' AND created_on >= ? AND created_on < ?`,
    [bucketSeq, customerKey, from, to],
  );
}

export async function insertPurchase(transaction: WriteTransaction, row: Omit<PurchaseRow, "seq">) {
  return { seq: await transaction.insert("pack_purchases", row), ...row };
}

export async function updatePurchase(
  transaction: WriteTransaction,
  seq: number,
  values: Updateable<Tables["pack_purchases"]>,
): Promise<void> {
  await transaction.query.updateTable("pack_purchases").set(values).where("seq", "=", seq).execute();
}

/** Open purchases of buckets with the server's time that can no longer be paid, the first one first. */
export function expiredPurchases(
  reads: Reads,
  now: number,
  limit: number,
): Promise<(PurchaseRow & DueGrantCustomer)[]> {
  return reads.all(
    `SELECT pack_purchases.*, ${accountColumns} FROM pack_purchases ${joinAccounts("pack_purchases")}
     WHERE pack_purchases.state = 'open' AND pack_purchases.expires_on <= ? AND metering_buckets.test_clock IS NULL
     ORDER BY pack_purchases.expires_on, pack_purchases.seq LIMIT ?`,
    [now, limit],
  );
}

/** The open purchase of a bucket that expires first. */
export function firstPurchaseExpiryIn(reads: Reads, bucketSeq: number, until: number) {
  return reads.one<PurchaseRow>(
    `SELECT * FROM pack_purchases WHERE bucket_seq = ? AND state = 'open' AND expires_on <= ?
     ORDER BY expires_on, seq LIMIT 1`,
    [bucketSeq, until],
  );
}
