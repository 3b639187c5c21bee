import { removeInPieces } from "../../platform/storage/removal.ts";
import type { Storage } from "../../platform/storage/storage.ts";
import { type AuditEntry, auditEntriesOf, auditSealOf, topicsOf } from "./segment.ts";
import * as store from "./store.ts";

/**
 * Removes segments whose entries have all expired from the beginning of each chain. The last removed entry becomes the
 * chain's anchor, with which the remaining entries can still be verified.
 */
export function trimAuditLog(storage: Storage, olderThan: number, signal?: AbortSignal): Promise<void> {
  return removeInPieces(
    storage,
    async (transaction, rows) => {
      const chain = await store.chainToTrim(transaction, olderThan);
      if (!chain) return 0;
      let removed = 0;
      let kept: store.AuditSegmentRow | undefined;
      for await (const segment of store.auditSegmentsOf(transaction, chain)) {
        if (segment.latest >= olderThan || removed >= rows) {
          kept = segment;
          break;
        }
        await store.removeSegment(transaction, segment, segmentTopics(segment));
        const { last, hash } = auditSealOf(segment, segment.count - 1);
        chain.anchor = last;
        chain.anchor_hash = hash;
        removed += segment.count;
      }
      await store.saveAnchor(transaction, { ...chain, oldest_on: kept?.latest ?? null });
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
