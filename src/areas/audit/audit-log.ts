import type { AccountReference } from "../../core/access.ts";
import { entryText } from "../../core/changes/recorded-change.ts";
import { unpackChanges } from "../../platform/storage/feed/change-pack.ts";
import type { DurableReader } from "../../platform/storage/feed/durable-reader.ts";
import type { ChangeRow } from "../../platform/storage/feed/feed-cursor.ts";
import type { Reads } from "../../platform/storage/storage.ts";
import { sealedIds } from "./sealer.ts";
import { type EntryFilter, findSealed, matches, newestFirst } from "./search.ts";
import { type Entry, idAndTimeOf, recordedEntries, type Seal } from "./segment.ts";

/** Of entries that wait to be sealed; in practice those of the last second. */
const mostUnsealed = 10_000;

export interface ListedEntry extends Entry {
  isSealed: boolean;
  seal?: Seal;
}

/** Reads an account's audit log: what is sealed, and before it what was recorded since. */
export class AuditLog {
  constructor(private readonly reader: DurableReader) {}

  /** The newest first. */
  async list(reads: Reads, account: AccountReference, filter: EntryFilter, limit: number): Promise<ListedEntry[]> {
    // In this order: what is sealed between the two is found twice, and never missed.
    const unread = await this.#unread(account);
    const sealed: ListedEntry[] = await findSealed(reads, account.seq, filter, limit);
    const found = new Set(sealed.map(({ id }) => id));
    const waiting = unread
      .flatMap((row) => unpackChanges(row).map(entryText))
      .filter((text) => !found.has(idAndTimeOf(text).id))
      .map((text) => JSON.parse(text) as Entry)
      .filter((entry) => matches(entry, filter))
      .map((entry) => ({ ...entry, isSealed: false }));
    return [...waiting, ...sealed].sort(newestFirst).slice(0, limit);
  }

  async countUnsealed(reads: Reads, account: AccountReference): Promise<number> {
    const recorded = (await this.#unread(account)).map(recordedEntries);
    const sealed = await sealedIds(reads, account.seq, recorded);
    const unsealed = recorded.filter(({ range }) => !sealed.has(range.lowest_id));
    return unsealed.reduce((sum, { count }) => sum + count, 0);
  }

  #unread(account: AccountReference): Promise<ChangeRow[]> {
    return this.reader.unread(account.seq, mostUnsealed);
  }
}
