import { ReferenceViolation } from "../../platform/storage/errors.ts";
import { removeInPieces } from "../../platform/storage/removal.ts";
import type { Storage } from "../../platform/storage/storage.ts";
import * as store from "./removal-store.ts";

/** Removes deleted buckets with everything in them, in pieces; a restart goes on with what is left. One node at a time. */
export async function removeDeletedMetering(storage: Storage, signal?: AbortSignal): Promise<void> {
  await removeInPieces(
    storage,
    async (transaction, rows) => {
      if (!(await transaction.tryLock("removal of metering buckets"))) return 0;
      const bucket = await store.findRemoved(transaction);
      if (!bucket) return 0;
      const removed = await store.removeContents(transaction, bucket, rows);
      if (removed > 0) return removed;
      await store.removeBucket(transaction, bucket.seq);
      return 1;
    },
    { signal },
  ).catch((error) => {
    // A subscription that was being created when its bucket was deleted: the next run removes it.
    if (!(error instanceof ReferenceViolation)) throw error;
  });
}
