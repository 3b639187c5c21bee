import type { Amount } from "../../lib/amount.ts";
import type { PeriodCounters, QuotaCounter } from "./quota-counter.ts";
import { billedLimit, type Subscriber, type SubscriptionTerms } from "./quota-definition.ts";
import type { Shortage, WantedAmount } from "./shortage.ts";

/** The amounts of each meter. Callers keep and reuse the object, because derived values are cached by identity. */
export type MeterAmounts = ReadonlyMap<string, Amount>;

/** An amount that is taken from one counter. */
export interface HoldPart extends WantedAmount {
  counter: QuotaCounter;
}

/** What is left of a quota does not suffice. */
export interface ExceededQuota {
  reason: "exceeded";
  shortage: Shortage;
  periodEnd: number;
  /** The time of a test bucket. */
  testTime: number | undefined;
  subscriber: Subscriber;
  /** See HoldOptions. */
  usage?: string | undefined;
}

/**
 * Amounts that are taken from a quota until the actual usage is known. A hold ends once, by `settle` or `release`;
 * later calls do nothing.
 */
export class Hold {
  #isOpen = true;
  #estimate: MeterAmounts | undefined;
  /** Why a policy that enforces the quota would not have held it. Only of a hold that observes. */
  exceeded: ExceededQuota | undefined;
  /** What callers see of the quota. Assigned by `holdQuota`. */
  terms!: SubscriptionTerms;
  /** The usage at that time; see HoldOptions. */
  usage: string | undefined;

  constructor(
    private readonly counters: PeriodCounters,
    private readonly parts: readonly HoldPart[],
    private readonly isShared = false,
  ) {
    for (const { counter, amount } of parts) {
      counter.hold(amount);
      if (isShared) counter.share(amount);
    }
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Sets the usage so far: it counts if the process that has the hold is killed. It must not be changed afterwards. */
  estimate(used: MeterAmounts): void {
    if (!this.#isOpen) return;
    this.#countEstimate(-1n);
    this.#estimate = used;
    this.#countEstimate(1n);
  }

  /** Returns a hold of the estimated usage, which replaces this one. Undefined without an estimate. */
  reduceToEstimate(): Hold | undefined {
    const estimate = this.#isOpen ? this.#estimate : undefined;
    const parts = estimate && [...estimate].map(([meter, amount]) => this.#partOf(meter, amount));
    const reduced = parts && new Hold(this.counters, parts, this.isShared);
    reduced?.estimate(estimate!);
    this.release();
    return reduced;
  }

  #partOf(meter: string, amount: Amount): HoldPart {
    return { counter: this.counters.counter(meter), ...billedLimit, amount };
  }

  #countEstimate(sign: 1n | -1n): void {
    if (!this.#estimate) return;
    for (const [meter, amount] of this.#estimate) this.counters.counter(meter).estimate(sign * amount);
  }

  /**
   * Counts the usage: the held amounts, or other ones, which may be larger and of other meters. Counts in the period in
   * which the hold was made.
   */
  settle(actual?: MeterAmounts): void {
    if (!this.#end()) return;
    for (const { counter, amount } of this.parts) {
      const used = actual === undefined ? amount : (actual.get(counter.meter) ?? 0n);
      counter.settle(amount, used);
      if (this.isShared) counter.share(-amount);
    }
    if (actual === undefined) return;
    for (const [meter, amount] of actual)
      if (!this.parts.some(({ counter }) => counter.meter === meter)) this.counters.counter(meter).settle(0n, amount);
  }

  /** Returns all amounts: nothing was used. */
  release(): void {
    if (!this.#end()) return;
    for (const { counter, amount } of this.parts) {
      counter.release(amount);
      if (this.isShared) counter.share(-amount);
    }
  }

  /** Returns false if it has ended before. */
  #end(): boolean {
    if (!this.#isOpen) return false;
    this.#countEstimate(-1n);
    this.#isOpen = false;
    return true;
  }
}
