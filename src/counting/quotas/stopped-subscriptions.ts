import { pause } from "../../lib/tasks/pause.ts";
import { StorageUnavailable } from "../../platform/storage/errors.ts";
import type { CountsInMemory, EndingTransaction, Preparation } from "../../platform/storage/run-again.ts";
import { requestMilliseconds } from "../deadlines.ts";
import type { PeriodCounters } from "./quota-counter.ts";

/** Why decisions about a subscription wait. */
interface Stop {
  /** The transactions that need it. */
  count: number;
  readonly ended: Promise<void>;
  end(): void;
  /** Whether requests in progress had time to end. Those that have not count later. */
  hasWaited: boolean;
}

interface LedgerState {
  countersOf(subscriptionSeq: number): Iterable<PeriodCounters>;
  flush(): Promise<void>;
}

/**
 * Subscriptions whose usage a transaction is computing money from: until it has ended, decisions about them wait, and
 * storage has all that was used before.
 */
export class StoppedSubscriptions implements CountsInMemory {
  readonly #stops = new Map<number, Stop>();
  /** Those that must be written. The next preparation writes all: a transaction may bill many customers. */
  readonly #unwritten = new Set<number>();

  constructor(private readonly ledger: LedgerState) {}

  /** Resolves when decisions about a subscription may continue. Undefined if they may. */
  ended(subscriptionSeq: number): Promise<void> | undefined {
    return this.#stops.get(subscriptionSeq)?.ended;
  }

  stop(subscriptionSeqs: readonly number[], transaction: EndingTransaction): Preparation | undefined {
    transaction.onEnd(this.#begin(subscriptionSeqs));
    const unwritten = subscriptionSeqs.filter((seq) => !this.#isWritten(seq));
    if (unwritten.length === 0) return undefined;
    for (const seq of unwritten) this.#unwritten.add(seq);
    return () => this.#prepare(unwritten);
  }

  async #prepare(subscriptionSeqs: number[]): Promise<() => void> {
    const seqs = [...this.#unwritten.union(new Set(subscriptionSeqs))];
    this.#unwritten.clear();
    const end = this.#begin(seqs);
    try {
      const counters = () => seqs.flatMap((seq) => [...this.ledger.countersOf(seq)]);
      await Promise.all(counters().map((each) => each.recall()));
      for (let waited = 0; waited < requestMilliseconds && counters().some((each) => each.isInUse); waited += 10)
        await pause(10);
      for (const seq of seqs) this.#stops.get(seq)!.hasWaited = true;
      await this.ledger.flush();
      if (!subscriptionSeqs.every((seq) => this.#isWritten(seq)))
        throw new StorageUnavailable(new Error("Usage is not written yet."));
    } catch (error) {
      end();
      throw error;
    }
    return end;
  }

  #begin(subscriptionSeqs: readonly number[]): () => void {
    for (const seq of subscriptionSeqs) {
      let stop = this.#stops.get(seq);
      if (!stop) {
        const { promise: ended, resolve: end } = Promise.withResolvers<void>();
        stop = { count: 0, ended, end, hasWaited: false };
        this.#stops.set(seq, stop);
        for (const counters of this.ledger.countersOf(seq)) counters.stopped = ended;
      }
      stop.count += 1;
    }
    return () => {
      for (const seq of subscriptionSeqs) this.#end(seq);
    };
  }

  #end(subscriptionSeq: number): void {
    const stop = this.#stops.get(subscriptionSeq)!;
    stop.count -= 1;
    if (stop.count > 0) return;
    this.#stops.delete(subscriptionSeq);
    for (const counters of this.ledger.countersOf(subscriptionSeq)) counters.stopped = undefined;
    stop.end();
  }

  #isWritten(subscriptionSeq: number): boolean {
    const { hasWaited } = this.#stops.get(subscriptionSeq)!;
    for (const counters of this.ledger.countersOf(subscriptionSeq))
      if (!counters.isWritten || (counters.isInUse && !hasWaited)) return false;
    return true;
  }
}
