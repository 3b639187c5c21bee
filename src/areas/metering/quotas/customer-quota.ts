import type { Amount } from "../../../lib/amount.ts";
import type { Period } from "../../../lib/time/calendar.ts";
import type { Subscription } from "../../subscriptions/subscriptions.ts";
import type { ShortageCode, SpendBudget } from "../spending-limits.ts";
import { Hold, type HoldPart, type Lease, type Leases, type MeterAmounts, type Shortage } from "./hold.ts";
import { LeasedAmounts } from "./leased-amounts.ts";
import type { PeriodCounters } from "./quota-counter.ts";

export interface HoldOptions {
  lease?: Lease;
  /** Holds the amounts even if they exceed the quota. */
  mayExceed?: boolean;
  /** Publishes the hold to other nodes. For holds that stay open for longer than a flush interval. */
  isShared?: boolean;
}

const noOptions: HoldOptions = {};

/** The maximum of a meter, with credits. Undefined if it may be exceeded, because more is billed. */
export interface QuotaLimit {
  max: Amount | undefined;
  code: ShortageCode;
}

/** Estimated sizes, without texts. */
const customerBytes = 2500;
const meterBytes = 400;

/** A customer's subscription in one of its periods. */
export class CustomerQuota {
  readonly #parts = new WeakMap<MeterAmounts, readonly HoldPart[]>();

  constructor(
    /** Quotas of one metering bucket are evicted together when a plan changes. */
    readonly bucketKey: string,
    /** The newest valid subscription. Undefined if there is none. */
    readonly subscription: Subscription | undefined,
    /** When the quota is valid: within the period, until the subscription's status changes by time. */
    private readonly valid: Period,
    readonly period: Period,
    /** The limit of each meter. */
    private readonly allowed: ReadonlyMap<string, QuotaLimit>,
    /** The counters of the quota. Undefined without a subscription. */
    private readonly counters: PeriodCounters | undefined,
    private readonly leases: Leases,
    /** What a cap allows. Undefined without a cap. */
    private readonly budget?: SpendBudget,
    /** Without a subscription: whether overdue invoices are the reason. */
    readonly needsPayment = false,
  ) {}

  isValidAt(now: number): boolean {
    return now >= this.valid.start && now < this.valid.end;
  }

  get meterCount(): number {
    return this.allowed.size;
  }

  /** The estimated size: the meters of 20 plans can be 15 MB of JSON. */
  get bytes(): number {
    const texts = this.subscription?.plans.reduce((sum, { meters }) => sum + 2 * meters.length, 0) ?? 0;
    return customerBytes + this.meterCount * meterBytes + texts;
  }

  /** A meter among the amounts that no plan of the subscription has. */
  unknownMeter(amounts: MeterAmounts): string | undefined {
    for (const meter of amounts.keys()) if (!this.allowed.has(meter)) return meter;
    return undefined;
  }

  /**
   * Holds all of the amounts, or none. It is synchronous from the comparison to the hold, which makes it exact with any
   * number of concurrent requests. Returns undefined if no plan of the subscription has one of the meters; see
   * `unknownMeter`. If a hold with the lease's id is open, returns it, whatever the amounts.
   */
  hold(amounts: MeterAmounts, now: number, options: HoldOptions = noOptions): Hold | Shortage | undefined {
    const { lease, mayExceed, isShared } = options;
    const parts = this.#partsOf(amounts);
    if (!parts) return undefined;
    const open = lease && this.leases.find(lease.id, now);
    if (open) return open;
    if (!mayExceed && this.#shortageOf(parts)) {
      this.leases.expire(now);
      const shortage = this.#shortageOf(parts);
      if (shortage) return shortage;
    }
    const hold = new Hold(this.counters!, parts, lease, this.leases, isShared);
    if (lease) this.leases.add(hold, lease);
    return hold;
  }

  /** The time of a test bucket. Undefined in other buckets. */
  get testTime(): number | undefined {
    return this.counters?.testTime;
  }

  get validUntil(): number {
    return this.valid.end;
  }

  /**
   * Returns what a worker may take without asking. Undefined if there is no subscription with these meters, or its time
   * stands still: a worker has the time of the server.
   */
  lease(amounts: MeterAmounts, { mayExceed = false }: HoldOptions): LeasedAmounts | undefined {
    const parts = Number.isFinite(this.valid.end) ? this.#partsOf(amounts) : undefined;
    // The primary knows the cost of all meters; with a cap it is asked for each request.
    if (this.budget && parts?.some(({ counter }) => this.budget!.meters.has(counter.meter))) return undefined;
    return parts && new LeasedAmounts(this.counters!, parts, mayExceed);
  }

  /** Makes workers return what they have not used, before a request is rejected. Undefined if they have nothing. */
  recall(): Promise<void> | undefined {
    return this.counters?.recall();
  }

  #shortageOf(parts: readonly HoldPart[]): Shortage | undefined {
    return shortageOf(parts) ?? (this.budget && overBudget(parts, this.counters!, this.budget));
  }

  #partsOf(amounts: MeterAmounts): readonly HoldPart[] | undefined {
    const known = this.#parts.get(amounts);
    if (known || !this.counters || this.unknownMeter(amounts) !== undefined) return known;
    const { counters, allowed } = this;
    const parts = [...amounts].map(([meter, amount]) => ({
      counter: counters.counter(meter),
      ...allowed.get(meter)!,
      amount,
    }));
    this.#parts.set(amounts, parts);
    return parts;
  }
}

function shortageOf(parts: readonly HoldPart[]): Shortage | undefined {
  for (const { counter, max, amount, code } of parts) {
    const { used } = counter;
    if (max !== undefined && used + amount > max) return { meter: counter.meter, used, max, amount, code };
  }
  return undefined;
}

/** Usage within the allowance costs nothing, so it stays possible when a cap is reached. */
function overBudget(parts: readonly HoldPart[], counters: PeriodCounters, budget: SpendBudget): Shortage | undefined {
  const priced = parts.find(({ counter, amount }) => amount > 0n && budget.meters.has(counter.meter));
  if (!priced) return undefined;
  const amountOf = (meter: string) => parts.find(({ counter }) => counter.meter === meter)?.amount ?? 0n;
  const usedOf = (meter: string) => counters.counter(meter).used;
  if (budget.allows(usedOf, (meter) => usedOf(meter) + amountOf(meter))) return undefined;
  const { counter, amount } = priced;
  const { meter, used } = counter;
  return { meter, used, max: used, amount, code: budget.code };
}
