/** All randomness of a run comes from its seed, so that a run can be repeated. */
export class Random {
  #state: number;

  constructor(readonly seed: number) {
    this.#state = seed | 0;
  }

  /** From 0, below 1. A Weyl sequence, scrambled: every 32-bit state comes once before the first comes again. */
  fraction(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0;
    let bits = this.#state;
    bits = Math.imul(bits ^ (bits >>> 16), 0x21f0aaad);
    bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97);
    return ((bits ^ (bits >>> 15)) >>> 0) / 2 ** 32;
  }

  /** Both ends included. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.fraction() * (max - min + 1));
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.integer(0, items.length - 1)]!;
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.integer(0, 255));
  }

  /** A separate sequence for concurrent users, so that they do not affect each other. */
  branch(name: string): Random {
    return new Random(Number(Bun.hash(name, BigInt(this.seed >>> 0)) & 0xffffffffn));
  }
}
