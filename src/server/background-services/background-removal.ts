import { inOrder, type Removal } from "../../platform/storage/removal.ts";
import type { Storage } from "../../platform/storage/storage.ts";

/**
 * Removes the contents of deleted buckets, webhooks and accounts in small batches, after a deletion and after every
 * start.
 */
export class BackgroundRemoval {
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #isWanted = false;

  constructor(
    storage: Storage,
    private readonly removals: Removal[],
    private readonly failed: (error: unknown) => void,
  ) {
    const wake = () => this.wake();
    storage.feed.follow(
      "removal",
      {
        "bucket.deleted": wake,
        "metering-bucket.deleted": wake,
        "account.deleted": wake,
        "webhook.deleted": wake,
      },
      wake,
    );
  }

  wake(): void {
    this.#isWanted = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  /** Waits for a batch in progress. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    // Runs after the commit that triggered it, so that the response to the deletion is sent first.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#isWanted && !signal.aborted) {
      this.#isWanted = false;
      await inOrder(this.removals, this.failed)(signal);
    }
  }
}
