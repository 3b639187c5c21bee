interface Waiting<Item, Outcome> {
  item: Item;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

/**
 * Collects the items of one turn of the event loop. `work` returns an outcome per item, or fails all of them.
 * @param options.oneAtATime also collects items while the work for others runs, where a group costs more than its items
 */
export class TurnGroup<Item, Outcome> {
  #waiting: Waiting<Item, Outcome>[] = [];
  #isRunning = false;

  constructor(
    private readonly work: (items: Item[]) => Promise<readonly Outcome[]>,
    private readonly options: { oneAtATime?: boolean } = {},
  ) {}

  add(item: Item): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.push({ item, resolve, reject }) === 1 && !this.#isRunning) this.#begin();
    });
  }

  #begin(): void {
    this.#isRunning = this.options.oneAtATime ?? false;
    setImmediate(async () => {
      await this.#run();
      this.#isRunning = false;
      if (this.options.oneAtATime && this.#waiting.length > 0) this.#begin();
    });
  }

  async #run(): Promise<void> {
    const group = this.#waiting;
    this.#waiting = [];
    try {
      const outcomes = await this.work(group.map(({ item }) => item));
      for (const [index, { resolve }] of group.entries()) resolve(outcomes[index]!);
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }
}
