import type { Amount } from "../../lib/amount.ts";
import type { Period } from "../../lib/time/calendar.ts";
import type { LeasedUnits } from "../leases/leased-units.ts";
import type { OpenLeases } from "../leases/open-leases.ts";
import { Hold, type HoldPart, type MeterAmounts } from "./hold.ts";
import type { PeriodCounters } from "./quota-counter.ts";
import type { QuotaDefinition, QuotaLimit, QuotaOwner, SpendBudget } from "./quota-definition.ts";
import { type Shortage, shortageOf } from "./shortage.ts";

/** The subscription and period in which amounts are held. */
export interface HeldIn {
  subscriptionSeq: number;
  periodStart: number;
  periodEnd: number;
  /** The time of a test bucket. Undefined in other buckets. */
  testTime?: number | undefined;
}

export interface HoldOptions {
  /** Holds the amounts even if they exceed the quota. */
  mayExceed?: boolean;
  /** Holds the amounts even if they exceed the quota, with the rejection; see Hold. Only for `holdQuota`. */
  observes?: boolean;
  /** Publishes the hold to other nodes. For holds that stay open for longer than a flush interval. */
  isShared?: boolean;
  /** The usage that counts if this process is killed; see Hold. */
  estimate?: MeterAmounts;
  /** Returns the usage with the decision. The process that has the counters must be asked, also if there is a lease. */
  reportsUsage?: boolean;
}

const noOptions: HoldOptions = {};

/** What the memory grows by; a test measures it. */
const customerBytes = 1750;
const meterBytes = 215;

/** A total that is as old is read again before a large amount is held: two flush intervals, in which other nodes write theirs. */
const oldMilliseconds = 400;
/** The maximum age of the usage in a response. */
const reportedMilliseconds = 1000;
/** An amount is large if this many of it would exceed the quota. */
const largePart = 10n;

const noLimits: ReadonlyMap<string, QuotaLimit> = new Map();

/** A customer's counters in one period, and their limits. */
export class CustomerQuota {
  /** The parts of the last amounts: most customers use one route's. */
  #last: { amounts: MeterAmounts; parts: readonly HoldPart[] } | undefined;
  readonly #valid: Period;
  readonly #limits: ReadonlyMap<string, QuotaLimit>;
  readonly #budget: SpendBudget | undefined;

  constructor(
    readonly definition: QuotaDefinition,
    /** The counters of the quota. Undefined without a subscription. */
    private readonly counters: PeriodCounters | undefined,
  ) {
    this.#valid = definition.valid;
    this.#limits = definition.subscribed?.limits ?? noLimits;
    this.#budget = definition.subscribed?.budget;
  }

  /** Quotas of one group are evicted together. */
  get groupKey(): string {
    return this.definition.groupKey;
  }

  /** The subscription. Undefined if there is none. */
  get owner(): QuotaOwner | undefined {
    return this.definition.subscribed?.owner;
  }

  /** The counters' subscription and period. Undefined without a subscription. */
  get heldIn(): HeldIn | undefined {
    if (!this.counters) return undefined;
    const { subscriptionSeq, periodStart, periodEnd, testTime } = this.counters;
    return { subscriptionSeq, periodStart, periodEnd, testTime };
  }

  /** The usage, including what is held; see QuotaOwner. Empty without a subscription. */
  get usageText(): string {
    const { counters } = this;
    return counters ? this.owner!.usageText((meter) => counters.counter(meter).used) : "";
  }

  isValidAt(now: number): boolean {
    return now >= this.#valid.start && now < this.#valid.end;
  }

  get meterCount(): number {
    return this.#limits.size;
  }

  /** The estimated size, without what subscriptions of a plan share. */
  get bytes(): number {
    return customerBytes + this.meterCount * meterBytes;
  }

