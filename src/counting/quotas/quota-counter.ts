import type { Amount } from "../../lib/amount.ts";
import { systemTimers, type Timers } from "../../lib/time/timers.ts";
import type { TransactionOutcome } from "../../platform/storage/storage.ts";
import { OpenLeases } from "../leases/open-leases.ts";

/** The counters of one subscription in one period on this node. */
export class PeriodCounters {
  readonly #counters = new Map<string, QuotaCounter>();
  /** Whether they were used since the ledger last looked for idle ones. */
  isUsed = true;
  /** The keys of cached quotas that refer to them: several if routes address the bucket by id and by name. */
  readonly cacheKeys: string[] = [];
  /** The number of transactions that may take from them. */
  transactions = 0;
  #testTime: number | undefined;
  /** The amounts that other nodes hold, by meter. Undefined if they hold nothing. */
  heldElsewhere: ReadonlyMap<string, Amount> | undefined;
  /** What workers may take without asking. It is held. */
  #leases: OpenLeases | undefined;
  /** When the totals were last read. Always, if no other node changes them. */
  readOn = Number.NEGATIVE_INFINITY;
  /** Resolves when the totals that are being read are known. */
  reading: Promise<unknown> | undefined;
  /** Resolves when decisions may continue: a transaction computes money from the usage. Undefined if none does. */
  stopped: Promise<void> | undefined;

  constructor(
    readonly subscriptionSeq: number,
    readonly periodStart: number,
    readonly periodEnd: number,
    /** Counters with unwritten usage, of all periods. */
    readonly unwritten: Set<QuotaCounter>,
    /** Counters whose holds are published, of all periods. */
    readonly published: Set<QuotaCounter>,
    /** Whether other nodes use the storage. */
    readonly hasOtherNodes: boolean,
    private readonly timers: Timers = systemTimers,
  ) {}

  /** Returns the counter of a meter: always the same object. */
  counter(meter: string): QuotaCounter {
    const counter = this.#counters.get(meter) ?? new QuotaCounter(this, meter);
    this.#counters.set(meter, counter);
    return counter;
  }

  update(meter: string, total: Amount, version: number): void {
    this.#counters.get(meter)?.update(total, version);
  }

  /** Whether a total of the meter that is read now may include a batch that is still held here. */
  isWriting(meter: string): boolean {
    return this.#counters.get(meter)?.isWriting ?? false;
  }

