import { removeInPieces } from "../../../../platform/storage/removal.ts";
import type { Storage } from "../../../../platform/storage/storage.ts";
import { removeMessagesBefore } from "./delivery-store.ts";

/** 30 days after the last attempt of a failed delivery: the schedule of retries takes 28 hours. */
const keptMilliseconds = 32 * 24 * 60 * 60 * 1000;

/** Removes messages with their deliveries and attempts. */
export function removeOldMessages(storage: Storage, now: number, signal?: AbortSignal): Promise<void> {
  const before = now - keptMilliseconds;
  return removeInPieces(storage, (transaction, rows) => removeMessagesBefore(transaction, before, rows), {
    rows: 200,
    signal,
  });
}
