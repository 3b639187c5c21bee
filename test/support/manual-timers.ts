import type { Timers } from "../../src/lib/time/timers.ts";

/** Timers that end when a test says so. */
export class ManualTimers implements Timers {
  readonly #waiting = new Set<() => void>();

  start(_milliseconds: number, callback: () => void): () => void {
    const entry = () => callback();
    this.#waiting.add(entry);
    return () => this.#waiting.delete(entry);
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Ends all timers that run. */
  end(): void {
    const ended = [...this.#waiting];
    this.#waiting.clear();
    for (const callback of ended) callback();
  }
}
