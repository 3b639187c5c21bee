import { emptyChain } from "../../../lib/crypto/hash-chain.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import { formatDateTime } from "../../../lib/time/time.ts";
import { topicsWithRows } from "../../../lib/topics.ts";
import type { DurableReader } from "../../../platform/storage/change-feed/durable-reader.ts";
import type { ChangeRow } from "../../../platform/storage/change-feed/feed-cursor.ts";
import { findRow, lockRow, updateRows } from "../../../platform/storage/rows.ts";
import type { Reads, Storage, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { Log } from "../../../platform/telemetry/log.ts";
import {
  appendSegment,
  auditEntriesOf,
  boundsOf,
  idAndTimeOf,
  type Recorded,
  recordedEntries,
  segmentsIn,
} from "./segment.ts";
import { chainHeadOf, type Head, type SigningKeys } from "./signing-keys.ts";
import * as store from "./store.ts";

export const readerName = "audit log";

/** The maximum number of entries in one transaction. On SQLite writers wait for it, some milliseconds. */
export const sealedAtOnce = 1000;

/** The maximum number of heads that are signed in one transaction. */
const maxHeadsPerTransaction = 200;

interface SealerOptions {
  storage: Storage;
  reader: DurableReader;
  keys: SigningKeys;
  clock: Clock;
  log: Log;
}

/**
 * Adds recorded changes to each account's hash chain, in order. Writers do not wait for it: a change is in the log from
 * its own commit on, and in the chain after the next pass of any node.
 */
export class Sealer {
  constructor(private readonly options: SealerOptions) {}

  async seal(signal?: AbortSignal): Promise<void> {
    await this.options.reader.readAll((transaction, rows) => this.#append(transaction, rows), signal);
  }

  /**
   * Signs the heads that have moved and writes them to the server's log, where an attacker with write access to storage
   * cannot change them.
   */
  async signHeads(): Promise<void> {
    const { storage, keys, clock, log } = this.options;
    const heads = await storage.write(async (transaction): Promise<Head[]> => {
      if (!(await transaction.tryLock("audit heads"))) return [];
      const chains = await store.unsignedChains(transaction, maxHeadsPerTransaction);
      const time = formatDateTime(clock.now());
      const signed: Head[] = [];
      for (const chain of chains) {
        const head = keys.sign(chainHeadOf(chain, time));
        const signedHead = { signed_count: chain.count, head: JSON.stringify(head) };
        await updateRows(transaction, "audit_chains", { account_seq: chain.account_seq }, signedHead);
        signed.push(head);
      }
      return signed;
    });
    for (const head of heads) log.info("audit log head", { ...head });
  }

  async #append(transaction: WriteTransaction, rows: ChangeRow[]): Promise<void> {
    const byAccount = Map.groupBy(rows, ({ account_seq }) => account_seq);
    // In the order in which heads are signed, so that the two cannot deadlock.
    const accounts = [...byAccount.keys()].filter((seq) => seq !== null).sort((one, other) => one - other);
    for (const seq of accounts) await this.#appendTo(transaction, seq, byAccount.get(seq)!);
  }

  async #appendTo(transaction: WriteTransaction, accountSeq: number, rows: ChangeRow[]): Promise<void> {
    const recorded = rows.map(recordedEntries);
    // A restored database may return changes that are already sealed.
    const sealed = await sealedIds(transaction, accountSeq, recorded);
    const unsealed = sealed.size === 0 ? recorded : recorded.filter(({ range }) => !sealed.has(range.lowest_id));
    if (unsealed.length === 0) return;
    // Locked, because trimming moves `oldest_on` too.
    const known = await lockRow(transaction, "audit_chains", { account_seq: accountSeq });
    const chain = known ?? (await newChain(transaction, accountSeq, rows[0]!));
    chain.sealed_on = this.options.clock.now();
    const segments = segmentsIn(unsealed).map((together) => {
      const segment = { ...appendSegment(chain, together), sealed_on: chain.sealed_on };
      const topics = together.flatMap((each) => each.topics);
      return { segment, topics: topicsWithRows(topics, segment.lowest_id, segment.highest_id) };
    });
    await store.addSegments(transaction, segments);
    chain.oldest_on ??= chain.sealed_on;
    // The other columns belong to trimming and signing, which run concurrently.
    const { count, hash, sealed_on, oldest_on } = chain;
    await updateRows(transaction, "audit_chains", { account_seq: accountSeq }, { count, hash, sealed_on, oldest_on });
  }
}

/** Returns ids of sealed entries, including all of these that are sealed. */
export async function sealedIds(reads: Reads, accountSeq: number, recorded: Recorded[]): Promise<Set<string>> {
  if (recorded.length === 0) return new Set();
  const { lowest_id, highest_id } = boundsOf(recorded.map(({ range }) => range));
  const segments = await store.segmentsBetween(reads, accountSeq, lowest_id, highest_id);
  return new Set(segments.flatMap((segment) => auditEntriesOf(segment).map((text) => idAndTimeOf(text).id)));
}

async function newChain(transaction: WriteTransaction, accountSeq: number, first: ChangeRow): Promise<store.ChainRow> {
  const known = await findRow(transaction, "accounts", { seq: accountSeq });
  const chain: store.ChainRow = {
    account_seq: accountSeq,
    // An account may be deleted before its first entry is sealed. That entry then concerns the account itself.
    account: known?.id ?? first.subject,
    count: 0,
    hash: emptyChain,
    sealed_on: 0,
    anchor: 0,
    anchor_hash: emptyChain,
    oldest_on: null,
    signed_count: 0,
    head: null,
  };
  await transaction.insertAll("audit_chains", [chain]);
  return chain;
}
