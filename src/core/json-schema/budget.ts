/** Thrown when a request has spent what validating it may cost. */
export class BudgetSpent extends Error {}

/** Thrown for a schema that would take too long to prepare. */
export class SchemaTooLarge extends Error {}

/** One, made once: a stack trace for every costly request would cost more than the rejection. */
const spent = new BudgetSpent("validating the request costs too much");

/**
 * One step is at most about 30 ns of work on the machine of docs/performance.md, mostly far less. Together with parsing, the
 * worst that we know holds the event loop for less than 50 ms; the benchmark `validate` measures it.
 */
const stepsPerRequest = 500_000;
/** On top, for naming what is wrong with a request that was found invalid. */
const stepsToExplain = 150_000;
const stepsPerMillisecond = 33_000;

/** How deep schemas may lead into each other and into the value: each level takes some of the stack. */
const deepestCheck = 2_000;

/** Counts down the steps that one request may take. */
export class Budget {
  remaining: number = stepsPerRequest;
  #isExtended = false;

  /** For naming errors, once. */
  extend(): void {
    if (!this.#isExtended) this.remaining = Math.max(this.remaining, 0) + stepsToExplain;
    this.#isExtended = true;
  }

  /** Throws `BudgetSpent` when nothing is left. */
  spend(steps: number): void {
    this.remaining -= steps;
    if (this.remaining < 0) throw spent;
  }

  spendAt(depth: number, steps: number): void {
    this.remaining -= steps;
    if (this.remaining < 0 || depth > deepestCheck) throw spent;
  }

  /** Runs only what fits even at its worst, and takes what it took: most work is far from its worst. */
  measure(worstSteps: number, work: () => boolean): boolean {
    if (worstSteps > this.remaining) throw spent;
    const started = performance.now();
    const result = work();
    this.spend(Math.min(worstSteps, 15 + Math.ceil((performance.now() - started) * stepsPerMillisecond)));
    return result;
  }
}
