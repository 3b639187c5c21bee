import type { Amount } from "../../lib/amount.ts";
import type { PeriodCounters, QuotaCounter } from "./quota-counter.ts";
import { billedLimit, type ShortageCode, type Subscriber, type SubscriptionTerms } from "./quota-definition.ts";

/** The amounts of each meter. Callers keep and reuse the object, because derived values are cached by identity. */
export type MeterAmounts = ReadonlyMap<string, Amount>;

/** An amount that is taken from one counter, and the maximum of the counter. Undefined if it may be exceeded. */
export interface HoldPart {
  counter: QuotaCounter;
  max: Amount | undefined;
  amount: Amount;
  /** The reason for a rejection if the maximum is reached. */
  code: ShortageCode;
}

/** Registers a hold with the ledger, so that it can be found by its id and expires if its owner does not end it. */
export interface Lease {
  id: string;
  /** When the hold is released, unless it was settled or released before. */
  expiresOn: number;
}

/** The first meter with too little left. */
export interface Shortage {
  meter: string;
  used: Amount;
  max: Amount;
  amount: Amount;
  code: ShortageCode;
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
 * later calls do nothing. An expired hold can still be settled: usage counts whenever it is reported.
 */
export class Hold {
  #state: "open" | "expired" | "ended" = "open";
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
    readonly lease?: Lease,
    private readonly leases?: Leases,
    private readonly isShared = false,
  ) {
    for (const { counter, amount } of parts) {
      counter.hold(amount);
      if (isShared) counter.share(amount);
    }
  }

  get isOpen(): boolean {
    return this.#state === "open";
  }

  /** Sets the usage so far: it counts if the process that has the hold is killed. It must not be changed afterwards. */
  estimate(used: MeterAmounts): void {
    if (this.#state !== "open") return;
    this.#countEstimate(-1n);
    this.#estimate = used;
    this.#countEstimate(1n);
  }

  /** Returns a hold of the estimated usage, which replaces this one. Undefined without an estimate. */
  reduceToEstimate(): Hold | undefined {
    const estimate = this.#state === "open" ? this.#estimate : undefined;
    const parts = estimate && [...estimate].map(([meter, amount]) => this.#partOf(meter, amount));
    const reduced = parts && new Hold(this.counters, parts, undefined, undefined, this.isShared);
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
    const state = this.#end();
    if (state === "ended") return;
    for (const { counter, amount } of this.parts) {
      const used = actual === undefined ? amount : (actual.get(counter.meter) ?? 0n);
      counter.settle(state === "open" ? amount : 0n, used);
      if (this.isShared && state === "open") counter.share(-amount);
    }
    if (actual === undefined) return;
    for (const [meter, amount] of actual)
      if (!this.parts.some(({ counter }) => counter.meter === meter)) this.counters.counter(meter).settle(0n, amount);
  }

  /** Returns all amounts: nothing was used. */
  release(): void {
    if (this.#end() === "open") this.#release();
  }

  /** Returns all amounts, but the hold can still be settled later. */
  expire(): void {
    if (this.#state !== "open") return;
    this.#state = "expired";
    this.#release();
  }

  #release(): void {
    for (const { counter, amount } of this.parts) {
      counter.release(amount);
      if (this.isShared) counter.share(-amount);
    }
  }

  #end() {
    const state = this.#state;
    if (state !== "ended") this.#countEstimate(-1n);
    this.#state = "ended";
    if (this.lease) this.leases?.remove(this);
    return state;
  }
}

/** The open holds that have a lease. */
export class Leases {
  readonly #holds = new Map<string, Hold>();
  #nextExpiry = Number.POSITIVE_INFINITY;

  find(id: string, now: number): Hold | undefined {
    this.expire(now);
    return this.#holds.get(id);
  }

  add(hold: Hold, { id, expiresOn }: Lease): void {
    this.#holds.set(id, hold);
    this.#nextExpiry = Math.min(this.#nextExpiry, expiresOn);
  }

  remove(hold: Hold): void {
    const id = hold.lease!.id;
    if (this.#holds.get(id) === hold) this.#holds.delete(id);
  }

  /** Checks all of them, but only when one is due. */
  expire(now: number): void {
    if (now < this.#nextExpiry) return;
    this.#nextExpiry = Number.POSITIVE_INFINITY;
    for (const [id, hold] of this.#holds) {
      const { expiresOn } = hold.lease!;
      if (expiresOn > now) this.#nextExpiry = Math.min(this.#nextExpiry, expiresOn);
      else {
        this.#holds.delete(id);
        hold.expire();
      }
    }
  }
}
