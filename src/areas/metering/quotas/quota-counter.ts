import type { Amount } from "../../../lib/amount.ts";
import type { TransactionOutcome } from "../../../platform/storage/storage.ts";

/** The counters of one subscription in one period, as a node sees them. */
export class PeriodCounters {
  readonly #counters = new Map<string, QuotaCounter>();
  /** Since the ledger last looked for idle ones. */
  isUsed = true;
  /** The keys of cached quotas that refer to them: more than one if routes call the bucket by id and by name. */
  readonly cacheKeys = new Set<string>();
  /** Transactions that may take from them. */
  transactions = 0;

  constructor(
    readonly subscriptionSeq: number,
    readonly periodStart: number,
    readonly periodEnd: number,
    /** Counters with something to write, of all periods. */
    readonly unwritten: Set<QuotaCounter>,
  ) {}

  /** The one of a meter: always the same object. */
  counter(meter: string): QuotaCounter {
    const counter = this.#counters.get(meter) ?? new QuotaCounter(this, meter);
    this.#counters.set(meter, counter);
    return counter;
  }

  update(meter: string, total: Amount): void {
    this.#counters.get(meter)?.update(total);
  }

  /** Whether nothing is held, in a transaction or waiting to be written. */
  get isSettled(): boolean {
    return this.transactions === 0 && this.#counters.values().every((counter) => counter.isSettled);
  }
}

/** What a counter gives to a batch: what was used, and what transactions of unknown outcome took. */
export interface Taken {
  used: Amount;
  unknown: Amount;
}

/**
 * One meter: what storage is known to have counted, and what this node holds beyond that. `used` is the only sum that decides
 * whether something is left, so whatever else is to count against a quota (such as holds of other nodes) is added there.
 */
export class QuotaCounter {
  #stored: Amount = 0n;
  /** Everything beyond `#stored`: open holds, and the parts below. */
  #held: Amount = 0n;
  /** Used, and waiting to be written. */
  #settled: Amount = 0n;
  /** In the batch that is being written. */
  #writing: Amount = 0n;
  /** Taken by transactions that have not ended, or of which it is unknown how. */
  #inTransactions: Amount = 0n;
  #unknown: Amount = 0n;

  constructor(
    readonly of: PeriodCounters,
    readonly meter: string,
  ) {}

  get used(): Amount {
    return this.#stored + this.#held;
  }

  get stored(): Amount {
    return this.#stored;
  }

  get isSettled(): boolean {
    return this.#held === 0n;
  }

  hold(amount: Amount): void {
    this.of.isUsed = true;
    this.#held += amount;
  }

  release(amount: Amount): void {
    this.#held -= amount;
  }

  /** Of what was held, so much was used and will be written; it may be more than was held. */
  settle(held: Amount, used: Amount): void {
    this.#held += used - held;
    if (used === 0n) return;
    if (this.#settled === 0n) this.of.unwritten.add(this);
    this.#settled += used;
  }

  /** Everything settled, for writing; it stays held until it is written. */
  take(): Taken {
    const taken = { used: this.#settled, unknown: this.#unknown };
    this.#writing += taken.used;
    this.#settled = 0n;
    this.#unknown = 0n;
    return taken;
  }

  written({ used, unknown }: Taken): void {
    this.#writing -= used;
    this.#inTransactions -= unknown;
    this.#held -= used + unknown;
  }

  holdInTransaction(amount: Amount): void {
    this.#held += amount;
    this.#inTransactions += amount;
  }

  /** After a commit, `update` with the new total must follow before anything is decided. */
  endTransaction(amount: Amount, outcome: TransactionOutcome): void {
    if (outcome === "unknown") {
      // The next batch reads the total, for which it waits until the transaction has ended in storage.
      this.of.unwritten.add(this);
      this.#unknown += amount;
      return;
    }
    this.#inTransactions -= amount;
    this.#held -= amount;
  }

  /**
   * What is used as a transaction sees it that holds the lock of the subscription: other transactions that took from the
   * counter have ended, so what they took is in the total that it read.
   * @param total what storage had counted when the transaction read it
   * @param countsBatch whether the total includes the batch that is being written
   */
  usedIn(total: Amount, countsBatch: boolean): Amount {
    const beyond = this.#held - this.#inTransactions;
    // A larger total was learned since, and may lack the batch.
    if (this.#stored > total) return this.#stored + beyond;
    return total + (countsBatch ? beyond - this.#writing : beyond);
  }

  /** What was used never falls, so a total that arrives late is recognized by being smaller. */
  update(total: Amount): void {
    if (total > this.#stored) this.#stored = total;
  }
}
