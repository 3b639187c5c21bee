import { hourMilliseconds, keptHoursMilliseconds, startOf } from "../../../counting/counters/usage-hours.ts";
import { removeHoursBefore } from "../../../counting/counters/usage-series-store.ts";
import { removeInPieces } from "../../../platform/storage/removal.ts";
import type { Storage } from "../../../platform/storage/storage.ts";
import { oldestEvents, removeEvents } from "../counters/usage-store.ts";

const pieceRows = 500;

/** Removes events that were received before the retention period. */
export function removeOldEvents(storage: Storage, receivedBefore: number, signal?: AbortSignal): Promise<void> {
  return removeInPieces(
    storage,
    async (transaction, rows) => {
      // One node at a time: two nodes that remove the same event would both subtract it from its counter.
      if (!(await transaction.tryLock("usage event retention"))) return 0;
      const oldest = await oldestEvents(transaction, receivedBefore, rows);
      await removeEvents(transaction, oldest);
      return oldest.length;
    },
    { rows: pieceRows, signal },
  );
}

/** Removes usage by hour that is older than its retention. Usage by day stays. */
export function removeOldUsageHours(storage: Storage, now: number, signal?: AbortSignal): Promise<void> {
  const before = startOf(now - keptHoursMilliseconds, hourMilliseconds);
  return removeInPieces(storage, (transaction, rows) => removeHoursBefore(transaction, before, rows), { signal });
}
