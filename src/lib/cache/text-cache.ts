import type { Digest } from "./digest.ts";
import { DigestIndex } from "./digest-index.ts";

/** A text with a label, optional bytes and numbers. */
export interface CachedText {
  readonly text: string;
  /** An ASCII string that can be read without the text. */
  readonly label: string;
  /** Further bytes. Most texts have none. */
  readonly extra?: Buffer | undefined;
  /** A number of the caller, such as a time. */
  readonly number: number;
  /** Unique for each record: it detects memory that was reused for another one. */
  readonly stamp: number;
  /** A number of 30 bits that can be changed in place. The default is 0. */
  readonly mark?: number;
  /** The number of the entity that the text belongs to. The default is 0. */
  readonly reference?: number;
}

/** A range of bytes in the cache. It is created once and reused, so that a look-up allocates nothing. */
export interface BytesAt {
  memory: Buffer;
  from: number;
  to: number;
}

// Layout of a record, in 32-bit words. The fields that a look-up compares are in one CPU cache line, followed by label
// and text. A look-up among millions of records therefore has two cache misses: its slot and its record.

/** The state in the two lowest bits, and the caller's mark above them. */
const stateAt = 0;
/** The length of the label in the lower half, and of the extra bytes in the upper half. */
const labelLengthAt = 1;
const lengthAt = 2;
const scopeAt = 3;
const stampAt = 4;
const numberAt = 6;
const digestAt = 8;
const referenceAt = 16;
const headerBytes = 4 * 18;
/** Records are allocated in lines of 64 bytes. */
const lineWords = 16;
const lineBytes = 4 * lineWords;

const deleted = 0;
const present = 1;
const used = 2;
const stateMask = 3;
const markBits = 2;

const maxPartLength = 0xffff;

const maxScope = 2 ** 32 - 1;
const minSegments = 2;
const minSlots = 1024;

/**
 * A cache of ASCII texts by digest and scope (a number, such as that of a bucket), bounded in bytes. A million texts are a few hundred arrays to the garbage
 * collector; a Map of objects was five million objects and took three times the memory. Records are appended to
 * segments. When all segments are full, the oldest is emptied: records that were read since they were written get a
 * second chance, up to half a segment, and the others are evicted.
 */
export class TextCache {
  readonly #segments: Segment[] = [];
  readonly #maximumSegments: number;
  /** A power of two. */
  readonly #segmentLines: number;
  /** The binary logarithm of the number of lines of a segment. */
  readonly #lineBits: number;
  #current = 0;
  /** The segment that was emptied last, to be reused. */
  #spare: Segment | undefined;
  #index = new DigestIndex(minSlots);

  constructor(maximumBytes: number, segmentBytes = 1024 * 1024) {
    this.#lineBits = Math.log2(segmentBytes / lineBytes);
    this.#segmentLines = 1 << this.#lineBits;
    this.#maximumSegments = Math.max(minSegments, Math.floor(maximumBytes / segmentBytes));
  }

  get size(): number {
    return this.#index.size;
  }

  get(digest: Digest, scope: number): FoundText | undefined {
    const slot = this.#slotOf(digest, scope);
    if (slot < 0) return undefined;
    const line = this.#index.lineIn(slot);
    const segment = this.#segmentOf(line);
    const start = this.#startOf(line);
    segment.setState(start, used);
    return new FoundText(segment, start);
  }

