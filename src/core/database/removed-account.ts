import type { WriteTransaction } from "../../platform/storage/storage.ts";

/**
 * Owns the buckets that are deleted but not yet removed with their contents. It cannot be addressed, so its buckets are
 * immediately invisible to every account, and can be removed later in batches.
 */
export const removedAccountSeq = 0;

/** Created with the first bucket that it receives. */
export async function ensureRemovedAccount(transaction: WriteTransaction, now: number): Promise<void> {
  const row = { seq: removedAccountSeq, id: "removed", name: "", version: 1, created_on: now, updated_on: now };
  await transaction.insertNew("accounts", [row], ["seq"]);
}
