import { pause } from "../../lib/pause.ts";
import type { Storage } from "../../platform/storage/storage.ts";
import { type KeyUse, recordUses } from "./store.ts";

/** Digest, bucket and the time in two parts. */
const entryWords = 11;
const bucketAt = 8;
const highAt = 9;
const lowAt = 10;
const fewestEntries = 1024;
/** 11 MB. Uses beyond it are noted at the key's next request after a save. */
const mostEntries = 262_144;
/** Keys in one transaction: on SQLite every other write waits for it. */
const pieceSize = 1000;

/** When keys were last used, as far as storage does not know it yet; words in one array, as there may be many. */
export class KeyUses {
  #words = new Uint32Array(fewestEntries * entryWords);
  #size = 0;
  /** Taken and not known to be written. */
  #saving: KeyUse[] = [];
  #running: Promise<void> = Promise.resolve();

  constructor(private readonly storage: Storage) {}

  get size(): number {
    return this.#size + this.#saving.length;
  }

  /** Where to write the digest's eight words of a use, or -1 if there is no room. */
  reserve(): number {
    if (this.#size === mostEntries) return -1;
    if ((this.#size + 1) * entryWords > this.#words.length) {
      const larger = new Uint32Array(this.#words.length * 2);
      larger.set(this.#words);
      this.#words = larger;
    }
    return this.#size * entryWords;
  }

  get words(): Uint32Array {
    return this.#words;
  }

  /** After the digest was written at what `reserve` returned. */
  add(bucketSeq: number, now: number): void {
    const at = this.#size * entryWords;
    this.#words[at + bucketAt] = bucketSeq;
    this.#words[at + highAt] = Math.floor(now / 2 ** 32);
    this.#words[at + lowAt] = now % 2 ** 32;
    this.#size += 1;
  }

  /** Writes what there is, in pieces with pauses between them. What storage does not take is kept for the next time. */
  save(): Promise<void> {
    this.#running = this.#running.catch(() => {}).then(() => this.#save());
    return this.#running;
  }

  async #save(): Promise<void> {
    if (this.#saving.length === 0) this.#saving = this.#take();
    while (this.#saving.length > 0) {
      const piece = this.#saving.slice(0, pieceSize);
      const started = performance.now();
      await this.storage.write((transaction) => recordUses(transaction, piece));
      this.#saving = this.#saving.slice(piece.length);
      if (this.#saving.length > 0) await pause(Math.min(performance.now() - started, 1000));
    }
  }

  #take(): KeyUse[] {
    const bytes = Buffer.from(this.#words.buffer);
    const uses = Array.from({ length: this.#size }, (_, index): KeyUse => {
      const at = index * entryWords;
      return {
        bucketSeq: this.#words[at + bucketAt]!,
        hash: Buffer.from(bytes.subarray(4 * at, 4 * at + 32)),
        usedOn: this.#words[at + highAt]! * 2 ** 32 + this.#words[at + lowAt]!,
      };
    });
    this.#words = new Uint32Array(fewestEntries * entryWords);
    this.#size = 0;
    // In one order: two nodes with keys in common must not wait for each other in a circle.
    return uses.sort((one, other) => one.bucketSeq - other.bucketSeq || Buffer.compare(one.hash, other.hash));
  }
}
