/** Counts of this process that are ahead of storage. */
export interface CountsInMemory {
  /**
   * Stops counting for their owners until the transaction has ended. Returns undefined if storage has all of their
   * counts, and otherwise the preparation with which the transaction must be run again.
   */
  stop(owners: readonly number[], transaction: EndingTransaction): Preparation | undefined;
}

/** The part of a transaction that counts in memory need. */
export interface EndingTransaction {
  onEnd(listener: () => void): void;
}

/** What must be done before a transaction begins. Returns a function that ends it after the transaction. */
export type Preparation = () => Promise<() => void>;

/** More than a transaction needs: each time, what it needs was prepared since. */
const maxPreparations = 10;

/**
 * Thrown by the work of a transaction that needs something it cannot wait for, such as another transaction of this
 * process: it is rolled back, and run again after the preparation.
 */
export class RunAgain extends Error {
  constructor(readonly preparation: Preparation) {
    super("The transaction must be prepared.");
  }
}

/** Runs a transaction, again after each preparation that it needs. */
export async function runPrepared<Result>(run: () => Promise<Result>): Promise<Result> {
  const ends: (() => void)[] = [];
  try {
    for (;;)
      try {
        return await run();
      } catch (error) {
        if (!(error instanceof RunAgain) || ends.length === maxPreparations) throw error;
        ends.push(await error.preparation());
      }
  } finally {
    for (const end of ends) end();
  }
}
