import { removedAccountSeq } from "../../../core/database/removed-account.ts";
import { removeCountsPiece } from "../../../platform/storage/counted-lists.ts";
import { deleteSome } from "../../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";

/** Transfers the bucket to the removed account: its name is free, and neither it nor its contents can be found. */
export async function markKeyBucketRemoved(transaction: WriteTransaction, seq: number): Promise<void> {
  await transaction.run("UPDATE key_buckets SET account_seq = ?, name = id WHERE seq = ?", [removedAccountSeq, seq]);
}

export function findRemovedKeyBucket(reads: Reads): Promise<{ seq: number; id: string } | undefined> {
  return reads.one("SELECT seq, id FROM key_buckets WHERE account_seq = ? ORDER BY seq LIMIT 1", [removedAccountSeq]);
}

/**
 * Keys, managers and invites before their consumers: a consumer may have thousands, and a cascade would delete them all
 * at once.
 */
const tables = ["api_keys", "managers", "manager_invites", "consumers"] as const;

const words = [
  `DELETE FROM consumer_tags WHERE (bucket_seq, name, value, consumer_seq) IN (
    SELECT bucket_seq, name, value, consumer_seq FROM consumer_tags WHERE bucket_seq = ? LIMIT ?
  ) RETURNING consumer_seq`,
  `DELETE FROM consumer_words WHERE (bucket_seq, word, consumer_seq) IN (
    SELECT bucket_seq, word, consumer_seq FROM consumer_words WHERE bucket_seq = ? LIMIT ?
  ) RETURNING consumer_seq`,
  `DELETE FROM consumer_word_parts WHERE (bucket_seq, part, word) IN (
    SELECT bucket_seq, part, word FROM consumer_word_parts WHERE bucket_seq = ? LIMIT ?
  ) RETURNING bucket_seq`,
];

/** Removes at most the given number of rows. Returns how many it removed. */
export async function removeKeyBucketContents(
  transaction: WriteTransaction,
  { seq, id }: { seq: number; id: string },
  rows: number,
): Promise<number> {
  for (const table of tables) {
    const removed = await deleteSome(transaction, table, "bucket_seq = ?", [seq], rows);
    if (removed > 0) return removed;
  }
  for (const statement of words) {
    const removed = await transaction.all(statement, [seq, rows]);
    if (removed.length > 0) return removed.length;
  }
  return removeCountsPiece(transaction, id, rows);
}
