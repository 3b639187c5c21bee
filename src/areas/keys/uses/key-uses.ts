import { pause } from "../../../lib/tasks/pause.ts";
import { NamedWrite } from "../../../platform/storage/named-write.ts";
import type { Storage } from "../../../platform/storage/storage.ts";
import {
  type BlockUses,
  blockOf,
  keysPerBlock,
  type PeriodUse,
  recordBlockUses,
  recordPeriodUses,
} from "./use-store.ts";

/** The digest, and `seq` and time in two parts each. */
const entryWords = 12;
const seqAt = 8;
const timeAt = 10;
const minEntries = 1024;
/** 3 MB, which take about 4 seconds to write. Uses beyond it are noted at the key's next request after a save. */
const maxEntries = 65_536;
/** 64 MB, the blocks of 16 million keys. Uses beyond it are noted at the key's next request after a save. */
const maxBlocks = 65_536;
/** The maximum number of keys or blocks in one transaction: on SQLite every other write waits for it. */
const pieceSize = 1000;

export const periodUseWrite = new NamedWrite<PeriodUse[]>("first uses of keys", (transaction, uses) =>
  // Cloning turns buffers into plain arrays of bytes.
  recordPeriodUses(
    transaction,
    uses.map((use) => ({ ...use, hash: Buffer.from(use.hash) })),
  ),
);
export const blockUseWrite = new NamedWrite<BlockUses[]>("uses of keys", recordBlockUses);

/** The last uses of keys that are not stored yet. */
export class KeyUses {
  /** The first uses of a period, as words in one array because there may be many. */
  #words = new Uint32Array(minEntries * entryWords);
  #size = 0;
  #blocks = new Map<number, Uint32Array>();
  /** Taken, and not confirmed as written. */
  #savingEntries: PeriodUse[] = [];
  #savingBlocks: BlockUses[] = [];
  #running: Promise<void> = Promise.resolve();

  constructor(private readonly storage: Storage) {}

  /** The number of rows to write. */
  get size(): number {
    return this.#size + this.#blocks.size + this.#savingEntries.length + this.#savingBlocks.length;
  }

  /** Notes the first use of a period, by the key's digest. Returns false if there is no space. */
  addFirst(seq: number, digest: Uint32Array, now: number): boolean {
    if (this.#size === maxEntries) return false;
    const at = this.#size * entryWords;
    if (at === this.#words.length) {
      const larger = new Uint32Array(this.#words.length * 2);
      larger.set(this.#words);
      this.#words = larger;
    }
    this.#words.set(digest, at);
    this.#write(at + seqAt, seq);
    this.#write(at + timeAt, now);
    this.#size += 1;
    return true;
  }

  /** Notes a later use in the period. Returns false if there is no space. */
  addLater(seq: number, now: number): boolean {
    const block = blockOf(seq);
    let times = this.#blocks.get(block);
    if (times === undefined) {
      if (this.#blocks.size === maxBlocks) return false;
      times = new Uint32Array(keysPerBlock);
      this.#blocks.set(block, times);
    }
    times[seq % keysPerBlock] = Math.floor(now / 1000);
    return true;
  }

  /** Writes the uses in batches with pauses in between. Uses that cannot be written are retried by the next call. */
  save(): Promise<void> {
    this.#running = this.#running.catch(() => {}).then(() => this.#save());
    return this.#running;
  }

  async #save(): Promise<void> {
    if (this.#savingEntries.length === 0 && this.#savingBlocks.length === 0) {
      this.#savingEntries = this.#takeEntries();
      this.#savingBlocks = this.#takeBlocks();
    }
    // Filters find a use in a block by the first use of its period, so that one is written before.
    while (this.#savingEntries.length > 0)
      this.#savingEntries = await this.#savePiece(this.#savingEntries, periodUseWrite);
    while (this.#savingBlocks.length > 0) this.#savingBlocks = await this.#savePiece(this.#savingBlocks, blockUseWrite);
  }

  /** Returns the unwritten rest. */
  async #savePiece<Use>(uses: Use[], write: NamedWrite<Use[]>): Promise<Use[]> {
    const started = performance.now();
    await this.storage.write(write.with(uses.slice(0, pieceSize)));
    const left = uses.slice(pieceSize);
    if (left.length > 0) await pause(Math.min(performance.now() - started, 1000));
    return left;
  }

  #takeEntries(): PeriodUse[] {
    const bytes = Buffer.from(this.#words.buffer);
    const uses = Array.from({ length: this.#size }, (_, index): PeriodUse => {
      const at = index * entryWords;
      return {
        seq: this.#read(at + seqAt),
        hash: Buffer.from(bytes.subarray(4 * at, 4 * at + 32)),
        usedOn: this.#read(at + timeAt),
      };
    });
    this.#words = new Uint32Array(minEntries * entryWords);
    this.#size = 0;
    // Sorted, so that two nodes with keys in common cannot deadlock. Rows are stored in this order, too.
    return uses.sort((one, other) => one.seq - other.seq);
  }

  #takeBlocks(): BlockUses[] {
    const uses = [...this.#blocks].map(([block, times]) => ({ block, times }));
    this.#blocks = new Map();
    return uses.sort((one, other) => one.block - other.block);
  }

  #read(at: number): number {
    return this.#words[at]! * 2 ** 32 + this.#words[at + 1]!;
  }

  #write(at: number, value: number): void {
    this.#words[at] = Math.floor(value / 2 ** 32);
    this.#words[at + 1] = value % 2 ** 32;
  }
}
