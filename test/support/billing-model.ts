import { boundaryAt } from "../../src/lib/time/calendar.ts";

/** A plan of the model, with exact integers: the fee in cents, the price of a unit in thousandths of a cent. */
export interface ModelPlan {
  fee: number;
  max: number;
  unitMillicents: number | undefined;
  /** Usage beyond the maximum is covered by money, or written off. */
  isPrepaid?: boolean | undefined;
  /** With volume tiers: the price of all units, if there are more than these. */
  volume?: { above: number; unitMillicents: number } | undefined;
  /** Another meter, at the same price, which the model does not count. */
  calls?: { max: number; isPrepaid: boolean } | undefined;
  /** The most that is carried over of unused units, and for how many periods. */
  rollover?: { maximum: number; periods: number } | undefined;
}

/** A period at whose end the subscription was renewed, under a plan with a rollover. */
export interface Renewal {
  plan: number;
  start: number;
  end: number;
  expiresOn: number;
  /** What the period leaves unused of the maximum, as far as it is carried over. */
  unused: number;
  /** Whether the last fee until its end was zero, if only because a part of a small fee is rounded to it. */
  isFree: boolean;
}

interface State {
  at: number;
  /** The events that had arrived before. */
  arrived: number;
  /** Undefined while the subscription is not active. */
  plan: number | undefined;
  isTrial: boolean;
}

/**
 * What a subscription must have been billed in total, calculated from everything that happened: the plans at each time
 * and the events. It shares no code with billing except the boundaries of periods, which have tests of their own.
 */
export class BillingModel {
  readonly #states: State[] = [];
  readonly #events: { time: number; amount: number }[] = [];
  /** Fees and credits as they were due, in cents. */
  fees = 0n;
  #paid: { plan: number; until: number } | undefined;
  /** What was charged last until the end of a period. */
  readonly #charged = new Map<number, bigint>();
  /** The numbers of the periods that were renewed, and their last plans. */
  readonly #renewed: { period: number; plan: number }[] = [];
  #nextPeriod = 1;
  #cap: bigint | undefined;
  /** The caps of periods at their end, and what was beyond a cap and owed when a cap changed in them. */
  readonly #capAtEnd = new Map<number, bigint | undefined>();
  readonly #fixed = new Map<number, { excess: bigint; owed: bigint }>();

  constructor(
    private readonly plans: ModelPlan[],
    private readonly anchor: number,
    plan: number,
    private readonly trialEnd = anchor,
  ) {
    this.#begin(plan, anchor, trialEnd > anchor);
  }

  get plan(): number | undefined {
    return this.#states.at(-1)!.plan;
  }

  get isTrial(): boolean {
    return this.#states.at(-1)!.isTrial;
  }

  /** What is carried over, by the usage so far. */
  renewals(): Renewal[] {
    return this.#renewed.flatMap(({ period, plan }) => {
      const { max, rollover } = this.plans[plan]!;
      if (!rollover) return [];
      const [start, end] = [this.#boundary(period), this.#boundary(period + 1)];
      const unused = Math.min(rollover.maximum, Math.max(max - this.#used(start, end), 0));
      const isFree = this.#charged.get(end) === 0n;
      return { plan, start, end, expiresOn: this.#boundary(period + 1 + rollover.periods), unused, isFree };
    });
  }

  /** Returns the number of the event. */
  event(time: number, amount: number): number {
    return this.#events.push({ time, amount }) - 1;
  }

  /** Takes an event back. */
  takeBack(event: number): void {
    this.#events[event]!.amount = 0;
  }

  /** Charges the periods that have begun. At each boundary, `scheduled` may return the plan from then on. */
  advance(now: number, scheduled: (boundary: number) => number | "none" | undefined): void {
    for (; this.#boundary(this.#nextPeriod) <= now; this.#nextPeriod += 1) {
      const at = this.#boundary(this.#nextPeriod);
      this.#endTrial(at - 1);
      const { plan, isTrial } = this;
      const next = scheduled(at);
      if (next !== "none" && plan !== undefined && !isTrial) this.#renewed.push({ period: this.#nextPeriod - 1, plan });
      if (next === "none") this.stop(at);
      else if (this.plan !== undefined) this.#begin(next ?? this.plan, at, this.isTrial && this.trialEnd > at);
    }
    this.#endTrial(now);
  }

  #endTrial(now: number): void {
    if (this.isTrial && this.trialEnd <= now) this.#begin(this.plan!, this.trialEnd, false);
  }

  change(plan: number, now: number): void {
    if (this.plan === plan) return;
    this.#credit(now);
    this.#begin(plan, now, this.isTrial);
  }

  /** Ends it now. Only a refund credits the fee. */
  stop(now: number, { refund = false } = {}): void {
    if (this.plan === undefined) return;
    if (refund) this.#credit(now);
    this.#states.push({ at: now, arrived: this.#events.length, plan: undefined, isTrial: false });
  }

  /** Without a trial. */
  restart(plan: number, now: number): void {
    this.#begin(plan, now, false);
  }

  #begin(plan: number, at: number, isTrial: boolean): void {
    this.#states.push({ at, arrived: this.#events.length, plan, isTrial });
    if (!isTrial) this.#charge(plan, at);
  }

