interface Waiting<Item, Outcome> {
  item: Item;
  weight: number;
  since: number;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

/**
 * Batches items: while one batch runs, the next one fills. `work` takes its batch once its transaction has begun,
 * because items that arrive until then join the batch. If `work` is retried, it gets the same batch. It returns an
 * outcome per item, or an Error for an item that must not fail the others.
 */
export class Groups<Item, Outcome> {
  #waiting: Waiting<Item, Outcome>[] = [];
  #weight = 0;
  #running: Promise<void> | undefined;

  constructor(
    private readonly work: (take: () => Promise<Item[]>) => Promise<(Outcome | Error)[]>,
    /** The maximum of the sum of weights of a batch that has more than one item. */
    private readonly largest: number,
    private readonly weightOf: (item: Item) => number = () => 1,
    /** Items that have waited for longer when a batch fails would wait for too long with another one: they fail too. */
    private readonly lateMilliseconds = 4000,
  ) {}

  add(item: Item): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const weight = this.weightOf(item);
      this.#waiting.push({ item, weight, since: performance.now(), resolve, reject });
      this.#weight += weight;
      this.#running ??= this.#run();
    });
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Items of the same turn of the event loop join the batch.
      await new Promise(setImmediate);
      await this.#runOne();
    }
    this.#running = undefined;
  }

  async #runOne(): Promise<void> {
    const waiting = this.#waiting.length;
    let group: Waiting<Item, Outcome>[] | undefined;
    const take = async () => {
      if (!group) {
        await this.#settled();
        group = this.#takeSome();
      }
      return group.map(({ item }) => item);
    };
    try {
      const outcomes = await this.work(take);
      for (const [index, { resolve, reject }] of group!.entries()) {
        const outcome = outcomes[index]!;
        if (outcome instanceof Error) reject(outcome);
        else resolve(outcome);
      }
    } catch (error) {
      // No connection was available, so no transaction began. Items that arrived in the meantime are tried again.
      group ??= this.#takeSome(waiting);
      const since = performance.now() - this.lateMilliseconds;
      const late = this.#waiting.splice(0, this.#waiting.filter((item) => item.since < since).length);
      for (const { weight } of late) this.#weight -= weight;
      for (const { reject } of [...group, ...late]) reject(error);
    }
  }

  #takeSome(maxItems = this.#waiting.length): Waiting<Item, Outcome>[] {
    let count = 0;
    let taken = 0;
    for (const { weight } of this.#waiting) {
      if (count === maxItems || (count > 0 && taken + weight > this.largest)) break;
      count += 1;
      taken += weight;
    }
    this.#weight -= taken;
    return this.#waiting.splice(0, count);
  }

  /** Waits as long as each turn of the event loop brings more items. */
  async #settled(): Promise<void> {
    for (let size = 0; size < this.#waiting.length && this.#weight < this.largest; ) {
      size = this.#waiting.length;
      await new Promise(setImmediate);
    }
  }
}
