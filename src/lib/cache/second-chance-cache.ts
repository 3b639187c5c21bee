interface CacheEntry<Value> {
  readonly value: Value;
  readonly bytes: number;
  /** Set by the owner to compare ages. It is stored here so that a look-up reads one object less. */
  readonly stamp: number;
  /** The entry was read since it was last considered for eviction. */
  isUsed: boolean;
}

/** A string with characters outside Latin-1 takes two bytes per character. */
const bytesOfCharacter = 2;

/**
 * A cache that is bounded by an estimate of its bytes, including the keys. When it is full it evicts the oldest entry;
 * an entry that was read since it was last considered moves to the back instead (second chance). A hit is one look-up
 * and moves nothing.
 */
export class SecondChanceCache<Value> {
  /** In the order in which entries are considered for eviction. */
  readonly #entries = new Map<string, CacheEntry<Value>>();
  #bytes = 0;

  constructor(
    private readonly maximumBytes: number,
    /** Returns the size of a value in bytes, without its key. */
    private readonly bytesOf: (value: Value) => number,
  ) {}

  get(key: string): Value | undefined {
    return this.find(key)?.value;
  }

  find(key: string): CacheEntry<Value> | undefined {
    const entry = this.#entries.get(key);
    if (entry !== undefined && !entry.isUsed) entry.isUsed = true;
    return entry;
  }

  set(key: string, value: Value, stamp = 0): void {
    this.delete(key);
    const valueBytes = this.bytesOf(value);
    // If NaN entered the sum, the cache would never be full again.
    if (!(valueBytes >= 0 && valueBytes < Number.POSITIVE_INFINITY))
      throw new Error(`The size of a cache entry is ${valueBytes}.`);
    const bytes = bytesOfCharacter * key.length + valueBytes;
    this.#entries.set(key, { value, bytes, stamp, isUsed: false });
    this.#bytes += bytes;
    // This takes at most two rounds, because the first one clears every `isUsed`.
    while (this.#bytes > this.maximumBytes && this.#entries.size > 1) this.#considerOldest();
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#bytes -= entry.bytes;
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }

  get size(): number {
    return this.#entries.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  #considerOldest(): void {
    const [key, entry] = this.#entries.entries().next().value!;
    this.#entries.delete(key);
    if (entry.isUsed) {
      entry.isUsed = false;
      this.#entries.set(key, entry);
    } else {
      this.#bytes -= entry.bytes;
    }
  }
}
