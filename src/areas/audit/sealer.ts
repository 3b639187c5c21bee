import { canonicalJson } from "../../lib/canonical-json.ts";
import type { Clock } from "../../lib/clock.ts";
import { emptyChain, linkHash } from "../../lib/hash-chain.ts";
import { formatDateTime } from "../../lib/time.ts";
import type { ChangeDetails } from "../../platform/storage/change.ts";
import type { DurableReader, RecordedChange } from "../../platform/storage/durable-reader.ts";
import type { Storage, WriteTransaction } from "../../platform/storage/storage.ts";
import type { Log } from "../../platform/telemetry/log.ts";
import { entryOf } from "./entry.ts";
import type { Head, SigningKeys } from "./signing-keys.ts";
import * as store from "./store.ts";

export const readerName = "audit log";

/** Of heads that are signed in one transaction. */
const mostHeads = 200;

export interface SealerOptions {
  storage: Storage;
  reader: DurableReader;
  keys: SigningKeys;
  clock: Clock;
  log: Log;
}

/**
 * Moves what was recorded into each account's chain of hashes, in order. Writers do not wait for it: a change is in the log
 * from its own commit on, and in the chain from the next pass of whichever node gets there first.
 */
export class Sealer {
  constructor(private readonly options: SealerOptions) {}

  async seal(signal?: AbortSignal): Promise<void> {
    await this.options.reader.readAll((transaction, changes) => this.#append(transaction, changes), signal);
  }

  /** Signs the heads that have moved and writes them to the server's log, out of reach of whoever can write to storage. */
  async signHeads(): Promise<void> {
    const { storage, keys, clock, log } = this.options;
    const heads = await storage.write(async (transaction): Promise<Head[]> => {
      if (!(await transaction.tryLock("audit heads"))) return [];
      const chains = await store.unsignedChains(transaction, mostHeads);
      const time = formatDateTime(clock.now());
      const signed: Head[] = [];
      for (const { account_seq, account, count, hash } of chains) {
        const head = keys.sign({ account, count, hash, time });
        const sql = "UPDATE audit_chains SET signed_count = ?, head = ? WHERE account_seq = ?";
        await transaction.run(sql, [count, JSON.stringify(head), account_seq]);
        signed.push(head);
      }
      return signed;
    });
    for (const head of heads) log.info("audit log head", { ...head });
  }

  async #append(transaction: WriteTransaction, changes: RecordedChange[]): Promise<void> {
    const byAccount = Map.groupBy(changes, ({ accountSeq }) => accountSeq);
    for (const [accountSeq, ofAccount] of byAccount) {
      if (accountSeq === null) continue;
      const details = ofAccount.map((change) => change.details);
      await this.#appendTo(transaction, accountSeq, details);
    }
  }

  async #appendTo(transaction: WriteTransaction, accountSeq: number, all: ChangeDetails[]): Promise<void> {
    const ids = all.map(({ id }) => id).sort();
    // A restored database may hand out again what is sealed.
    const sealed = await store.sealedBetween(transaction, accountSeq, ids[0]!, ids.at(-1)!);
    const chain =
      (await store.findChain(transaction, accountSeq)) ?? (await newChain(transaction, accountSeq, all[0]!));
    const rows = all.filter(({ id }) => !sealed.has(id)).map((details) => link(chain, details));
    if (rows.length === 0) return;
    chain.sealed_on = this.options.clock.now();
    chain.oldest_on ??= rows[0]!.time;
    await transaction.insertAll("audit_entries", rows);
    await store.saveChain(transaction, chain);
  }
}

/** The next entry of a chain, whose head moves to it. */
function link(chain: store.ChainRow, details: ChangeDetails): store.EntryRow {
  const entry = canonicalJson(entryOf(details));
  chain.count += 1;
  chain.hash = linkHash(chain.hash, chain.count, entry);
  return {
    account_seq: chain.account_seq,
    ...searchedColumns(details, details.time),
    number: chain.count,
    entry,
    hash: chain.hash,
  };
}

/** What entries are found by; verification compares it with the entry itself. */
export function searchedColumns(
  { id, action, actor, resource }: Pick<ChangeDetails, "id" | "action" | "actor" | "resource">,
  time: number,
) {
  return {
    id,
    time,
    action,
    actor: actor.id,
    resource_type: resource.type,
    resource: resource.id,
    parent: resource.parent?.id ?? null,
  };
}

async function newChain(
  transaction: WriteTransaction,
  accountSeq: number,
  { resource }: ChangeDetails,
): Promise<store.ChainRow> {
  const known = await store.accountId(transaction, accountSeq);
  return {
    account_seq: accountSeq,
    // An account may be gone before its first entry is sealed: then that is about itself.
    account: known ?? resource.id,
    count: 0,
    hash: emptyChain,
    sealed_on: 0,
    anchor: 0,
    anchor_hash: emptyChain,
    oldest_on: null,
    signed_count: 0,
    head: null,
  };
}
