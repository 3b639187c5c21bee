import type { Amount } from "../../lib/amount.ts";
import type { Period } from "../../lib/time/calendar.ts";
import type { TransactionOutcome, WriteTransaction } from "../../platform/storage/storage.ts";
import { periodKey, usedWithBatch, type VersionedTotals } from "../counters/counter-store.ts";
import type { PeriodCounters, QuotaCounter } from "./quota-counter.ts";
import type { QuotaLedger } from "./quota-ledger.ts";

/**
 * The amounts that one transaction takes from quotas. A decision depends on the totals that the transaction reads and
 * on the amounts that the node holds in addition. The amounts are held in the ledger until the transaction has ended:
 * then they are stored, or nothing was taken. The transaction must record the new totals, because the ledger receives
 * them with its changes.
 */
export class TransactionHolds {
  readonly #opened: TransactionCounters[] = [];

  constructor(
    private readonly transaction: WriteTransaction,
    private readonly ledger: QuotaLedger,
  ) {
    transaction.onEnd((outcome) => this.#end(outcome));
  }

  /** Returns the counters of subscriptions, which the transaction must have locked: see QuotaCounter.usedIn. */
  async open(places: { subscriptionSeq: number; period: Period }[]): Promise<TransactionCounters[]> {
    const { ledger } = this;
    const periods = places.map(({ subscriptionSeq, period }) => ({ subscriptionSeq, periodStart: period.start }));
    const totals = await usedWithBatch(this.transaction, periods, ledger.writer);
    const opened = places.map(({ subscriptionSeq, period }) => {
      const ofPeriod = totals.get(periodKey(subscriptionSeq, period.start))!;
      return new TransactionCounters(ledger, ledger.pin(subscriptionSeq, period), ofPeriod);
    });
    this.#opened.push(...opened);
    return opened;
  }

  #end(outcome: TransactionOutcome): void {
    for (const counters of this.#opened) {
      counters.end(outcome);
      this.ledger.unpin(counters.pinned);
    }
  }
}

/** The counters of a subscription in a period, as seen by a transaction. */
export class TransactionCounters {
  readonly #counters: TransactionCounter[] = [];

  constructor(
    private readonly ledger: QuotaLedger,
    readonly pinned: PeriodCounters,
    /** The totals in storage, and the last of the ledger's batches that they include. */
    private readonly totals: VersionedTotals,
  ) {}

  /** Call it once for each meter. */
  open(meter: string): TransactionCounter {
    const { used, versions } = this.totals;
    const stored = used.get(meter) ?? 0n;
    const counter = new TransactionCounter(this, this.pinned.counter(meter), stored, versions.get(meter) ?? 0);
    this.#counters.push(counter);
    return counter;
  }

  /** The totals in storage by meter. */
  get stored(): ReadonlyMap<string, Amount> {
    return this.totals.used;
  }

  /** Whether the totals include the batch that the ledger is writing, if any. */
  get includesBatch(): boolean {
    return this.totals.batch >= this.ledger.batch;
  }

  end(outcome: TransactionOutcome): void {
    for (const counter of this.#counters) counter.end(outcome);
  }
}

export class TransactionCounter {
  #taken: Amount = 0n;

  constructor(
    private readonly counters: TransactionCounters,
    private readonly counter: QuotaCounter,
    private readonly stored: Amount,
    private readonly version: number,
  ) {}

  get meter(): string {
    return this.counter.meter;
  }

  get used(): Amount {
    return this.counter.usedIn(this.stored, this.version, this.counters.includesBatch) + this.#taken;
  }

  hold(amount: Amount): void {
    this.counter.holdInTransaction(amount);
    this.#taken += amount;
  }

  end(outcome: TransactionOutcome): void {
    if (this.#taken > 0n) this.counter.endTransaction(this.#taken, outcome);
  }
}
