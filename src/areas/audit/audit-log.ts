import type { AccountReference } from "../../core/access/access.ts";
import { emptyChain } from "../../lib/hash-chain.ts";
import type { DurableReader } from "../../platform/storage/durable-reader.ts";
import type { Reads } from "../../platform/storage/storage.ts";
import { type Entry, entryOf } from "./entry.ts";
import * as store from "./store.ts";

/** Of entries that wait to be sealed; in practice those of the last second. */
const mostUnsealed = 10_000;

export interface ListedEntry extends Entry {
  isSealed: boolean;
  seal?: { number: number; previousHash: string; hash: string };
}

/** Reads an account's audit log: what is sealed, and before it what was recorded since. */
export class AuditLog {
  constructor(private readonly reader: DurableReader) {}

  /** The newest first. */
  async list(
    reads: Reads,
    account: AccountReference,
    filter: store.EntryFilter,
    limit: number,
  ): Promise<ListedEntry[]> {
    // In this order: what is sealed between the two is found twice, and never missed.
    const unsealed = (await this.#unread(account)).filter((entry) => matches(entry, filter));
    const rows = await store.listEntries(reads, account.seq, filter, limit);
    const sealed = new Set(rows.map(({ id }) => id));
    const waiting = unsealed.filter(({ id }) => !sealed.has(id)).map((entry) => ({ ...entry, isSealed: false }));
    const anchor = (await store.findChain(reads, account.seq))?.anchor_hash ?? emptyChain;
    const page = [...waiting, ...rows.map((row) => withSeal(row, anchor))];
    return page.sort((one, other) => (one.id < other.id ? 1 : -1)).slice(0, limit);
  }

  async countUnsealed(reads: Reads, account: AccountReference): Promise<number> {
    const entries = await this.#unread(account);
    const ids = entries.map(({ id }) => id).sort();
    if (ids.length === 0) return 0;
    const sealed = await store.sealedBetween(reads, account.seq, ids[0]!, ids.at(-1)!);
    return ids.filter((id) => !sealed.has(id)).length;
  }

  async #unread(account: AccountReference): Promise<Entry[]> {
    return (await this.reader.unread(account.seq, mostUnsealed)).map(({ details }) => entryOf(details));
  }
}

/** With the hash it follows, so that an entry can be verified alone. */
function withSeal({ entry, number, previous, hash }: store.LinkedRow, anchor: string): ListedEntry {
  const seal = { number, previousHash: previous ?? anchor, hash };
  return { ...(JSON.parse(entry) as Entry), isSealed: true, seal };
}

/** The same as the query does with those that are sealed. */
function matches(entry: Entry, { action, actor, resource, from, to, before }: store.EntryFilter): boolean {
  const time = Date.parse(entry.time);
  const ofResource = [entry.resource.id, entry.resource.type, entry.resource.parent?.id];
  return (
    (action === undefined ||
      (action.endsWith(".*") ? entry.action.startsWith(action.slice(0, -1)) : entry.action === action)) &&
    (actor === undefined || entry.actor.id === actor) &&
    (resource === undefined || ofResource.includes(resource)) &&
    (from === undefined || time >= from) &&
    (to === undefined || time < to) &&
    (before === undefined || entry.id < before)
  );
}
