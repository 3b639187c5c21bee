import type { Paging } from "../../../lib/paging.ts";
import { forUpdate, readPage } from "../../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { RowOf } from "../../../platform/storage/tables.ts";

export type KeyBucketRow = RowOf<"key_buckets">;

const bucketNamed = "SELECT * FROM key_buckets WHERE account_seq = ? AND name = ?";

export function findKeyBucket(reads: Reads, accountSeq: number, name: string): Promise<KeyBucketRow | undefined> {
  return reads.one(bucketNamed, [accountSeq, name]);
}

export function findKeyBucketForUpdate(transaction: WriteTransaction, accountSeq: number, name: string) {
  return transaction.one<KeyBucketRow>(forUpdate(transaction, bucketNamed), [accountSeq, name]);
}

export function listKeyBuckets(reads: Reads, accountSeq: number, paging: Paging) {
  const ofAccount = reads.query.selectFrom("key_buckets").where("account_seq", "=", accountSeq);
  return readPage(ofAccount, paging, { large: ["description", "tags"] });
}

export function allKeyBuckets(reads: Reads, accountSeq: number): Promise<KeyBucketRow[]> {
  return reads.query.selectFrom("key_buckets").selectAll().where("account_seq", "=", accountSeq).execute();
}

/** Returns undefined if the name is in use. */
export function insertKeyBucketOnce(transaction: WriteTransaction, keyBucket: Omit<KeyBucketRow, "seq">) {
  return transaction.query
    .insertInto("key_buckets")
    .values(keyBucket)
    .onConflict((conflict) => conflict.columns(["account_seq", "name"]).doNothing())
    .returningAll()
    .executeTakeFirst();
}
