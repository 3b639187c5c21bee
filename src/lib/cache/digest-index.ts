import { randomBytes } from "../crypto/random.ts";

/**
 * Maps a digest and scope to a line: an open-addressing hash table of tags and lines. A tag only selects a slot; callers
 * compare digests. It is a keyed hash of the digest: an attacker can choose keys whose digests share a prefix, but not ones
 * that collide here.
 */
export class DigestIndex {
  /** Pairs of a tag and a line plus 1; 0 is a free slot. */
  readonly #slots: Uint32Array;
  readonly #mask: number;
  readonly #shift: number;
  #size = 0;

  constructor(
    private readonly capacity: number,
    private readonly factors = new Uint32Array(new Uint8Array(randomBytes(12)).buffer),
  ) {
    this.#slots = new Uint32Array(2 * capacity);
    this.#mask = capacity - 1;
    this.#shift = 32 - Math.log2(capacity);
  }

  get size(): number {
    return this.#size;
  }

  /** The table is at most half full, because probe sequences become long beyond that. */
  get isFull(): boolean {
    return this.#size >= this.capacity / 2;
  }

  enlarged(): DigestIndex {
    const larger = new DigestIndex(2 * this.capacity, this.factors);
    for (let slot = 0; slot < this.capacity; slot++)
      if (!this.#isFree(slot)) larger.add(this.#slots[2 * slot]!, this.lineIn(slot));
    return larger;
  }

  /** Returns the tag of the digest at `start`. Its high bits select the slot because they depend on all input bits. */
  tagOf(words: Uint32Array, start: number, scope: number): number {
    const factors = this.factors;
    return (
      (Math.imul(words[start]!, factors[0]! | 1) +
        Math.imul(words[start + 1]!, factors[1]! | 1) +
        Math.imul(scope, factors[2]! | 1)) >>>
      0
    );
  }

  /** Returns the first slot with the tag, or -1. */
  first(tag: number): number {
    return this.#search(tag, tag >>> this.#shift);
  }

  /** Returns the next slot with the same tag, or -1. */
  next(slot: number, tag: number): number {
    return this.#search(tag, (slot + 1) & this.#mask);
  }

  lineIn(slot: number): number {
    return this.#slots[2 * slot + 1]! - 1;
  }

  /** Returns the slot of a line. Throws if the line is not in the index. */
  find(tag: number, line: number): number {
    let slot = this.first(tag);
    for (let probes = 0; slot >= 0 && probes < this.capacity; probes++) {
      if (this.lineIn(slot) === line) return slot;
      slot = this.next(slot, tag);
    }
    throw broken(`line ${line} is not in it`);
  }

  /** Throws if only one slot is free, because a search ends at a free slot. */
  add(tag: number, line: number): void {
    if (this.#size + 1 >= this.capacity) throw broken("it is full");
    let slot = tag >>> this.#shift;
    for (let probes = 0; !this.#isFree(slot); probes++) {
      if (probes >= this.capacity) throw broken("no slot is free");
      slot = (slot + 1) & this.#mask;
    }
    this.#slots[2 * slot] = tag;
    this.place(slot, line);
    this.#size += 1;
  }

  place(slot: number, line: number): void {
    this.#slots[2 * slot + 1] = line + 1;
  }

  /** Moves later entries of the probe sequence back; a search would stop at the free slot before them. */
  remove(slot: number): void {
    if (slot < 0 || this.#isFree(slot)) throw broken("the removed slot is not in it");
    let free = slot;
    // The loop ends at the latest where it began.
    for (let next = (slot + 1) & this.#mask; next !== slot && !this.#isFree(next); next = (next + 1) & this.#mask) {
      const tag = this.#slots[2 * next]!;
      const home = tag >>> this.#shift;
      if (((next - home) & this.#mask) < ((next - free) & this.#mask)) continue;
      this.#slots[2 * free] = tag;
      this.place(free, this.lineIn(next));
      free = next;
    }
    this.#slots[2 * free + 1] = 0;
    this.#size -= 1;
  }

  #search(tag: number, from: number): number {
    let slot = from;
    for (let probes = 0; probes < this.capacity; probes++) {
      if (this.#isFree(slot)) return -1;
      if (this.#slots[2 * slot] === tag) return slot;
      slot = (slot + 1) & this.#mask;
    }
    throw broken("no slot is free");
  }

  #isFree(slot: number): boolean {
    return this.#slots[2 * slot + 1] === 0;
  }
}

/** Throws, because a corrupt index would make a search run forever. */
function broken(what: string): Error {
  return new Error(`The digest index is corrupt: ${what}.`);
}