  /** A text of more than half a segment, and one with a label or extra bytes beyond 64 KiB, is not cached. */
  set(digest: Digest, scope: number, cached: CachedText): void {
    const { text, label, extra, number, stamp, mark = 0, reference = 0 } = cached;
    this.delete(digest, scope);
    const extraLength = extra?.length ?? 0;
    const lines = linesFor(label.length + text.length + extraLength);
    if (lines > this.#segmentLines / 2 || scope > maxScope) return;
    if (label.length > maxPartLength || extraLength > maxPartLength) return;
    const segment = this.#segmentWithRoomFor(lines);
    const start = segment.filledLines * lineWords;
    segment.filledLines += lines;
    const { words, numbers } = segment;
    words[start + stateAt] = (mark << markBits) | present;
    words[start + labelLengthAt] = label.length | (extraLength << 16);
    words[start + lengthAt] = text.length;
    words[start + scopeAt] = scope;
    numbers[(start + stampAt) >> 1] = stamp;
    numbers[(start + numberAt) >> 1] = number;
    numbers[(start + referenceAt) >> 1] = reference;
    words.set(digest.words, start + digestAt);
    const from = 4 * start + headerBytes;
    segment.bytes.write(label, from, "latin1");
    segment.bytes.write(text, from + label.length, "latin1");
    if (extra) segment.bytes.set(extra, from + label.length + text.length);
    if (this.#index.isFull) this.#index = this.#index.enlarged();
    this.#index.add(this.#index.tagOf(digest.words, 0, scope), this.#lineAt(start));
  }

  delete(digest: Digest, scope: number): void {
    const slot = this.#slotOf(digest, scope);
    if (slot < 0) return;
    const line = this.#index.lineIn(slot);
    this.#segmentOf(line).setState(this.#startOf(line), deleted);
    this.#index.remove(slot);
  }

  clear(): void {
    this.#segments.length = 0;
    this.#current = 0;
    this.#spare = undefined;
    this.#index = new DigestIndex(minSlots);
  }

  #slotOf({ words }: Digest, scope: number): number {
    const index = this.#index;
    const tag = index.tagOf(words, 0, scope);
    let slot = index.first(tag);
    for (let probes = 0; slot >= 0; probes++) {
      const line = index.lineIn(slot);
      if (this.#segmentOf(line).holds(this.#startOf(line), words, scope)) return slot;
      if (probes > index.size) throw new Error("The cache is corrupt: a search does not end.");
      slot = index.next(slot, tag);
    }
    return -1;
  }

  #segmentWithRoomFor(lines: number): Segment {
    const current = this.#segments[this.#current];
    if (current && current.filledLines + lines <= this.#segmentLines) return current;
    // Records with a second chance fill at most half of a segment, and no text is longer than the other half.
    const segment = this.#nextSegment();
    if (segment.filledLines + lines > this.#segmentLines)
      throw new Error("The cache is corrupt: a new segment has no room.");
    return segment;
  }

  #nextSegment(): Segment {
    this.#current = this.#segments.length === 0 ? 0 : (this.#current + 1) % this.#maximumSegments;
    const oldest = this.#segments[this.#current];
    const fresh = this.#spare ?? new Segment(this.#segmentLines);
    fresh.filledLines = 0;
    this.#segments[this.#current] = fresh;
    this.#spare = oldest;
    if (oldest) this.#giveSecondChances(oldest, fresh);
    return fresh;
  }

  /** Copies records that were read, and evicts the others. Both segments have the same number, so only the offset of a record changes. */
  #giveSecondChances(from: Segment, to: Segment): void {
    for (let lineFrom = 0; lineFrom < from.filledLines; ) {
      const start = lineFrom * lineWords;
      const state = from.words[start + stateAt]! & stateMask;
      const lines = from.linesAt(start);
      if (state !== deleted) {
        const tag = this.#index.tagOf(from.words, start + digestAt, from.words[start + scopeAt]!);
        const slot = this.#index.find(tag, this.#lineAt(start));
        if (state === used && to.filledLines + lines <= this.#segmentLines / 2) {
          const startTo = to.filledLines * lineWords;
          to.words.set(from.words.subarray(start, start + lines * lineWords), startTo);
          to.setState(startTo, present);
          to.filledLines += lines;
          this.#index.place(slot, this.#lineAt(startTo));
        } else this.#index.remove(slot);
      }
      lineFrom += lines;
    }
  }

  #segmentOf(line: number): Segment {
    return this.#segments[line >>> this.#lineBits]!;
  }

