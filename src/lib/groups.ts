interface Waiting<Item, Outcome> {
  item: Item;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

/**
 * Batches items: while one batch runs, the next one fills. `work` returns an outcome per item, or an Error for an item that
 * must not fail the others.
 */
export class Groups<Item, Outcome> {
  #waiting: Waiting<Item, Outcome>[] = [];
  #running: Promise<void> | undefined;

  constructor(
    private readonly work: (items: Item[]) => Promise<(Outcome | Error)[]>,
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
      const group = this.#waiting.splice(0, this.largest);
      try {
        const outcomes = await this.work(group.map(({ item }) => item));
        for (const [index, { resolve, reject }] of group.entries()) {
          const outcome = outcomes[index]!;
          if (outcome instanceof Error) reject(outcome);
          else resolve(outcome);
        }
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.#running = undefined;
  }
}
