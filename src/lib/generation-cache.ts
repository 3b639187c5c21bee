/**
 * A map that forgets what was not asked for lately, bounded by an estimate of its bytes. Two generations:
 * when the young one is half the budget, the old one is dropped whole. A hit costs one look-up, or a move;
 * there is no list to keep in order and no scan to make room.
 */
export class GenerationCache<Value> {
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();
  #youngBytes = 0;

  constructor(
    private readonly maximumBytes: number,
    private readonly bytesOf: (value: Value) => number,
  ) {}

  get(key: string): Value | undefined {
    const value = this.#young.get(key);
    if (value !== undefined) return value;
    const old = this.#old.get(key);
    if (old !== undefined) {
      this.#old.delete(key);
      this.set(key, old);
    }
    return old;
  }

  set(key: string, value: Value): void {
    this.delete(key);
    this.#youngBytes += this.bytesOf(value);
    this.#young.set(key, value);
    if (this.#youngBytes * 2 > this.maximumBytes) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngBytes = 0;
    }
  }

  delete(key: string): void {
    const value = this.#young.get(key);
    if (value !== undefined) {
      this.#youngBytes -= this.bytesOf(value);
      this.#young.delete(key);
    }
    this.#old.delete(key);
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
    this.#youngBytes = 0;
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }
}
