/** The number of items of about 10 µs each to process before yielding to the event loop. */
export const pieceSize = 500;

/** How long a task may hold the event loop before it yields. */
const sliceMilliseconds = 8;

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

/**
 * One per thread, which has one event loop: together, many long tasks delay other work by one slice, not by one slice
 * each.
 */
const turns = new RoundRobin();

/** Yields to the event loop between two slices of a long task. */
export function yieldToEventLoop(): Promise<void> {
  return turns.next();
}

/** Measures how long a task has held the event loop. */
export class Slice {
  #started = performance.now();

  get isOver(): boolean {
    return performance.now() - this.#started >= sliceMilliseconds;
  }

  /** Yields to the event loop and begins the next slice. */
  async next(): Promise<void> {
    await yieldToEventLoop();
    this.#started = performance.now();
  }
}

/** Runs work that can be interrupted at each `yield`. Synchronous if it ends within one slice. */
export function runInSlices<Result>(steps: Generator<void, Result>): Result | Promise<Result> {
  const slice = new Slice();
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (slice.isOver) return finishInSlices(steps, slice);
  }
}

async function finishInSlices<Result>(steps: Generator<void, Result>, slice: Slice): Promise<Result> {
  for (;;) {
    if (slice.isOver) await slice.next();
    const { done, value } = steps.next();
    if (done) return value;
  }
}
