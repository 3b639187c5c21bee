/** How often deadlines are checked, which is also the precision of timeouts. */
const checkMilliseconds = 25;

export interface Timed {
  /** On the monotonic clock; infinite while unknown. */
  readonly deadline: number;
  timeOut(): void;
}

/** One timer checks all deadlines: most requests end before it fires, and a timer for each would cost more. */
export class Deadlines {
  readonly #waiting = new Set<Timed>();
  #timer: Timer | undefined;

  add(timed: Timed): void {
    this.#waiting.add(timed);
    this.#timer ??= setInterval(() => this.#check(), checkMilliseconds);
  }

  delete(timed: Timed): void {
    this.#waiting.delete(timed);
  }

  #check(): void {
    const now = performance.now();
    for (const timed of this.#waiting) if (now >= timed.deadline) timed.timeOut();
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