  /** Credits the fee of the current plan: fee × (1 − the larger of the elapsed and the used share). */
  #credit(now: number): void {
    if (this.isTrial) return;
    const { start, end } = this.#periodAt(now);
    const { fee, max } = this.plans[this.plan!]!;
    const used = this.#used(start, end);
    // As fractions of a common denominator.
    const length = BigInt(end - start);
    const elapsed = BigInt(now - start);
    const share = BigInt(Math.min(used, max));
    const isElapsedLarger = max === 0 || elapsed * BigInt(max) >= share * length;
    this.fees -= isElapsedLarger
      ? rounded(BigInt(fee) * (length - elapsed), length)
      : rounded(BigInt(fee) * (BigInt(max) - share), BigInt(max));
    this.#paid = undefined;
  }

  /** The rounded price of the overage of each segment, added up, in cents. */
  overage(): bigint {
    let sum = 0n;
    for (let period = 0; period < this.#nextPeriod; period += 1) sum += this.#overageIn(period);
    return sum;
  }

  /** From now on, the overage of a period may cost at most this many cents. */
  setCap(cap: bigint | undefined, now: number): void {
    let current = 0;
    while (this.#boundary(current + 1) <= now) current += 1;
    for (let period = 0; period < current; period += 1)
      if (!this.#capAtEnd.has(period)) this.#capAtEnd.set(period, this.#cap);
    const cost = this.#overageIn(current);
    const excess = this.#excessOf(current, cost, this.#cap);
    this.#fixed.set(current, { excess, owed: cost - excess });
    this.#cap = cap;
  }

  /** What caps remove from the overage of all periods, in cents. */
  writtenOff(): bigint {
    let sum = 0n;
    for (let period = 0; period < this.#nextPeriod; period += 1) {
      const cap = this.#capAtEnd.has(period) ? this.#capAtEnd.get(period) : this.#cap;
      sum += this.#excessOf(period, this.#overageIn(period), cap);
    }
    return sum;
  }

  #excessOf(period: number, cost: bigint, cap: bigint | undefined): bigint {
    const fixed = this.#fixed.get(period) ?? { excess: 0n, owed: 0n };
    const { owed } = fixed;
    // Usage may turn out to cost less: what is owed stays until the excess is gone.
    const above = cost > owed ? cost - owed : 0n;
    const excess = fixed.excess > above ? above : fixed.excess;
    if (cap === undefined) return excess;
    const allowed = owed > cap ? owed : cap;
    return cost - excess > allowed ? cost - allowed : excess;
  }

  #overageIn(period: number): bigint {
    let sum = 0n;
    for (const { units, unitMillicents } of this.#segmentsIn(period))
      sum += rounded(BigInt(units) * BigInt(unitMillicents), 1000n);
    return sum;
  }

  /** The units beyond the allowance in all segments with a rate. */
  overageUnits(): number {
    let sum = 0;
    for (let period = 0; period < this.#nextPeriod; period += 1)
      for (const { units } of this.#segmentsIn(period)) sum += units;
    return sum;
  }

  /** The price of a unit is that of the tier that the segment reached. */
  #segmentsIn(period: number): { units: number; unitMillicents: number }[] {
    const start = this.#boundary(period);
    const end = this.#boundary(period + 1);
    const inside = this.#states.filter(({ at }) => at >= start && at < end);
    const segments = inside[0]?.at === start ? inside : [this.#states.findLast(({ at }) => at < start)!, ...inside];
    return segments.flatMap((state, index) => {
      const { plan, isTrial } = state;
      const { max, unitMillicents, volume } =
        plan === undefined || isTrial ? ({ max: 0 } as ModelPlan) : this.plans[plan]!;
      if (unitMillicents === undefined) return [];
      const before = index === 0 ? 0 : this.#used(start, end, state);
      const used = this.#used(start, end, segments[index + 1]);
      const units = Math.max(0, used - Math.max(max, before));
      return [{ units, unitMillicents: volume && units > volume.above ? volume.unitMillicents : unitMillicents }];
    });
  }

  #charge(plan: number, at: number): void {
    if (this.#paid && this.#paid.plan === plan && this.#paid.until > at) return;
    const { start, end } = this.#periodAt(at);
    const amount = rounded(BigInt(this.plans[plan]!.fee) * BigInt(end - at), BigInt(end - start));
    this.fees += amount;
    this.#charged.set(end, amount);
    this.#paid = { plan, until: end };
  }

  /** The usage of a period before a state. Events are ordered by their time, then by their arrival. */
  #used(start: number, end: number, { at, arrived }: Pick<State, "at" | "arrived"> = always): number {
    const isBefore = (time: number, index: number) => time < at || (time === at && index < arrived);
    const counted = this.#events.filter(({ time }, index) => time >= start && time < end && isBefore(time, index));
    return counted.reduce((sum, { amount }) => sum + amount, 0);
  }

  #boundary(n: number): number {
    return boundaryAt(this.anchor, "monthly", n);
  }

  #periodAt(at: number): { start: number; end: number } {
    let n = 0;
    while (this.#boundary(n + 1) <= at) n += 1;
    return { start: this.#boundary(n), end: this.#boundary(n + 1) };
  }
}

const always = { at: Number.POSITIVE_INFINITY, arrived: 0 };

function rounded(numerator: bigint, denominator: bigint): bigint {
  return (numerator * 2n + denominator) / (denominator * 2n);
}
