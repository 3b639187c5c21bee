import { RetryBudget } from "./retry-budget.ts";
import { TargetState } from "./target-state.ts";

/**
 * Health, ejection and retry budgets, shared by all versions of a deployment on a machine. A version acquires state by
 * key and releases it; state exists as long as a version uses it, so that a new version continues with it.
 */
export interface UpstreamStates {
  target(key: string): TargetState;
  budget(key: string): RetryBudget;
  releaseTarget(key: string): void;
  releaseBudget(key: string): void;
}

/** In the memory of this process. */
export class LocalUpstreamStates implements UpstreamStates {
  readonly #targets = new SharedMap(() => new TargetState());
  readonly #budgets = new SharedMap(() => new RetryBudget());

  target(key: string): TargetState {
    return this.#targets.take(key);
  }

  budget(key: string): RetryBudget {
    return this.#budgets.take(key);
  }

  releaseTarget(key: string): void {
    this.#targets.release(key);
  }

  releaseBudget(key: string): void {
    this.#budgets.release(key);
  }
}

/** Reference-counted values by key. */
class SharedMap<Value> {
  readonly #shared = new Map<string, { value: Value; holders: number }>();

  constructor(private readonly create: () => Value) {}

  take(key: string): Value {
    const shared = this.#shared.get(key) ?? { value: this.create(), holders: 0 };
    shared.holders += 1;
    this.#shared.set(key, shared);
    return shared.value;
  }

  release(key: string): void {
    const shared = this.#shared.get(key);
    if (!shared) return;
    shared.holders -= 1;
    if (shared.holders === 0) this.#shared.delete(key);
  }
}
