export interface CacheEntry<Value> {
  readonly value: Value;
  readonly bytes: number;
  /** For the owner, who may want to know which came first. In here, so that a look-up touches one object less. */
  readonly stamp: number;
  /** Asked for since it was last considered for forgetting. */
  isUsed: boolean;
}

/** Texts of other letters than Latin ones take two. */
const bytesOfCharacter = 2;

/**
 * A map bounded by an estimate of its bytes, keys included: callers may choose long ones. When it is full the oldest entry goes, unless it was asked for since it
 * came to be the oldest: then it gets a second chance and goes to the back. A hit is one look-up and moves nothing, and
 * all of the budget holds entries.
 */
export class SecondChanceCache<Value> {
  /** In the order in which they are considered for forgetting. */
  readonly #entries = new Map<string, CacheEntry<Value>>();
  #bytes = 0;

  constructor(
    private readonly maximumBytes: number,
    /** Without the key. */
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
    // With NaN in the sum the cache would never be full again.
    if (!(valueBytes >= 0 && valueBytes < Number.POSITIVE_INFINITY))
      throw new Error(`The size of a cache entry is ${valueBytes}.`);
    const bytes = bytesOfCharacter * key.length + valueBytes;
    this.#entries.set(key, { value, bytes, stamp, isUsed: false });
    this.#bytes += bytes;
    // At most two turns: the first takes away everybody's second chance.
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
