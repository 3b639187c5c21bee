import { removeInPieces } from "../../platform/storage/removal.ts";
import type { Storage } from "../../platform/storage/storage.ts";
import { modelUsageTables, removeModelUsageBefore, removeOrphanedModelUsage } from "./model-usage-store.ts";
import { keptSince, seriesSteps, steps } from "./steps.ts";

/** Removes rows that are older than the retention of their step, and those of deleted deployments. */
export async function removeOldModelUsage(storage: Storage, now: number, signal?: AbortSignal): Promise<void> {
  for (const table of modelUsageTables) {
    for (const name of seriesSteps) {
      const before = { step: steps[name].milliseconds, time: keptSince(name, now) };
      await removeInPieces(storage, (transaction, rows) => removeModelUsageBefore(transaction, table, before, rows), {
        signal,
      });
    }
    await removeInPieces(storage, (transaction, rows) => removeOrphanedModelUsage(transaction, table, rows), {
      signal,
    });
  }
}
