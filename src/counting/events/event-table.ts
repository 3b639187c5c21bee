import type { WriteTransaction } from "../../platform/storage/storage.ts";

/**
 * On PostgreSQL, usage events are in partitions, and keys in a table of their own detect duplicates. On SQLite, a unique
 * constraint of the only table does.
 */
export const isPartitioned = (transaction: WriteTransaction): boolean => transaction.locksRows;

/** Events that were received before this time are being dropped: they count as removed, and must not be changed. */
export async function keptSince(transaction: WriteTransaction): Promise<number> {
  if (!isPartitioned(transaction)) return 0;
  const sql = "SELECT removed_before FROM usage_event_storage";
  return (await transaction.one<{ removed_before: number }>(sql, []))!.removed_before;
}
