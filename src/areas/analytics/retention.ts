import { removeInPieces } from "../../platform/storage/removal.ts";
import type { Storage } from "../../platform/storage/storage.ts";
import { keptSince, type SeriesStep, seriesSteps, steps } from "./steps.ts";
import { deleteTrafficDeployment, type Orphan, orphanedTraffic, removeBefore, removeOf } from "./traffic-store.ts";

/** The maximum number of times in one statement. */
const maxTimesPerQuery = 64;

/** Removes rows that are older than the retention of their step, and those of deleted deployments. */
export async function removeOldTraffic(storage: Storage, now: number, signal?: AbortSignal): Promise<void> {
  for (const step of seriesSteps) {
    const { milliseconds } = steps[step];
    const before = keptSince(step, now);
    await removeInPieces(storage, (transaction, rows) => removeBefore(transaction, milliseconds, before, rows), {
      signal,
    });
  }
  for (const orphan of await orphanedTraffic(storage.reads)) await removeOrphan(storage, orphan, now, signal);
}

async function removeOrphan(storage: Storage, orphan: Orphan, now: number, signal?: AbortSignal): Promise<void> {
  for (const step of seriesSteps)
    for (const times of timesOf(step, now))
      await removeInPieces(
        storage,
        (transaction, rows) => removeOf(transaction, orphan, steps[step].milliseconds, times, rows),
        { signal },
      );
  if (!signal?.aborted) await storage.write((transaction) => deleteTrafficDeployment(transaction, orphan));
}

/** Returns all times for which a step may have rows, including a little later than now because nodes' clocks differ. */
function* timesOf(step: SeriesStep, now: number): Generator<number[]> {
  const { milliseconds } = steps[step];
  let times: number[] = [];
  for (let time = keptSince(step, now) - milliseconds; time <= now + 2 * milliseconds; time += milliseconds) {
    times.push(time);
    if (times.length < maxTimesPerQuery) continue;
    yield times;
    times = [];
  }
  if (times.length > 0) yield times;
}
