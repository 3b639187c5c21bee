import type { Amount } from "../../../lib/amount.ts";
import type { PeriodCounters, QuotaCounter } from "./quota-counter.ts";

/** How much of each meter is taken. Callers keep one and pass it again: what is derived from it is cached by identity. */
export type MeterAmounts = ReadonlyMap<string, Amount>;

/** How much is taken from one counter, and how much of it may be used. */
export interface HoldPart {
  counter: QuotaCounter;
  max: Amount;
  amount: Amount;
}

/** Makes a hold known to the ledger, so that it can be found again and does not outlive the one who made it. */
export interface Lease {
  id: string;
  /** When the hold is released unless it was settled or released before. */
  expiresOn: number;
}

/** The first meter of which too little is left. */
export interface Shortage {
  meter: string;
  used: Amount;
  max: Amount;
  amount: Amount;
}

/**
 * Amounts that are taken from a quota until it is known what was used of them. Ends once, by `settle` or `release`; what is
 * called after that does nothing. A hold that expired can still be settled: what was used counts, whenever that is reported.
 */
export class Hold {
  #state: "open" | "expired" | "ended" = "open";

  constructor(
    private readonly counters: PeriodCounters,
    private readonly parts: readonly HoldPart[],
    readonly lease?: Lease,
    private readonly leases?: Leases,
  ) {
    for (const { counter, amount } of parts) counter.hold(amount);
  }

  get isOpen(): boolean {
    return this.#state === "open";
  }

  /**
   * Counts what was used: the amounts held, or other ones. They may be more than was held and of other meters. Counts in the
   * period in which the hold was made.
   */
  settle(actual?: MeterAmounts): void {
    const state = this.#end();
    if (state === "ended") return;
    for (const { counter, amount } of this.parts) {
      const used = actual === undefined ? amount : (actual.get(counter.meter) ?? 0n);
      counter.settle(state === "open" ? amount : 0n, used);
    }
    if (actual === undefined) return;
    for (const [meter, amount] of actual)
      if (!this.parts.some(({ counter }) => counter.meter === meter)) this.counters.counter(meter).settle(0n, amount);
  }

  /** Returns everything: nothing was used. */
  release(): void {
    if (this.#end() === "open") this.#release();
  }

  /** Returns everything, but lets the hold be settled later. */
  expire(): void {
    if (this.#state !== "open") return;
    this.#state = "expired";
    this.#release();
  }

  #release(): void {
    for (const { counter, amount } of this.parts) counter.release(amount);
  }

  #end() {
    const state = this.#state;
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

  /** Looks at all of them, but only when one is due. */
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
