interface Waiting<Item, Outcome> {
  item: Item;
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
  #running: Promise<void> | undefined;

  constructor(
    private readonly work: (take: () => Promise<Item[]>) => Promise<(Outcome | Error)[]>,
    private readonly largest: number,
  ) {}

  add(item: Item): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
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
    const { length } = this.#waiting;
    let group: Waiting<Item, Outcome>[] | undefined;
    const take = async () => {
      if (!group) {
        await this.#settled();
        group = this.#waiting.splice(0, this.largest);
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
      group ??= this.#waiting.splice(0, Math.min(length, this.largest));
      for (const { reject } of group) reject(error);
    }
  }

  /** Waits as long as each turn of the event loop brings more items. */
  async #settled(): Promise<void> {
    for (let size = 0; size < this.#waiting.length && this.#waiting.length < this.largest; ) {
      size = this.#waiting.length;
      await new Promise(setImmediate);
    }
  }
}
