import { systemTimers, type Timers } from "../../lib/time/timers.ts";
import { recallMilliseconds } from "../deadlines.ts";

/** A process that has leases. */
export interface LeaseHolder {
  /**
   * Whether it has missed the deadline of a recall and sent no report since. Nothing waits for it: one process that is
   * stopped delays one decision, not one for each counter.
   */
  isLate: boolean;
}

/** Units of a counter that another process may take without a request to the owner of the counter. */
export interface Lease {
  readonly holder: LeaseHolder;
  /** Asks the process for its unused units. */
  recall(): void;
}

/** The leases of one counter whose units may be unused. */
export class OpenLeases {
  readonly #open = new Set<Lease>();
  #recall: Recall | undefined;

  constructor(private readonly timers: Timers = systemTimers) {}

  /** While units are recalled, none may be granted. */
  get isRecalling(): boolean {
    return this.#recall !== undefined;
  }

  get size(): number {
    return this.#open.size;
  }

  granted(lease: Lease): void {
    this.#open.add(lease);
  }

  /** The process has no unused units any more. */
  returned(lease: Lease): void {
    this.#open.delete(lease);
    const recall = this.#recall;
    if (recall?.awaited.delete(lease) && recall.awaited.size === 0) this.#end(recall);
  }

  /**
   * Resolves when every unit that was leased is used or returned: only then may a request be rejected. Also resolves
   * after `recallMilliseconds`: units that a process has not returned by then stay held, and count as used. Undefined if
   * there is nothing to wait for.
   */
  recall(): Promise<void> | undefined {
    if (this.#recall && !this.#recall.hasEnded) return this.#recall.promise;
    const awaited = [...this.#open].filter(({ holder }) => !holder.isLate);
    if (awaited.length === 0) return undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    const recall: Recall = { awaited: new Set(awaited), promise, resolve, cancel: () => {}, hasEnded: false };
    this.#recall = recall;
    recall.cancel = this.timers.start(recallMilliseconds, () => {
      for (const { holder } of recall.awaited) holder.isLate = true;
      this.#end(recall);
    });
    for (const lease of awaited) lease.recall();
    return promise;
  }

  #end(recall: Recall): void {
    recall.hasEnded = true;
    recall.cancel();
    recall.resolve();
    // Waiting requests decide before units are granted again; otherwise they might recall leases forever.
    setImmediate(() => {
      if (this.#recall === recall) this.#recall = undefined;
    });
  }
}

interface Recall {
  /** The leases that are not returned yet. */
  readonly awaited: Set<Lease>;
  readonly promise: Promise<void>;
  resolve(): void;
  /** Cancels the deadline. */
  cancel(): void;
  hasEnded: boolean;
}
