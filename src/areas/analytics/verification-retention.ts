import { removeInPieces } from "../../platform/storage/removal.ts";
import type { Storage } from "../../platform/storage/storage.ts";
import { keptSince, seriesSteps, steps } from "./steps.ts";
import { bucketAfter, detail, existingBuckets, hasBefore, removeBefore, removeOfBucket } from "./verification-store.ts";

/** Removes rows that are older than the retention of their step, and those of deleted buckets. */
export async function removeOldVerifications(storage: Storage, now: number, signal?: AbortSignal): Promise<void> {
  for (let bucketSeq = await bucketAfter(storage.reads, 0); bucketSeq !== undefined && !signal?.aborted; ) {
    const seq = bucketSeq;
    const isKept = (await existingBuckets(storage.reads, [seq])).has(seq);
    if (isKept) await removeOld(storage, seq, now, signal);
    else await removeInPieces(storage, (transaction, rows) => removeOfBucket(transaction, seq, rows), { signal });
    bucketSeq = await bucketAfter(storage.reads, seq);
  }
}

async function removeOld(storage: Storage, bucketSeq: number, now: number, signal?: AbortSignal): Promise<void> {
  for (const name of seriesSteps)
    for (const each of Object.values(detail)) {
      const place = { bucketSeq, step: steps[name].milliseconds, detail: each, time: keptSince(name, now) };
      // A write for each bucket would cost more than the rows: most have none to remove.
      if (await hasBefore(storage.reads, place))
        await removeInPieces(storage, (transaction, rows) => removeBefore(transaction, place, rows), { signal });
    }
}
