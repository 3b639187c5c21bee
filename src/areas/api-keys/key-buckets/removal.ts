import { removeContainers } from "../../../platform/storage/removal.ts";
import type { Storage } from "../../../platform/storage/storage.ts";
import * as store from "./removal-store.ts";

/** Removes deleted buckets with their contents, in batches. */
export function removeDeletedKeyBuckets(storage: Storage, signal?: AbortSignal): Promise<void> {
  const removal = {
    lock: "removal of key buckets",
    findDeleted: store.findRemovedKeyBucket,
    removeContents: store.removeKeyBucketContents,
    removeEmpty: store.removeKeyBucket,
  };
  return removeContainers(storage, removal, signal);
}
