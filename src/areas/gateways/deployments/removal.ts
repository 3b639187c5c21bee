import { removeInPieces } from "../../../platform/storage/removal.ts";
import type { Storage } from "../../../platform/storage/storage.ts";
import * as store from "./removal-store.ts";

/**
 * Removes the deployments of deleted accounts in batches. A restart continues with the rest. Runs on one node at a
 * time.
 */
export async function removeDeletedDeployments(storage: Storage, signal?: AbortSignal): Promise<void> {
  await removeInPieces(
    storage,
    async (transaction, rows) => {
      if (!(await transaction.tryLock("removal of deployments"))) return 0;
      const deployment = await store.findRemovedDeployment(transaction);
      return deployment ? store.removePiece(transaction, deployment.seq, rows) : 0;
    },
    { signal },
  );
}
