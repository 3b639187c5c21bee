import type { AccountReference } from "../../core/access.ts";
import { entryText } from "../../core/changes/recorded-change.ts";
import { unpackChanges } from "../../platform/storage/feed/change-pack.ts";
import type { DurableReader } from "../../platform/storage/feed/durable-reader.ts";
import { rejectLargeSize } from "../../platform/storage/query.ts";
import type { Reads } from "../../platform/storage/storage.ts";
import { sealedIds } from "./sealer.ts";
import { type EntryFilter, findSealed, matchingTexts, newestFirst } from "./search.ts";
import { type AuditEntry, recordedEntries, type Seal } from "./segment.ts";

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

  /** Returns entries, the newest first. */
  async list(reads: Reads, account: AccountReference, filter: EntryFilter, limit: number): Promise<ListedEntry[]> {
    // In this order, so that an entry that is sealed between the two reads is found twice and never missed.
    const unsealed = await this.#findUnsealed(account, filter, limit);
    const sealed: ListedEntry[] = await findSealed(reads, account.seq, filter, limit);
    const found = new Set(sealed.map(({ id }) => id));
    const waiting = unsealed.filter(({ id }) => !found.has(id));
    return [...waiting, ...sealed].sort(newestFirst).slice(0, limit);
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

  /** All pages are read, because nodes whose clocks differ record entries in an order other than that of their ids. */
  async #findUnsealed(account: AccountReference, filter: EntryFilter, limit: number): Promise<ListedEntry[]> {
    let found: { entry: AuditEntry; length: number }[] = [];
    for await (const rows of this.reader.unread(account.seq, unsealedPage)) {
      const texts = rows.flatMap((row) => unpackChanges(row).map(entryText));
      found = [...found, ...matchingTexts(texts, filter)]
        .sort((one, other) => newestFirst(one.entry, other.entry))
        .slice(0, limit);
      rejectLargeSize(found.reduce((sum, { length }) => sum + length, 0));
    }
    return found.map(({ entry }) => ({ ...entry, isSealed: false }));
  }
}
