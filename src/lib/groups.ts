interface Waiting<Item, Outcome> {
  item: Item;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

/**
 * Batches items: while one batch runs, the next one fills. `work` takes its batch as late as it can, since what arrives until
 * then joins it, and gets the same one if it takes again. It returns an outcome per item, or an Error for an item that must
 * not fail the others.
 */
export class Groups<Item, Outcome> {
  #waiting: Waiting<Item, Outcome>[] = [];
  #running: Promise<void> | undefined;

  constructor(
    private readonly work: (take: () => Item[]) => Promise<(Outcome | Error)[]>,
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
      await this.#settled();
      await this.#runOne();
    }
    this.#running = undefined;
  }

  /** Waits for the end of this turn of the event loop, and on while turns bring more items: a transaction costs far more. */
  async #settled(): Promise<void> {
    await new Promise(setImmediate);
    for (let size = 0; size < this.#waiting.length && this.#waiting.length < this.largest; ) {
      size = this.#waiting.length;
      await new Promise(setImmediate);
    }
  }

  async #runOne(): Promise<void> {
    let group: Waiting<Item, Outcome>[] | undefined;
    const take = () => {
      group ??= this.#waiting.splice(0, this.largest);
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
      // Work that failed before it took its batch fails what it would have taken.
      take();
      for (const { reject } of group!) reject(error);
    }
  }
}
