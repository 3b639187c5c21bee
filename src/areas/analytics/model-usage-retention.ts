import { removeInPieces } from "../../platform/storage/removal.ts";
import type { Storage } from "../../platform/storage/storage.ts";
import { removeModelUsageBefore, removeOrphanedModelUsage } from "./model-usage-store.ts";
import { keptSince, seriesSteps, steps } from "./steps.ts";

/** Removes rows that are older than the retention of their step, and those of deleted deployments. */
export async function removeOldModelUsage(storage: Storage, now: number, signal?: AbortSignal): Promise<void> {
  for (const name of seriesSteps) {
    const { milliseconds } = steps[name];
    const before = keptSince(name, now);
    await removeInPieces(
      storage,
      (transaction, rows) => removeModelUsageBefore(transaction, milliseconds, before, rows),
      {
        signal,
      },
    );
  }
  await removeInPieces(storage, removeOrphanedModelUsage, { signal });
}
