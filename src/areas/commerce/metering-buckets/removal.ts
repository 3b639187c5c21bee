import { removeContainers } from "../../../platform/storage/removal.ts";
import type { Storage } from "../../../platform/storage/storage.ts";
import * as store from "./removal-store.ts";

/** Removes deleted buckets with their contents, in batches. */
export function removeDeletedMetering(storage: Storage, signal?: AbortSignal): Promise<void> {
  const removal = {
    lock: "removal of metering buckets",
    findDeleted: store.findRemovedMetering,
    removeContents: store.removeContents,
    removeEmpty: store.removeBucket,
  };
  return removeContainers(storage, removal, signal);
}
