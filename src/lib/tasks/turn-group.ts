interface Waiting<Item, Outcome> {
  item: Item;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

/** Collects the items of one turn of the event loop. `work` returns an outcome per item, or fails all of them. */
export class TurnGroup<Item, Outcome> {
  #waiting: Waiting<Item, Outcome>[] = [];

  constructor(private readonly work: (items: Item[]) => Promise<readonly Outcome[]>) {}

  add(item: Item): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.push({ item, resolve, reject }) === 1) setImmediate(() => void this.#run());
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
