import { pause } from "../../lib/tasks/pause.ts";
import type { Storage } from "../../platform/storage/storage.ts";
import { addWords, consumersWithoutWords, wordsAdded } from "./words-store.ts";

/** The consumers of one transaction. */
const pieceSize = 200;

/** Adds the words of consumers that an earlier release has written, in batches. A restart continues with the rest. */
export async function addMissingWords(storage: Storage, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted) {
    const began = performance.now();
    const added = await storage.write(async (transaction) => {
      if (!(await transaction.tryLock("words of consumers"))) return 0;
      const consumers = await consumersWithoutWords(transaction, pieceSize);
      for (const consumer of consumers) {
        await addWords(transaction, consumer);
        await wordsAdded(transaction, consumer);
      }
      return consumers.length;
    });
    if (added < pieceSize) return;
    // Writers have at least half of the time.
    await pause(performance.now() - began);
  }
}
