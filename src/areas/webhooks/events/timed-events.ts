import type { Clock } from "../../../lib/time/clock.ts";
import type { Storage } from "../../../platform/storage/storage.ts";
import { keyScans } from "./key-expiry.ts";
import { announceRenewals, trialScan } from "./subscription-times.ts";
import { announceThresholds } from "./thresholds.ts";
import { runScan } from "./timed-scan.ts";

/** Finds events that are due to time, one kind after the other. */
export async function runTimedEvents(storage: Storage, clock: Clock, signal: AbortSignal): Promise<void> {
  const now = clock.now();
  for (const scan of keyScans) await runScan(storage, scan, now, signal);
  await runScan(storage, trialScan, now, signal);
  await announceRenewals(storage, now, signal);
  await announceThresholds(storage, now, signal);
}
