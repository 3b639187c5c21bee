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
} from "./key-use-store.ts";

/** The words of a first use: 8 of the digest of its key, 2 of the `seq`, 2 of the time. */
const entryWords = 12;
const seqAt = 8;
const timeAt = 10;
const minFirstUses = 1024;
/** 3 MB, which take about 4 seconds to write. Further uses are dropped until the next save. */
const maxFirstUses = 65_536;
/** 64 MB, the blocks of 16 million keys. Further uses are dropped until the next save. */
const maxBlocks = 65_536;
/** The maximum number of keys or blocks in one transaction: on SQLite every other write waits for it. */
const pieceSize = 1000;

export const periodUseWrite = new NamedWrite<PeriodUse[]>("first uses of keys", (transaction, uses) =>
  // A worker sends the data to the primary, where a Buffer arrives as a Uint8Array.
  recordPeriodUses(
    transaction,
    uses.map((use) => ({ ...use, hash: Buffer.from(use.hash) })),
  ),
);
export const blockUseWrite = new NamedWrite<BlockUses[]>("uses of keys", recordBlockUses);

/**
 * The last uses of keys that are not stored yet. The first use of a key in a period of 6 hours is stored in the key's
 * row, later uses of the period in its block: see use-store.ts.
 */
export class KeyUses {
  /** `entryWords` words for each first use. One array, because there may be many. */
  #firstUses = new Uint32Array(minFirstUses * entryWords);
  #firstUseCount = 0;
  /** The times of later uses in seconds, by block. */
  #laterUses = new Map<number, Uint32Array>();
  /** Uses that are being written: kept until storage confirms them. */
  #savingFirstUses: PeriodUse[] = [];
  #savingLaterUses: BlockUses[] = [];
  #running: Promise<void> = Promise.resolve();

  constructor(private readonly storage: Storage) {}

  /** The number of rows to write. */
  get size(): number {
    return this.#firstUseCount + this.#laterUses.size + this.#savingFirstUses.length + this.#savingLaterUses.length;
  }

  /** Notes the first use of a period, with the digest of the key. Returns false if there is no space. */
  addFirst(seq: number, digest: Uint32Array, now: number): boolean {
    if (this.#firstUseCount === maxFirstUses) return false;
    const at = this.#firstUseCount * entryWords;
    if (at === this.#firstUses.length) {
      const larger = new Uint32Array(this.#firstUses.length * 2);
      larger.set(this.#firstUses);
      this.#firstUses = larger;
    }
    this.#firstUses.set(digest, at);
    this.#write(at + seqAt, seq);
    this.#write(at + timeAt, now);
    this.#firstUseCount += 1;
    return true;
  }

  /** Notes a later use in the period. Returns false if there is no space. */
  addLater(seq: number, now: number): boolean {
    const block = blockOf(seq);
    let times = this.#laterUses.get(block);
    if (times === undefined) {
      if (this.#laterUses.size === maxBlocks) return false;
      times = new Uint32Array(keysPerBlock);
      this.#laterUses.set(block, times);
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
    if (this.#savingFirstUses.length === 0 && this.#savingLaterUses.length === 0) {
      this.#savingFirstUses = this.#takeFirstUses();
      this.#savingLaterUses = this.#takeLaterUses();
    }
    // First uses before later ones: filters by last use search the rows of keys, and read the block of a key only if the
    // time in its row is in the period before the filter's.
    while (this.#savingFirstUses.length > 0)
      this.#savingFirstUses = await this.#savePiece(this.#savingFirstUses, periodUseWrite);
    while (this.#savingLaterUses.length > 0)
      this.#savingLaterUses = await this.#savePiece(this.#savingLaterUses, blockUseWrite);
  }

  /** Returns the unwritten rest. */
  async #savePiece<Use>(uses: Use[], write: NamedWrite<Use[]>): Promise<Use[]> {
    const started = performance.now();
    await this.storage.write(write.with(uses.slice(0, pieceSize)));
    const left = uses.slice(pieceSize);
    if (left.length > 0) await pause(Math.min(performance.now() - started, 1000));
    return left;
  }

  #takeFirstUses(): PeriodUse[] {
    const bytes = Buffer.from(this.#firstUses.buffer);
    const uses = Array.from({ length: this.#firstUseCount }, (_, index): PeriodUse => {
      const at = index * entryWords;
      return {
        seq: this.#read(at + seqAt),
        hash: Buffer.from(bytes.subarray(4 * at, 4 * at + 32)),
        usedOn: this.#read(at + timeAt),
      };
    });
    this.#firstUses = new Uint32Array(minFirstUses * entryWords);
    this.#firstUseCount = 0;
    // Sorted, so that two nodes with keys in common cannot deadlock. Rows are stored in this order, too.
    return uses.sort((one, other) => one.seq - other.seq);
  }

  #takeLaterUses(): BlockUses[] {
    const uses = [...this.#laterUses].map(([block, times]) => ({ block, times }));
    this.#laterUses = new Map();
    return uses.sort((one, other) => one.block - other.block);
  }

  #read(at: number): number {
    return this.#firstUses[at]! * 2 ** 32 + this.#firstUses[at + 1]!;
  }

  #write(at: number, value: number): void {
    this.#firstUses[at] = Math.floor(value / 2 ** 32);
    this.#firstUses[at + 1] = value % 2 ** 32;
  }
}
