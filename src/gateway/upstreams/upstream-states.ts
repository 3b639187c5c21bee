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
  readonly #targets = new SharedMap((key) => this.createTarget(key));
  readonly #budgets = new SharedMap((key) => this.createBudget(key));

  protected createTarget(_key: string): TargetState {
    return new TargetState();
  }

  protected createBudget(_key: string): RetryBudget {
    return new RetryBudget();
  }

  protected findTarget(key: string): TargetState | undefined {
    return this.#targets.find(key);
  }

  protected findBudget(key: string): RetryBudget | undefined {
    return this.#budgets.find(key);
  }

  protected get budgets(): Iterable<[key: string, budget: RetryBudget]> {
    return this.#budgets.all;
  }

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

  constructor(private readonly create: (key: string) => Value) {}

  find(key: string): Value | undefined {
    return this.#shared.get(key)?.value;
  }

  get all(): Iterable<[key: string, value: Value]> {
    return this.#shared.entries().map(([key, { value }]): [string, Value] => [key, value]);
  }

  take(key: string): Value {
    const shared = this.#shared.get(key) ?? { value: this.create(key), holders: 0 };
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
