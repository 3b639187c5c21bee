/** The same seed gives the same numbers, on every machine. */
export class SeededRandom {
  #state: number;

  constructor(private readonly seed: string) {
    this.#state = Bun.hash.crc32(seed);
  }

  /** A separate sequence for each purpose, so that a change in one part of the demo does not affect the others. */
  for(purpose: string): SeededRandom {
    return new SeededRandom(`${this.seed} ${purpose}`);
  }

  /** From 0 (inclusive) to 1 (exclusive), by mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  between(min: number, max: number): number {
    return min + this.next() * (max - min);
  }

  integer(min: number, max: number): number {
    return Math.floor(this.between(min, max + 1));
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.integer(0, items.length - 1)]!;
  }

  /** A random count with the given mean (Poisson distribution). */
  poisson(mean: number): number {
    const limit = Math.exp(-mean);
    let product = this.next();
    let count = 0;
    for (; product > limit; count += 1) product *= this.next();
    return count;
  }
}
