import type { Paging } from "../../../lib/paging.ts";
import { readPage } from "../../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { RowOf } from "../../../platform/storage/tables.ts";

export type KeyBucketRow = RowOf<"key_buckets">;

export function listKeyBuckets(reads: Reads, accountSeq: number, paging: Paging) {
  const ofAccount = reads.query.selectFrom("key_buckets").where("account_seq", "=", accountSeq);
  return readPage(ofAccount, paging, { large: ["description", "tags"] });
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
