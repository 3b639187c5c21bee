import type { WriteTransaction } from "../../platform/storage/storage.ts";

/**
 * Owns the buckets that are deleted but not yet removed with everything in them. Nobody can address it, so whatever it owns is
 * gone at once for every account, and can be removed later in pieces.
 */
export const removedAccountSeq = 0;

/** Made with the first bucket that it gets. */
export async function ensureRemovedAccount(transaction: WriteTransaction, now: number): Promise<void> {
  const row = { seq: removedAccountSeq, id: "removed", name: "", version: 1, created_on: now, updated_on: now };
  await transaction.insertNew("accounts", [row], ["seq"]);
}
