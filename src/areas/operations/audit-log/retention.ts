import { removeInPieces } from "../../../platform/storage/removal.ts";
import { updateRows } from "../../../platform/storage/rows.ts";
import type { Storage } from "../../../platform/storage/storage.ts";
import { type AuditEntry, auditEntriesOf, auditSealOf, topicsOf } from "./segment.ts";
import * as store from "./store.ts";

/**
 * Removes segments that were sealed before a time from the beginning of each chain. The last removed entry becomes the
 * chain's anchor, with which the remaining entries can still be verified.
 */
export function trimAuditLog(storage: Storage, olderThan: number, signal?: AbortSignal): Promise<void> {
  return removeInPieces(
    storage,
    async (transaction, rows) => {
      const chain = await store.chainToTrim(transaction, olderThan);
      if (!chain) return 0;
      let removed = 0;
      let oldestOn: number | null = null;
      for await (const segment of store.auditSegmentsOf(transaction, chain)) {
        // The clock of the node that sealed it may have been ahead: a chain whose oldest one is kept is not found again.
        const sealedOn = Math.min(segment.sealed_on, chain.sealed_on);
        if (sealedOn >= olderThan || removed >= rows) {
          oldestOn = sealedOn;
          break;
        }
        await store.removeSegment(transaction, segment, segmentTopics(segment));
        const { last, hash } = auditSealOf(segment, segment.count - 1);
        chain.anchor = last;
        chain.anchor_hash = hash;
        removed += segment.count;
      }
      const { account_seq, anchor, anchor_hash } = chain;
      const trimmed = { anchor, anchor_hash, oldest_on: oldestOn };
      await updateRows(transaction, "audit_chains", { account_seq }, trimmed);
      // A batch that only found where the rest begins counts as work too, because another chain may follow.
      return Math.max(1, removed);
    },
    { signal },
  );
}

/** A manipulated text has no time; its segment is removed nevertheless. */
function segmentTopics(segment: store.AuditSegmentRow): string[] {
  try {
    return [...new Set(auditEntriesOf(segment).flatMap((text) => topicsOf(JSON.parse(text) as AuditEntry)))];
  } catch {
    return [];
  }
}
