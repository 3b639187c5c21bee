import type { Amount } from "../../lib/amount.ts";
import type { LeasedUnits } from "../leases/leased-units.ts";
import type { OpenLeases } from "../leases/open-leases.ts";
import type { HoldPart, MeterAmounts } from "./hold.ts";
import type { PeriodCounters } from "./quota-counter.ts";

/** Amounts of a quota that a worker may take without asking. A unit is the amounts of one request. */
export class LeasedAmounts implements LeasedUnits<MeterAmounts> {
  readonly leases: OpenLeases;

  constructor(
    readonly counters: PeriodCounters,
    private readonly parts: readonly HoldPart[],
    private readonly mayExceed: boolean,
  ) {
    this.leases = counters.openLeases();
  }

  available(): number {
    if (this.counters.stopped) return 0;
    if (this.mayExceed) return Number.POSITIVE_INFINITY;
    let units = Number.POSITIVE_INFINITY;
    for (const { counter, max, amount } of this.parts) {
      if (max === undefined) continue;
      const left = max - counter.used;
      if (left < 0n) return -1;
      if (amount > 0n) units = Math.min(units, Number(left / amount));
    }
    return units;
  }

  hold(units: number): void {
    for (const { counter, amount } of this.parts) counter.hold(amount * BigInt(units));
    this.#lease(units);
  }

  /** What was leased before and is no longer: a negative number. */
  #lease(units: number): void {
    for (const { counter, amount } of this.parts) counter.lease(amount * BigInt(units));
  }

  settle(units: number): void {
    this.#lease(-units);
    for (const { counter, amount } of this.parts) counter.settle(amount * BigInt(units), amount * BigInt(units));
  }

  settleAs(units: number, actual: MeterAmounts): void {
    this.#lease(-units);
    const held = new Map<string, Amount>();
    for (const { counter, amount } of this.parts) held.set(counter.meter, amount * BigInt(units));
    for (const [meter, amount] of held) this.counters.counter(meter).settle(amount, actual.get(meter) ?? 0n);
    for (const [meter, amount] of actual) if (!held.has(meter)) this.counters.counter(meter).settle(0n, amount);
  }

  release(units: number): void {
    this.#lease(-units);
    for (const { counter, amount } of this.parts) counter.release(amount * BigInt(units));
  }
}
