import { removeInPieces } from "../../platform/storage/removal.ts";
import type { Storage } from "../../platform/storage/storage.ts";
import * as store from "./store.ts";

/**
 * Removes entries that are too old from the beginning of each chain. The last one that goes becomes the chain's anchor, with
 * which the rest still verifies.
 */
export function trimAuditLog(storage: Storage, olderThan: number, signal?: AbortSignal): Promise<void> {
  return removeInPieces(
    storage,
    async (transaction, rows) => {
      const chain = await store.chainToTrim(transaction, olderThan);
      if (!chain) return 0;
      const entries = await store.entriesAfter(transaction, chain.account_seq, chain.anchor, rows + 1);
      const kept = entries.findIndex(({ time }, index) => time >= olderThan || index === rows);
      const removed = kept === -1 ? entries : entries.slice(0, kept);
      const last = removed.at(-1);
      await store.deleteEntriesTo(transaction, chain.account_seq, last?.number ?? chain.anchor);
      await store.saveChain(transaction, {
        ...chain,
        anchor: last?.number ?? chain.anchor,
        anchor_hash: last?.hash ?? chain.anchor_hash,
        oldest_on: kept === -1 ? null : entries[kept]!.time,
      });
      // A piece that only found where the rest begins is work too: another chain may come next.
      return Math.max(1, removed.length);
    },
    { signal },
  );
}
