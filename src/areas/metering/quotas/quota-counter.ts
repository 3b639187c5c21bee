import type { Amount } from "../../../lib/amount.ts";

/** The counters of one subscription in one period, as a node sees them. */
export class PeriodCounters {
  readonly #counters = new Map<string, QuotaCounter>();
  /** Since it was last considered for forgetting. */
  isUsed = true;

  constructor(
    readonly subscriptionSeq: number,
    readonly periodStart: number,
    readonly periodEnd: number,
    /** Those with something to write, of all periods. */
    readonly unwritten: Set<QuotaCounter>,
  ) {}

  /** The one of a meter: always the same object. */
  counter(meter: string): QuotaCounter {
    const counter = this.#counters.get(meter) ?? new QuotaCounter(this, meter);
    this.#counters.set(meter, counter);
    return counter;
  }

  learn(meter: string, total: Amount): void {
    this.#counters.get(meter)?.learn(total);
  }

  /** Whether nothing is under way or waits to be written. */
  get isSettled(): boolean {
    return this.#counters.values().every((counter) => counter.isSettled);
  }
}

/**
 * One meter: what storage is known to have counted, and what this node holds beyond that. What is held was taken by
 * requests that are under way, or is confirmed and waits to be written.
 */
export class QuotaCounter {
  #stored: Amount = 0n;
  #held: Amount = 0n;
  #confirmed: Amount = 0n;

  constructor(
    readonly of: PeriodCounters,
    readonly meter: string,
  ) {}

  get used(): Amount {
    return this.#stored + this.#held;
  }

  get isSettled(): boolean {
    return this.#held === 0n;
  }

  hold(amount: Amount): void {
    this.of.isUsed = true;
    this.#held += amount;
  }

  giveBack(amount: Amount): void {
    this.#held -= amount;
  }

  /** What was held is used, and will be written. */
  confirm(amount: Amount): void {
    if (this.#confirmed === 0n) this.of.unwritten.add(this);
    this.#confirmed += amount;
  }

  /** Everything confirmed, for writing; it stays held until it is written. */
  takeConfirmed(): Amount {
    const amount = this.#confirmed;
    this.#confirmed = 0n;
    return amount;
  }

  written(amount: Amount): void {
    this.#held -= amount;
  }

  /** What was used never falls, so a total that arrives late is recognized by being smaller. */
  learn(total: Amount): void {
    if (total > this.#stored) this.#stored = total;
  }
}
