import type { Amount } from "../../../lib/amount.ts";
import type { Period } from "../../../lib/time/calendar.ts";
import type { Subscription } from "../subscriptions/subscriptions.ts";
import type { QuotaCounter } from "./quota-counter.ts";

/** How much of each meter a request takes. Callers keep one and pass it again: what is derived from it is cached by identity. */
export type MeterAmounts = ReadonlyMap<string, Amount>;

/** What a customer's subscription allows of a meter, and the counter of what was used. */
export interface MeterLimit {
  counter: QuotaCounter;
  max: Amount;
}

interface Part extends MeterLimit {
  amount: Amount;
}

/**
 * What each request takes from the counters of a customer: held when the request comes, then confirmed or given back.
 * Between `lacking` and `hold` nothing may be awaited: that makes it exact however many requests are under way.
 */
export class Charge {
  constructor(private readonly parts: readonly Part[]) {}

  /** The first meter of which too little is left, if any. */
  lacking(): Part | undefined {
    for (const part of this.parts) if (part.counter.used + part.amount > part.max) return part;
    return undefined;
  }

  hold(): void {
    for (const { counter, amount } of this.parts) counter.hold(amount);
  }

  confirm(): void {
    for (const { counter, amount } of this.parts) counter.confirm(amount);
  }

  giveBack(): void {
    for (const { counter, amount } of this.parts) counter.giveBack(amount);
  }
}

/** A customer's subscription in one of its periods. */
export class CustomerQuota {
  readonly #charges = new WeakMap<MeterAmounts, Charge>();

  constructor(
    /** Quotas of one metering bucket are forgotten together when a plan changes. */
    readonly bucketKey: string,
    /** The newest that is good; undefined if there is none. */
    readonly subscription: Subscription | undefined,
    readonly period: Period,
    /** From the period's start to its end, or to the moment at which the subscription's status turns bad by itself. */
    private readonly validUntil: number,
    private readonly limits: ReadonlyMap<string, MeterLimit>,
  ) {}

  isValidAt(now: number): boolean {
    return now >= this.period.start && now < this.validUntil;
  }

  get meterCount(): number {
    return this.limits.size;
  }

  /** A meter among the amounts that no plan of the subscription has. */
  unknownMeter(amounts: MeterAmounts): string | undefined {
    for (const meter of amounts.keys()) if (!this.limits.has(meter)) return meter;
    return undefined;
  }

  /** Undefined if one of the meters is unknown. */
  charge(amounts: MeterAmounts): Charge | undefined {
    const known = this.#charges.get(amounts);
    if (known || this.unknownMeter(amounts) !== undefined) return known;
    const charge = new Charge([...amounts].map(([meter, amount]) => ({ ...this.limits.get(meter)!, amount })));
    this.#charges.set(amounts, charge);
    return charge;
  }
}
