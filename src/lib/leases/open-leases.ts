/** A process that may take units of a counter without a request to the owner of the counter. */
export interface Lease {
  /** Asks the process for its unused units. `OpenLeases.returned` must follow, also if the process ends. */
  recall(): void;
}

/** The leases of one counter whose units may be unused. */
export class OpenLeases {
  readonly #open = new Set<Lease>();
  #recall: PromiseWithResolvers<void> | undefined;

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
    if (!this.#open.delete(lease) || this.#open.size > 0) return;
    this.#recall?.resolve();
    this.#recall = undefined;
  }

  /**
   * Resolves when every unit that was leased is used or returned: only then may a request be rejected. Undefined if
   * nothing is leased.
   */
  recall(): Promise<void> | undefined {
    if (this.#open.size === 0) return undefined;
    if (!this.#recall) {
      this.#recall = Promise.withResolvers<void>();
      for (const lease of [...this.#open]) lease.recall();
    }
    return this.#recall?.promise;
  }
}
