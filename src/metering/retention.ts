import type { Storage } from "../storage/storage.ts";
import { oldestEvents, removeEvents } from "./usage-store.ts";

const stepSize = 500;

/** Removes events older than the age that is kept, in small steps; a write that waits behind one must not notice. */
export async function removeOldEvents(storage: Storage, receivedBefore: number): Promise<void> {
  let removed: number;
  do {
    removed = await storage.write(async (transaction) => {
      // One node at a time: two that removed the same event would both note it in its counter.
      if (!(await transaction.tryLock("usage event retention"))) return 0;
      const rows = await oldestEvents(transaction, receivedBefore, stepSize);
      await removeEvents(transaction, rows);
      return rows.length;
    });
  } while (removed >= stepSize);
}
