import { type Repetition, repeat, repeatFromNow } from "./repeat.ts";

/** Load balancers send requests to a server that is `ready`. */
export type Phase = "starting" | "ready" | "stopping";

/** Closes resources in the reverse order of opening, also after a failed start. */
export class Lifecycle {
  readonly #closings: { what: string; close: () => unknown }[] = [];
  readonly #repetitions: Repetition[] = [];
  #phase: Phase = "starting";
  #isClosing = false;

  constructor(private readonly failed: (what: string, error: unknown) => void) {}

  get phase(): Phase {
    return this.#phase;
  }

  /** The start is complete. */
  started(): void {
    if (this.#phase === "starting") this.#phase = "ready";
  }

  /** Everything still works, but closing follows. */
  stopping(): void {
    this.#phase = "stopping";
  }

  /** Call it right after opening a resource: resources opened later are closed first. */
  onClose(what: string, close: () => unknown): void {
    this.#closings.push({ what, close });
  }

  /**
   * Runs the work periodically until closing, which aborts the signal and waits for a run in progress. Rare work should
   * have an early first run, because a server may be restarted more often than the period.
   */
  every(seconds: number, what: string, work: (signal: AbortSignal) => Promise<void>, firstSeconds = seconds): void {
    this.#add(
      what,
      repeat(seconds, work, (error) => this.failed(what, error), firstSeconds),
    );
  }

  /** Like `every`, but with an immediate first run, for work that can be aborted. */
  everyFromNow(seconds: number, what: string, work: (signal: AbortSignal) => Promise<void>): void {
    this.#add(
      what,
      repeatFromNow(seconds, work, (error) => this.failed(what, error)),
    );
  }

  /** Runs all periodic work now, at the same time; work that is in progress runs once more after it. */
  async runAll(): Promise<void> {
    if (this.#isClosing) return;
    await Promise.all(this.#repetitions.map((repetition) => repetition.run()));
  }

  /** Ends periodic work. What it would have flushed is flushed when everything is closed. */
  async endPeriodicWork(): Promise<void> {
    await Promise.all(this.#repetitions.map((repetition) => repetition.stop()));
  }

  /** Closes everything. A failure is reported and does not skip the rest. */
  async close(): Promise<void> {
    this.#phase = "stopping";
    this.#isClosing = true;
    for (const { what, close } of this.#closings.splice(0).reverse()) {
      try {
        await close();
      } catch (error) {
        this.failed(what, error);
      }
    }
  }

  #add(what: string, repetition: Repetition): void {
    this.#repetitions.push(repetition);
    this.onClose(what, () => repetition.stop());
  }
}
