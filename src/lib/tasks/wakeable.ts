/** Work that runs when it is woken and never concurrently. A wake during a run causes another run. */
export class Wakeable {
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #again = false;

  constructor(
    private readonly work: (signal: AbortSignal) => Promise<void>,
    private readonly failed: (error: unknown) => void,
  ) {}

  wake(): void {
    if (this.#stopping.signal.aborted) return;
    if (this.#running) {
      this.#again = true;
      return;
    }
    this.#running = this.work(this.#stopping.signal)
      .catch(this.failed)
      .finally(() => {
        this.#running = undefined;
        if (!this.#again) return;
        this.#again = false;
        this.wake();
      });
  }

  /** Resolves when no run is in progress and none is due. */
  async idle(): Promise<void> {
    while (this.#running) await this.#running;
  }

  /** Resolves when the run in progress has ended. No run begins after that. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }
}
