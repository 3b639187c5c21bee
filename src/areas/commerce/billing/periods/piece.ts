/** The steps of one transaction. On a busy PostgreSQL, a step takes tens of milliseconds. */
const maxSteps = 50;
/** No step begins after this time. PostgreSQL ends a transaction after 15 s; on SQLite, other writes wait for it. */
const maxMilliseconds = 1_000;

/** Returns milliseconds that never go back. */
export type Stopwatch = () => number;

export const stopwatch: Stopwatch = () => performance.now();

/** Limits the steps of one transaction by number and time. What is left is done by the next transaction. */
export class Piece {
  readonly #began: number;
  #steps = 0;

  constructor(private readonly elapsed: Stopwatch = stopwatch) {
    this.#began = elapsed();
  }

  /** Whether another step may begin. The first one always may, so that slow storage cannot prevent all progress. */
  begins(): boolean {
    this.#steps += 1;
    return this.#steps === 1 || (this.#steps <= maxSteps && this.elapsed() - this.#began < maxMilliseconds);
  }
}
