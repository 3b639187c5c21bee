/** Shares the thread among long tasks: one of them continues in each turn of the event loop, in order. */
export class RoundRobin {
  readonly #waiting: (() => void)[] = [];

  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) setImmediate(() => this.#pass());
    });
  }

  #pass(): void {
    this.#waiting.shift()!();
    if (this.#waiting.length > 0) setImmediate(() => this.#pass());
  }
}
