import type { AccountReference } from "../../core/access/access.ts";
import { linkHash } from "../../lib/hash-chain.ts";
import { formatDateTime, parseDateTime } from "../../lib/time.ts";
import type { Reads } from "../../platform/storage/storage.ts";
import type { Entry } from "./entry.ts";
import { searchedColumns } from "./sealer.ts";
import type { Head, SigningKeys } from "./signing-keys.ts";
import * as store from "./store.ts";

/** Between two pages others get their turn. */
const pageSize = 1000;

/** Where a log is not what it was when it was sealed. */
export interface Broken {
  number: number;
  id?: string;
  detail: string;
}

/** How far a chain was known to reach. */
export interface KnownHead {
  count: number;
  hash: string;
}

export interface Verified {
  intact: boolean;
  entries: number;
  from?: string;
  to?: string;
  head?: Head;
  firstBroken?: Broken;
}

/** Walks the chain of an account from its anchor to its head. */
export async function verifyChain(
  reads: Reads,
  account: AccountReference,
  keys: SigningKeys,
  now: number,
  noted?: KnownHead,
): Promise<Verified> {
  const chain = await store.findChain(reads, account.seq);
  if (!chain) {
    const isMissing = noted !== undefined && noted.count > 0;
    return isMissing ? broken({ number: 1, detail: "is missing" }) : { intact: true, entries: 0 };
  }
  const signed = chain.head === null ? undefined : (JSON.parse(chain.head) as Head);
  const heads = [signed, noted, chain].filter((head) => head !== undefined);
  const walk = new Walk(chain, heads);
  let entries: store.EntryRow[];
  do {
    entries = await store.entriesAfter(reads, account.seq, walk.number, pageSize);
    for (const entry of entries) walk.step(entry);
    await new Promise(setImmediate);
  } while (entries.length === pageSize && !walk.firstBroken);
  walk.end();
  if (!walk.firstBroken && signed && !keys.isSigned(signed))
    walk.firstBroken = { number: signed.count, detail: "is the head, and its signature is not of this installation" };
  const { count, hash } = chain;
  return {
    intact: walk.firstBroken === undefined,
    entries: walk.entries,
    ...(walk.from === undefined ? {} : { from: formatDateTime(walk.from), to: formatDateTime(walk.to!) }),
    head: keys.sign({ account: chain.account, count, hash, time: formatDateTime(now) }),
    ...(walk.firstBroken ? { firstBroken: walk.firstBroken } : {}),
  };
}

function broken(firstBroken: Broken): Verified {
  return { intact: false, entries: 0, firstBroken };
}

class Walk {
  firstBroken: Broken | undefined;
  entries = 0;
  from: number | undefined;
  to: number | undefined;
  number: number;
  #hash: string;

  constructor(
    { anchor, anchor_hash }: store.ChainRow,
    private readonly heads: KnownHead[],
  ) {
    this.number = anchor;
    this.#hash = anchor_hash;
    this.#compareHeads();
  }

  step(row: store.EntryRow): void {
    if (this.firstBroken) return;
    const expected = this.number + 1;
    if (row.number !== expected) {
      this.firstBroken = { number: expected, detail: "is missing" };
      return;
    }
    this.number = expected;
    this.#hash = linkHash(this.#hash, row.number, row.entry);
    if (row.hash !== this.#hash || !isFoundAsWritten(row)) {
      this.firstBroken = { number: row.number, id: row.id, detail: "was changed after it was sealed" };
      return;
    }
    this.entries += 1;
    this.from ??= row.time;
    this.to = row.time;
    this.#compareHeads(row.id);
  }

  /** No head may lie beyond the last entry, and none may lie behind what was trimmed without being the anchor. */
  end(): void {
    if (this.firstBroken) return;
    const furthest = Math.max(...this.heads.map(({ count }) => count));
    if (furthest > this.number) this.firstBroken = { number: this.number + 1, detail: "is missing" };
    else if (this.heads.at(-1)!.count < this.number)
      this.firstBroken = { number: this.heads.at(-1)!.count + 1, detail: "lies beyond the head of the chain" };
  }

  #compareHeads(id?: string): void {
    for (const { count, hash } of this.heads) {
      if (count === this.number && hash !== this.#hash)
        this.firstBroken = { number: count, ...(id ? { id } : {}), detail: "does not match the head" };
    }
  }
}

/** The columns that entries are searched by must match the entry. */
function isFoundAsWritten(row: store.EntryRow): boolean {
  try {
    const entry = JSON.parse(row.entry) as Entry;
    const columns = searchedColumns(entry, parseDateTime(entry.time) ?? Number.NaN);
    return Object.entries(columns).every(([name, value]) => row[name as keyof typeof columns] === value);
  } catch {
    return false;
  }
}
