import { RetryBudget } from "./retry-budget.ts";
import { type TargetChange, TargetState } from "./target-state.ts";
import { LocalUpstreamStates } from "./upstream-states.ts";

/** A change of an upstream in one process, for the others of the machine. Times are those of the machine. */
export type UpstreamChange =
  | readonly [kind: "target", key: string, TargetChange]
  | readonly [kind: "budget", key: string, requests: number, retries: number];

interface MachineClock {
  /** The time of the machine minus the monotonic time of this process. */
  readonly offset: number;
}

/**
 * Health, ejection and retry budgets of the machine. Every process has a copy and sends what it changes: changes of
 * targets at once, and the counts of budgets with each `sendBudgets`.
 */
export class SharedUpstreamStates extends LocalUpstreamStates {
  constructor(
    private readonly clock: MachineClock,
    private readonly send: (changes: UpstreamChange[]) => void,
  ) {
    super();
  }

  received(changes: readonly UpstreamChange[]): void {
    const now = performance.now();
    for (const change of changes) {
      if (change[0] === "target") this.findTarget(change[1])?.changedElsewhere(this.#moved(change[2], -1));
      else this.findBudget(change[1])?.addElsewhere(change[2], change[3], now);
    }
  }

  /** Sends the retry budgets of upstreams to other processes. Called several times a second. */
  sendBudgets(): void {
    const changes: UpstreamChange[] = [];
    for (const [key, budget] of this.budgets) {
      const { requests, retries } = (budget as CountedBudget).takeUnsent();
      if (requests + retries > 0) changes.push(["budget", key, requests, retries]);
    }
    if (changes.length > 0) this.send(changes);
  }

  protected override createTarget(key: string): TargetState {
    const state = new TargetState();
    state.onChange = (change) => this.send([["target", key, this.#moved(change, 1)]]);
    return state;
  }

  protected override createBudget(): RetryBudget {
    return new CountedBudget();
  }

  /** Processes have different monotonic times. */
  #moved(change: TargetChange, sign: 1 | -1): TargetChange {
    if (change.kind !== "failed" || typeof change.ejectedUntil !== "number") return change;
    return { ...change, ejectedUntil: change.ejectedUntil + sign * this.clock.offset };
  }
}

/** Counts what was not sent yet. */
class CountedBudget extends RetryBudget {
  #requests = 0;
  #retries = 0;

  override request(now: number): void {
    this.#requests += 1;
    super.request(now);
  }

  override take(now: number): boolean {
    const isTaken = super.take(now);
    if (isTaken) this.#retries += 1;
    return isTaken;
  }

  /** Returns the counts since the last call. */
  takeUnsent(): { requests: number; retries: number } {
    const unsent = { requests: this.#requests, retries: this.#retries };
    this.#requests = 0;
    this.#retries = 0;
    return unsent;
  }
}