  startOver(): void {
    this.readOn = Number.NEGATIVE_INFINITY;
    for (const counter of this.#counters.values()) counter.startOver();
  }

  /** The time of a test bucket, at which usage is written. Undefined in other buckets, and while it is not known. */
  get testTime(): number | undefined {
    return this.#testTime;
  }

  set testTime(time: number | undefined) {
    const before = this.#testTime;
    this.#testTime = time;
    if (before === undefined || before === time) return;
    for (const counter of this.#counters.values()) counter.keepTime(before);
  }

  openLeases(): OpenLeases {
    this.#leases ??= new OpenLeases(this.timers);
    return this.#leases;
  }

  get isLeased(): boolean {
    return this.#leases !== undefined && this.#leases.size > 0;
  }

  /** Makes workers return what they have not used; see OpenLeases. Must precede a rejection. */
  recall(): Promise<void> | undefined {
    return this.#leases?.recall();
  }

  /**
   * What is held in addition to the totals in storage, by meter, also by other nodes. Without what workers may take: no request
   * holds that.
   */
  get held(): Map<string, Amount> {
    return new Map(
      this.#counters.values().map((counter) => [counter.meter, counter.used - counter.stored - counter.leased]),
    );
  }

  /** Whether storage has all usage of requests that have ended. */
  get isWritten(): boolean {
    return this.#counters.values().every((counter) => counter.isWritten);
  }

  /** Whether requests in progress, which end soon, or workers hold something. */
  get isInUse(): boolean {
    return this.#counters.values().some((counter) => counter.isInUse);
  }

  /** Whether nothing is held, in a transaction or waiting to be written. */
  get isSettled(): boolean {
    return this.transactions === 0 && this.#counters.values().every((counter) => counter.isSettled);
  }
}

/** The part of a counter in a batch: its usage, and the amounts of transactions with an unknown outcome. */
export interface Taken {
  used: Amount;
  unknown: Amount;
  /** The part of the usage at earlier times of a test bucket. */
  earlier: readonly TimedUsage[];
}

interface TimedUsage {
  time: number;
  amount: Amount;
}

const none: readonly TimedUsage[] = [];

/** A lease is renewed early enough to survive some failed flushes. */
export const renewalMilliseconds = 3_000;

/** What storage has of the open holds of a counter. */
export interface Published {
  held: Amount;
  /** Counts if this node is killed. */
  estimate: Amount;
}

const nothing: Published = { held: 0n, estimate: 0n };

function isNothing({ held, estimate }: Published): boolean {
  return held === 0n && estimate === 0n;
}

/** The amounts of a counter that most counters never have: without them it takes half the memory. */
class OtherAmounts {
  /** The part of what is held that workers may take without asking. */
  leased: Amount = 0n;
  /** The part of the settled usage at earlier times of a test bucket. */
  earlier = none;
  /** Amounts taken by transactions that have not ended, or whose outcome is unknown. */
  inTransactions: Amount = 0n;
  unknown: Amount = 0n;
  /** The part of the open holds that other nodes must know: those that stay open for long. And what storage has of it. */
  shared: Amount = 0n;
  /** The estimated usage of the open holds, which counts if this node is killed. */
  estimated: Amount = 0n;
  published = nothing;
  renewOn = 0;
  /** What storage has counted beyond the usage, which is not counted again; see writeUsage. */
  overcounted: Amount = 0n;
}

const noOthers: Readonly<OtherAmounts> = new OtherAmounts();

/**
 * One meter: the total in storage, and the amounts that this node and other nodes hold in addition. `used` and `usedIn`
 * are the only sums that decide whether something is left.
 */
export class QuotaCounter {
  #stored: Amount = 0n;
  /** The version of `#stored`. */
  #version = 0;
  /** All amounts beyond `#stored`: open holds, and the parts below. */
  #held: Amount = 0n;
  /** Usage that waits to be written. */
  #settled: Amount = 0n;
  /** Amounts in the batch that is being written. */
  #writing: Amount = 0n;
  #other: Readonly<OtherAmounts> = noOthers;

  constructor(
    readonly period: PeriodCounters,
    readonly meter: string,
  ) {}

  get used(): Amount {
    const elsewhere = this.period.heldElsewhere;
    return this.#stored + this.#held + (elsewhere ? (elsewhere.get(this.meter) ?? 0n) : 0n);
  }

  get stored(): Amount {
    return this.#stored;
  }

  get isSettled(): boolean {
    return this.#held === 0n && isNothing(this.#other.published);
  }

  /** To be changed. */
  get #others(): OtherAmounts {
    if (this.#other === noOthers) this.#other = new OtherAmounts();
    return this.#other;
  }

  /** See OtherAmounts. */
  get overcounted(): Amount {
    return this.#other.overcounted;
  }

  set overcounted(amount: Amount) {
    if (amount !== this.overcounted) this.#others.overcounted = amount;
  }

  hold(amount: Amount): void {
    this.period.isUsed = true;
    this.#held += amount;
  }

  release(amount: Amount): void {
    this.#held -= amount;
  }

  get leased(): Amount {
    return this.#other.leased;
  }

  /** Marks a held amount as leased to a worker, or with a negative one as no longer leased. */
  lease(amount: Amount): void {
    this.#others.leased += amount;
  }

  /** Usage that waits to be written. */
  get settled(): Amount {
    return this.#settled;
  }

  get isWritten(): boolean {
    return this.#settled === 0n && !this.isWriting;
  }

  get isWriting(): boolean {
    return this.#writing !== 0n;
  }

  get isInUse(): boolean {
    return this.#held > this.#settled + this.#writing + this.#other.inTransactions + this.#other.shared;
  }

  /** Adds to the held amount that other nodes must know, or subtracts from it. */
  share(amount: Amount): void {
    this.#others.shared += amount;
    if (this.period.hasOtherNodes) this.period.published.add(this);
  }

  /** Adds to the estimated usage of the open holds, or subtracts from it. */
  estimate(amount: Amount): void {
    this.#others.estimated += amount;
    this.period.published.add(this);
  }

  /** Returns the amounts to publish if storage has others, or if their lease needs renewal. */
  unpublished(now: number): Published | undefined {
    const published = this.#other.published;
    const amounts = this.#toPublish;
    const isPublished = published.held === amounts.held && published.estimate === amounts.estimate;
    return isPublished && (isNothing(published) || now < this.#other.renewOn) ? undefined : amounts;
  }

  /** The estimate in storage, if its lease is not renewed as it should be. */
  expiredEstimate(now: number): Amount {
    return now > this.#other.renewOn + renewalMilliseconds ? this.#other.published.estimate : 0n;
  }

  published(amounts: Published, renewOn: number): void {
    this.#others.published = amounts;
    this.#others.renewOn = renewOn;
    if (isNothing(amounts) && isNothing(this.#toPublish)) this.period.published.delete(this);
  }

  get #toPublish(): Published {
    return { held: this.period.hasOtherNodes ? this.#other.shared : 0n, estimate: this.#other.estimated };
  }

  /** Replaces a held amount by the usage that will be written, which may be larger. */
  settle(held: Amount, used: Amount): void {
    this.#held += used - held;
    if (used === 0n) return;
    if (this.#settled === 0n) this.period.unwritten.add(this);
    this.#settled += used;
  }

  /** Settled usage is written with this time, whenever that is: the clock of the test bucket has moved. */
  keepTime(time: number): void {
    const amount = this.#other.earlier.reduce((rest, each) => rest - each.amount, this.#settled);
    if (amount > 0n) this.#others.earlier = [...this.#other.earlier, { time, amount }];
  }

  /** Returns all settled usage for writing. It stays held until it is written. */
  take(): Taken {
    const taken = { used: this.#settled, unknown: this.#other.unknown, earlier: this.#other.earlier };
    this.#writing += taken.used;
    this.#settled = 0n;
    if (taken.earlier !== none) this.#others.earlier = none;
    if (taken.unknown !== 0n) this.#others.unknown = 0n;
    return taken;
  }

  written({ used, unknown }: Taken): void {
    this.#writing -= used;
    if (unknown !== 0n) this.#others.inTransactions -= unknown;
    this.#held -= used + unknown;
  }

  holdInTransaction(amount: Amount): void {
    this.#held += amount;
    this.#others.inTransactions += amount;
  }

  /** After a commit, `update` with the new total must follow before the next decision: the feed publishes it. */
  endTransaction(amount: Amount, outcome: TransactionOutcome): void {
    if (outcome === "unknown") {
      // The next batch reads the total, and waits until the transaction has ended in storage.
      this.period.unwritten.add(this);
      this.#others.unknown += amount;
      return;
    }
    this.#others.inTransactions -= amount;
    this.#held -= amount;
  }

  /**
   * What is used as a transaction sees it that holds the lock of the subscription: other transactions that took from the
   * counter have ended, so what they took is in the total that it read.
   * @param total what storage had counted when the transaction read it, with its version
   * @param countsBatch whether the total includes the batch that is being written
   */
  usedIn(total: Amount, version: number, countsBatch: boolean): Amount {
    const beyond = this.#held - this.#other.inTransactions + (this.period.heldElsewhere?.get(this.meter) ?? 0n);
    // A later total was received since, and may lack the batch.
    if (version < this.#version || (version === this.#version && total < this.#stored)) return this.#stored + beyond;
    return total + (countsBatch ? beyond - this.#writing : beyond);
  }

  /** Accepts any total, and publishes the open holds again. */
  startOver(): void {
    this.#stored = 0n;
    this.#version = 0;
    if (this.#other !== noOthers) this.#others.published = nothing;
    if (this.#other.shared !== 0n || this.#other.estimated !== 0n) this.period.published.add(this);
  }

  /** Sets the total in storage, unless it arrives late: then its version is smaller. Totals may decrease. */
  update(total: Amount, version: number): void {
    if (version < this.#version || (version === this.#version && total < this.#stored)) return;
    this.#stored = total;
    this.#version = version;
  }
}
