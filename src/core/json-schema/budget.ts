/** Thrown when a request has used up its validation budget. */
export class BudgetExceeded extends Error {}

/** Thrown for a schema that would take too long to prepare. */
export class SchemaTooLarge extends Error {}

/** A single instance, because a stack trace for every expensive request would cost more than the rejection. */
const spent = new BudgetExceeded("validating the request costs too much");

/**
 * One step is at most about 30 ns of work on the machine of docs/performance.md, mostly far less. Together with
 * parsing, the worst known case holds the event loop for less than 50 ms; the benchmark `validate` measures it.
 */
const stepsPerRequest = 500_000;
/** An additional budget to describe the errors of an invalid request. */
const stepsToExplain = 150_000;
const stepsPerMillisecond = 33_000;

/** The maximum nesting of schemas and values: each level takes stack space. */
const maxCheckDepth = 2_000;

/** Counts down the steps that one request may take. */
export class Budget {
  remaining: number = stepsPerRequest;
  #isExtended = false;

  /** Grants the budget to describe errors, once. */
  extend(): void {
    if (!this.#isExtended) this.remaining = Math.max(this.remaining, 0) + stepsToExplain;
    this.#isExtended = true;
  }

  /** Throws `BudgetExceeded` if the budget is used up. */
  spend(steps: number): void {
    this.remaining -= steps;
    if (this.remaining < 0) throw spent;
  }

  spendAt(depth: number, steps: number): void {
    this.remaining -= steps;
    if (this.remaining < 0 || depth > maxCheckDepth) throw spent;
  }

  /** Runs work only if its worst case fits, and charges the actual cost: most work is far below its worst case. */
  measure(worstSteps: number, work: () => boolean): boolean {
    if (worstSteps > this.remaining) throw spent;
    const started = performance.now();
    const result = work();
    this.spend(Math.min(worstSteps, 15 + Math.ceil((performance.now() - started) * stepsPerMillisecond)));
    return result;
  }
}