  #startOf(line: number): number {
    return (line & (this.#segmentLines - 1)) * lineWords;
  }

  /** Returns the global number of a line of the current segment. */
  #lineAt(start: number): number {
    return this.#current * this.#segmentLines + start / lineWords;
  }
}

const noBytes = Buffer.alloc(0);

function linesFor(characters: number): number {
  return Math.ceil((headerBytes + characters) / lineBytes);
}

/** A cache hit. It reads its parts on access, so the caller must use it before the next await. */
export class FoundText implements CachedText {
  readonly number: number;
  readonly stamp: number;

  constructor(
    private readonly segment: Segment,
    private readonly start: number,
  ) {
    this.number = segment.numbers[(start + numberAt) >> 1]!;
    this.stamp = segment.numbers[(start + stampAt) >> 1]!;
  }

  get text(): string {
    this.#checkStamp();
    return this.segment.textAt(this.start);
  }

  get label(): string {
    this.#checkStamp();
    return this.segment.labelAt(this.start);
  }

  get extra(): Buffer | undefined {
    const at: BytesAt = { memory: noBytes, from: 0, to: 0 };
    return this.locateExtra(at) ? at.memory.subarray(at.from, at.to) : undefined;
  }

  /** Returns false if there are no extra bytes. The caller must use the range before the next await. */
  locateExtra(into: BytesAt): boolean {
    this.#checkStamp();
    return this.segment.locateExtra(this.start, into);
  }

  get mark(): number {
    return this.segment.words[this.start + stateAt]! >>> markBits;
  }

  set mark(value: number) {
    const { words } = this.segment;
    words[this.start + stateAt] = (value << markBits) | (words[this.start + stateAt]! & stateMask);
  }

  get reference(): number {
    return this.segment.numbers[(this.start + referenceAt) >> 1]!;
  }

  #checkStamp(): void {
    if (this.segment.numbers[(this.start + stampAt) >> 1] !== this.stamp) throw new Error("The text was evicted.");
  }
}

class Segment {
  readonly words: Uint32Array;
  /** A view of the same memory. */
  readonly numbers: Float64Array;
  readonly bytes: Buffer;
  filledLines = 0;

  constructor(lines: number) {
    const memory = new ArrayBuffer(lines * lineBytes);
    this.words = new Uint32Array(memory);
    this.numbers = new Float64Array(memory);
    this.bytes = Buffer.from(memory);
  }

  /** Returns the number of lines of the record at `start`: at least one, so that iteration ends. */
  linesAt(start: number): number {
    const lengths = this.words[start + labelLengthAt]!;
    return linesFor((lengths & maxPartLength) + this.words[start + lengthAt]! + (lengths >>> 16));
  }

  setState(start: number, state: number): void {
    const word = this.words[start + stateAt]!;
    if ((word & stateMask) !== state) this.words[start + stateAt] = (word & ~stateMask) | state;
  }

  labelAt(start: number): string {
    const from = 4 * start + headerBytes;
    return this.bytes.toString("latin1", from, from + (this.words[start + labelLengthAt]! & maxPartLength));
  }

  textAt(start: number): string {
    const from = 4 * start + headerBytes + (this.words[start + labelLengthAt]! & maxPartLength);
    return this.bytes.toString("latin1", from, from + this.words[start + lengthAt]!);
  }

  locateExtra(start: number, into: BytesAt): boolean {
    const lengths = this.words[start + labelLengthAt]!;
    const length = lengths >>> 16;
    if (length === 0) return false;
    into.memory = this.bytes;
    into.from = 4 * start + headerBytes + (lengths & maxPartLength) + this.words[start + lengthAt]!;
    into.to = into.from + length;
    return true;
  }

  holds(start: number, digest: Uint32Array, scope: number): boolean {
    const { words } = this;
    if (words[start + scopeAt] !== scope) return false;
    for (let index = 0; index < digest.length; index++)
      if (words[start + digestAt + index] !== digest[index]) return false;
    return true;
  }
}
