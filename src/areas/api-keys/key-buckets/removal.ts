import { removeContainers } from "../../../platform/storage/removal.ts";
import type { Storage, WriteTransaction } from "../../../platform/storage/storage.ts";
import * as store from "./removal-store.ts";

/** Removes deleted buckets with their contents, in batches. */
export function removeDeletedKeyBuckets(storage: Storage, signal?: AbortSignal): Promise<void> {
  const removal = {
    lock: "removal of key buckets",
    findDeleted: store.findRemovedKeyBucket,
    removeContents: store.removeKeyBucketContents,
    // Rejected by the database if a consumer was created in the meantime.
    removeEmpty: (transaction: WriteTransaction, seq: number) => transaction.delete("key_buckets", seq),
  };
  return removeContainers(storage, removal, signal);
}
