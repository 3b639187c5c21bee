interface Entry<Value> {
  value: Value;
  bytes: number;
  /** Asked for since it was last considered for forgetting. */
  isUsed: boolean;
}

/**
 * A map bounded by an estimate of its bytes. When it is full the oldest entry goes, unless it was asked for since it
 * came to be the oldest: then it gets a second chance and goes to the back. A hit is one look-up and moves nothing, and
 * all of the budget holds entries.
 */
export class SecondChanceCache<Value> {
  /** In the order in which they are considered for forgetting. */
  readonly #entries = new Map<string, Entry<Value>>();
  #bytes = 0;

  constructor(
    private readonly maximumBytes: number,
    private readonly bytesOf: (value: Value) => number,
  ) {}

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (!entry.isUsed) entry.isUsed = true;
    return entry.value;
  }

  set(key: string, value: Value): void {
    this.delete(key);
    const bytes = this.bytesOf(value);
    this.#entries.set(key, { value, bytes, isUsed: false });
    this.#bytes += bytes;
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
