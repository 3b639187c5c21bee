import type { AccountReference } from "../../../core/access.ts";
import { changedLink, linkHash, missingEntry } from "../../../lib/crypto/hash-chain.ts";
import { formatDateTime } from "../../../lib/time/time.ts";
import { topicsWithRows } from "../../../lib/topics.ts";
import { findRow } from "../../../platform/storage/rows.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import {
  type AuditEntry,
  auditEntriesOf,
  auditRangeOf,
  auditSealOf,
  boundsOf,
  hasSingleHash,
  type Seal,
  topicsOf,
} from "./segment.ts";
import { chainHeadOf, type Head, type SigningKeys } from "./signing-keys.ts";
import * as store from "./store.ts";

/** The first entry that differs from the sealed log. */
interface Broken {
  number: number;
  id?: string;
  /** Set if the entry is missing. */
  previousId?: string;
  detail: string;
}

/** A former head of the chain. */
interface KnownHead {
  count: number;
  hash: string;
}

interface Verified {
  intact: boolean;
  entries: number;
  from?: string;
  to?: string;
  head?: Head;
  firstBroken?: Broken;
}

/** Verifies the chain of an account from its anchor to its head, while other nodes may seal and trim it. */
export async function verifyChain(
  reads: Reads,
  account: AccountReference,
  keys: SigningKeys,
  now: number,
  noted?: KnownHead,
): Promise<Verified> {
  for (;;) {
    // In this order: entries that are sealed between the two reads move the head too, so the head is never behind.
    const lastNumber = await store.lastNumber(reads, account.seq);
    const chain = await findRow(reads, "audit_chains", { account_seq: account.seq });
    if (!chain) {
      const isMissing = lastNumber > 0 || (noted !== undefined && noted.count > 0);
      return isMissing ? broken(missingEntry(1)) : { intact: true, entries: 0 };
    }
    const verified = await walkChain(reads, chain, lastNumber, keys, now, noted);
    if (verified.intact) return verified;
    // Segments that are trimmed during the verification look as if they had been removed by an attacker.
    const isTrimmed = (await findRow(reads, "audit_chains", { account_seq: account.seq }))?.anchor !== chain.anchor;
    if (!isTrimmed) return verified;
  }
}

async function walkChain(
  reads: Reads,
  chain: store.ChainRow,
  lastNumber: number,
  keys: SigningKeys,
  now: number,
  noted: KnownHead | undefined,
): Promise<Verified> {
  const signed = chain.head === null ? undefined : (JSON.parse(chain.head) as Head);
  const heads = [signed, noted, chain].filter((head) => head !== undefined);
  const walk = new Walk(chain, heads);
  for await (const segment of store.auditSegmentsOf(reads, chain)) {
    if (walk.firstBroken) break;
    const topics = walk.step(segment);
    if (topics && (await store.countTopics(reads, segment, topics)) < topics.length)
      walk.reportMisleadingTopics(segment);
  }
  walk.end(lastNumber);
  if (!walk.firstBroken && signed && !keys.isSigned(signed))
    walk.firstBroken = { number: signed.count, detail: "is the head, and its signature is not from this installation" };
  return {
    intact: walk.firstBroken === undefined,
    entries: walk.entries,
    ...(walk.from === undefined ? {} : { from: formatDateTime(walk.from), to: formatDateTime(walk.to!) }),
    head: keys.sign(chainHeadOf(chain, formatDateTime(now))),
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
  /** The id of the last verified entry. */
  #lastId: string | undefined;

  constructor(
    { anchor, anchor_hash }: store.ChainRow,
    private readonly heads: KnownHead[],
  ) {
    this.number = anchor;
    this.#hash = anchor_hash;
    this.#compareHeads();
  }

  /** Returns the topics that the segment must have, or undefined if the chain is broken. */
  step(segment: store.AuditSegmentRow): string[] | undefined {
    if (segment.number !== this.number + 1) {
      this.firstBroken = this.#missing();
      return undefined;
    }
    const texts = unpacked(segment);
    if (!texts) {
      this.reportMisleadingTopics(segment);
      return undefined;
    }
    const entries: AuditEntry[] = [];
    for (const link of hasSingleHash(segment) ? [texts] : texts.map((text) => [text])) {
      const content = hasSingleHash(segment) ? segment.entries : link[0]!;
      const linked = this.#next(link, auditSealOf(segment, entries.length), content);
      if (!linked) return undefined;
      entries.push(...linked);
    }
    if (segment.count > entries.length) {
      this.firstBroken = this.#missing();
      return undefined;
    }
    const bounds = boundsOf(entries.map(auditRangeOf));
    const isFoundAsWritten = Object.entries(bounds).every(
      ([name, value]) => segment[name as keyof typeof bounds] === value,
    );
    if (!isFoundAsWritten) this.reportMisleadingTopics(segment, entries[0]!.id);
    this.from ??= Date.parse(entries[0]!.time);
    this.to = Date.parse(entries.at(-1)!.time);
    return topicsWithRows(entries.flatMap(topicsOf), segment.lowest_id, segment.highest_id);
  }

  /** The columns by which entries are searched must match the entries. */
  reportMisleadingTopics({ number }: store.AuditSegmentRow, id?: string): void {
    this.firstBroken ??= changedLink(number, number, id);
  }

  #missing(): Broken {
    return missingEntry(this.number + 1, { previousId: this.#lastId });
  }

  /** Returns the entries of a link, unless its hash, its position or a head does not match. */
  #next(
    texts: string[],
    { first, last, previousHash, hash }: Seal,
    content: string | Uint8Array,
  ): AuditEntry[] | undefined {
    const parsedTexts = texts.map(parsed);
    const entries = parsedTexts.filter((entry) => entry !== undefined);
    const follows = previousHash === this.#hash;
    this.number = last;
    this.#hash = linkHash(this.#hash, first, content);
    if (entries.length < texts.length || !follows || hash !== this.#hash) {
      this.firstBroken = changedLink(first, last, parsedTexts[0]?.id);
      return undefined;
    }
    this.entries += entries.length;
    this.#lastId = entries.at(-1)!.id;
    this.#compareHeads(first, entries);
    return this.firstBroken ? undefined : entries;
  }

  /** No head may be beyond the last entry, and no entry beyond the head of the chain. */
  end(lastNumber: number): void {
    if (this.firstBroken) return;
    const longest = Math.max(...this.heads.map(({ count }) => count));
    const { count } = this.heads.at(-1)!;
    if (longest > this.number) this.firstBroken = this.#missing();
    else if (count < Math.max(this.number, lastNumber))
      this.firstBroken = { number: count + 1, detail: "is beyond the head of the chain" };
  }

  /** A head is the end of a link. */
  #compareHeads(first = this.number, entries: AuditEntry[] = []): void {
    for (const { count, hash } of this.heads) {
      if (count < first || count > this.number || (count === this.number && hash === this.#hash)) continue;
      const id = entries[count - first]?.id;
      this.firstBroken = { number: count, ...(id ? { id } : {}), detail: "does not match the head" };
    }
  }
}

function unpacked(segment: store.AuditSegmentRow): string[] | undefined {
  try {
    return auditEntriesOf(segment);
  } catch {
    return undefined;
  }
}

function parsed(text: string): AuditEntry | undefined {
  try {
    return JSON.parse(text) as AuditEntry;
  } catch {
    return undefined;
  }
}