  /** A meter among the amounts that no plan of the subscription has. */
  unknownMeter(amounts: MeterAmounts): string | undefined {
    for (const meter of amounts.keys()) if (!this.#limits.has(meter)) return meter;
    return undefined;
  }

  /**
   * Whether the totals must be read before `hold`, because other nodes may have changed them: if the amounts are large
   * compared to what is left, or the usage is reported.
   */
  isOutdated(amounts: MeterAmounts, now: number, { reportsUsage, mayExceed }: HoldOptions): boolean {
    const { counters } = this;
    const age = counters?.hasOtherNodes ? now - counters.readOn : 0;
    if (age <= oldMilliseconds) return false;
    if (reportsUsage && age > reportedMilliseconds) return true;
    const parts = mayExceed ? undefined : this.#partsOf(amounts);
    return parts !== undefined && this.#shortageOf(parts, largePart) !== undefined;
  }

  /** Reads the totals unless that is being done. */
  read(readTotals: () => Promise<unknown>): Promise<unknown> {
    const counters = this.counters!;
    counters.reading ??= readTotals().finally(() => {
      counters.reading = undefined;
    });
    return counters.reading;
  }

  /** Called with the time at which reading the totals began. */
  totalsRead(on: number): void {
    this.counters!.readOn = on;
  }

  /**
   * Holds all of the amounts, or none. It is synchronous from the comparison to the hold, which makes it exact with any
   * number of concurrent requests. Returns undefined if no plan of the subscription has one of the meters; see
   * `unknownMeter`.
   */
  hold(amounts: MeterAmounts, options: HoldOptions = noOptions): Hold | Shortage | undefined {
    const { mayExceed, isShared, estimate } = options;
    const parts = this.#partsOf(amounts);
    if (!parts) return undefined;
    const shortage = mayExceed ? undefined : this.#shortageOf(parts);
    if (shortage) return shortage;
    const hold = new Hold(this.counters!, parts, isShared);
    if (estimate) hold.estimate(estimate);
    return hold;
  }

  /** Resolves when decisions may continue; see StoppedSubscriptions. Undefined if they may. */
  get stopped(): Promise<void> | undefined {
    return this.counters?.stopped;
  }

  get validUntil(): number {
    return this.#valid.end;
  }

  /**
   * Returns what a worker may take without asking. Undefined if there is no subscription with these meters, or its time
   * stands still: a worker has the time of the server.
   */
  lease(amounts: MeterAmounts, { mayExceed = false }: HoldOptions): LeasedAmounts | undefined {
    const parts = Number.isFinite(this.#valid.end) ? this.#partsOf(amounts) : undefined;
    // The primary knows the cost of all meters; with a cap or prepaid money it is asked for each request.
    if (this.#budget && parts?.some(({ counter }) => this.#budget!.meters.has(counter.meter))) return undefined;
    return parts && new LeasedAmounts(this.counters!, parts, mayExceed);
  }

  /** Makes workers return what they have not used, before a request is rejected. Undefined if they have nothing. */
  recall(): Promise<void> | undefined {
    return this.counters?.recall();
  }

  /** @param times holds that many times the amounts */
  #shortageOf(parts: readonly HoldPart[], times = 1n): Shortage | undefined {
    return shortageOf(parts, this.#budget, (meter) => this.counters!.counter(meter).used, times);
  }

  #partsOf(amounts: MeterAmounts): readonly HoldPart[] | undefined {
    if (this.#last?.amounts === amounts) return this.#last.parts;
    if (!this.counters || this.unknownMeter(amounts) !== undefined) return undefined;
    const { counters } = this;
    const parts = [...amounts].map(([meter, amount]) => ({
      counter: counters.counter(meter),
      ...this.#limits.get(meter)!,
      amount,
    }));
    this.#last = { amounts, parts };
    return parts;
  }
}

/** Amounts of a quota that a worker may take without asking. A unit is the amounts of one request. */
class LeasedAmounts implements LeasedUnits<MeterAmounts> {
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
