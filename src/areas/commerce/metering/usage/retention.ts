import { hourMilliseconds, keptHoursMilliseconds, startOf } from "../../../../counting/counters/usage-hours.ts";
import { removeHoursBefore } from "../../../../counting/counters/usage-series-store.ts";
import { removeInPieces } from "../../../../platform/storage/removal.ts";
import type { Storage } from "../../../../platform/storage/storage.ts";
import { oldestEvents, removeEvents } from "../counters/removal-store.ts";

const pieceRows = 500;

/**
 * Removes events that were received before the retention period. On PostgreSQL, whole partitions are dropped; only those
 * that were moved from SQLite, and those in the default partition, are removed one by one.
 */
export async function removeOldEvents(storage: Storage, receivedBefore: number, signal?: AbortSignal): Promise<void> {
  if (!storage.maintain) return removeRows(storage, receivedBefore, signal);
  // Imported only here, because SQLite does not need it.
  const { addRemovedSums, dropPartitions, removeKeysBefore } = await import("../partitions/upkeep.ts");
  const { ranges, first, later } = await dropPartitions(storage, receivedBefore, signal);
  const [oldest] = ranges as [(typeof ranges)[0]];
  // A partition that has expired completely is dropped by another node or by the next run.
  const isPassing = ranges.length > 1 && oldest.to <= receivedBefore;
  for (const table of first && !isPassing ? [first, later] : [later])
    await removeRows(storage, receivedBefore, signal, table);
  if (Number.isFinite(oldest.from)) await removeKeysBefore(storage, oldest.from, signal);
  await addRemovedSums(storage, signal);
}

export function removeRows(
  storage: Storage,
  receivedBefore: number,
  signal?: AbortSignal,
  table?: string,
): Promise<void> {
  return removeInPieces(
    storage,
    async (transaction, rows) => {
      // One node at a time: two nodes that remove the same event would both subtract it from its counter.
      if (!(await transaction.tryLock("usage event retention"))) return 0;
      const oldest = await oldestEvents(transaction, receivedBefore, rows, table);
      await removeEvents(transaction, oldest, table);
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
