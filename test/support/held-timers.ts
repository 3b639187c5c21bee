import { spyOn } from "bun:test";

/**
 * Records the timers of one delay that are set while it exists, so that a test can end them at once. For limits that are
 * measured with real timers. Other timers are not affected.
 */
export class HeldTimers implements Disposable {
  readonly #pending = new Map<unknown, () => void>();
  readonly #spies: { mockRestore(): void }[];

  constructor(delayMilliseconds: number) {
    const [set, clear] = [globalThis.setTimeout, globalThis.clearTimeout];
    const hold = (callback: () => void, delay?: number, ...values: unknown[]) => {
      const timer = set(callback, delay, ...(values as []));
      if (delay === delayMilliseconds) this.#pending.set(timer, callback);
      return timer;
    };
    const drop = (timer?: Timer) => {
      this.#pending.delete(timer);
      clear(timer);
    };
    this.#spies = [
      spyOn(globalThis, "setTimeout").mockImplementation(hold as unknown as typeof setTimeout),
      spyOn(globalThis, "clearTimeout").mockImplementation(drop as unknown as typeof clearTimeout),
    ];
  }

  /** The number of timers that are set and have not been cleared. */
  get pending(): number {
    return this.#pending.size;
  }

  /** Ends all of them, as if their time had passed. */
  expire(): void {
    for (const [timer, callback] of [...this.#pending]) {
      clearTimeout(timer as Timer);
      callback();
    }
  }

  [Symbol.dispose](): void {
    for (const spy of this.#spies) spy.mockRestore();
  }
}
