import type { AccountReference } from "../../../core/access.ts";
import { unpackChanges } from "../../../platform/storage/change-feed/change-pack.ts";
import type { DurableReader } from "../../../platform/storage/change-feed/durable-reader.ts";
import { rejectLargeSize } from "../../../platform/storage/query.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import { sealedIds } from "./sealer.ts";
import { type EntryFilter, findSealed, type Match, matchingTexts, sealedPlace } from "./search.ts";
import { type AuditEntry, idAndTimeOf, recordedEntries, type Seal } from "./segment.ts";

/**
 * The page size of unsealed entries. There are more only if sealing is behind; then the event loop runs between pages.
 */
const unsealedPage = 1000;

export interface ListedEntry extends AuditEntry {
  isSealed: boolean;
  seal?: Seal;
}

/** Reads an account's audit log: the sealed entries, and the newer entries that are not sealed yet. */
export class AuditLog {
  constructor(private readonly reader: DurableReader) {}

  /**
   * Returns entries, the newest first: in the order of the chain, which is that of their ids, except where several nodes
   * recorded them.
   */
  async list(
    reads: Reads,
    account: AccountReference,
    { before, ...filter }: EntryFilter & { before?: string | undefined },
    limit: number,
  ): Promise<ListedEntry[]> {
    // In this order, so that an entry that is sealed between the two reads is found twice and never missed.
    const unsealed = await this.#findUnsealed(account, filter, limit, before);
    const place = before === undefined ? undefined : await sealedPlace(reads, account.seq, before);
    const sealedId = place?.id ?? "";
    if (before !== undefined && unsealed.nearest === "" && sealedId === "") return [];
    const below = before === undefined || unsealed.nearest > sealedId ? undefined : place?.below;
    const sealed: ListedEntry[] = await findSealed(reads, account.seq, filter, limit, below);
    if (before !== undefined && unsealed.nearest < sealedId) return sealed;
    const found = new Set(sealed.map(({ id }) => id));
    return [...unsealed.found.filter(({ id }) => !found.has(id)), ...sealed].slice(0, limit);
  }

  async countUnsealed(reads: Reads, account: AccountReference): Promise<number> {
    let total = 0;
    for await (const rows of this.reader.unread(account.seq, unsealedPage)) {
      const recorded = rows.map(recordedEntries);
      const sealed = await sealedIds(reads, account.seq, recorded);
      for (const { range, count } of recorded) if (!sealed.has(range.lowest_id)) total += count;
    }
    return total;
  }

  /**
   * Returns the unsealed entries before an id, the newest first: those after it in the list, or from the next lower id
   * on, which is `nearest`.
   */
  async #findUnsealed(
    account: AccountReference,
    filter: EntryFilter,
    limit: number,
    before: string | undefined,
  ): Promise<{ found: ListedEntry[]; nearest: string }> {
    let found: Match[] = [];
    let nearest = "";
    for await (const rows of this.reader.unread(account.seq, unsealedPage)) {
      let texts = rows.flatMap((row) =>
        unpackChanges(row)
          .map(({ details }) => details)
          .reverse(),
      );
      if (before !== undefined && nearest !== before) {
        const ids = texts.map((text) => idAndTimeOf(text).id);
        const next = ids
          .filter((id) => id <= before && id > nearest)
          .sort()
          .at(-1);
        if (next !== undefined) {
          nearest = next;
          found = [];
          texts = texts.slice(ids.indexOf(next) + (next === before ? 1 : 0));
        } else if (nearest === "") continue;
      }
      found = [...found, ...matchingTexts(texts, filter)].slice(0, limit);
      rejectLargeSize(found.reduce((sum, { length }) => sum + length, 0));
      if (found.length >= limit && (before === undefined || nearest === before)) break;
    }
    return { found: found.map(({ entry }) => ({ ...entry, isSealed: false })), nearest };
  }
}
