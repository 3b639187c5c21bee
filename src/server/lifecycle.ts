import { repeat, repeatFromNow } from "../lib/repeat.ts";

/** What was opened, with how it is closed: in reverse order, also after a start that failed halfway. */
export class Lifecycle {
  readonly #closings: { what: string; close: () => unknown }[] = [];
  #isClosing = false;

  constructor(private readonly failed: (what: string, error: unknown) => void) {}

  /** True from the moment that closing begins. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Called right after something was opened. Whatever is opened later is closed before it. */
  onClose(what: string, close: () => unknown): void {
    this.#closings.push({ what, close });
  }

  /** Runs the work every so often until closing; a run under way is waited for. */
  every(seconds: number, what: string, work: () => Promise<void>): void {
    const repetition = repeat(seconds, work, (error) => this.failed(what, error));
    this.onClose(what, () => repetition.stop());
  }

  /** The same, with a first run now, for work that can be cut short. */
  everyFromNow(seconds: number, what: string, work: (signal: AbortSignal) => Promise<void>): void {
    const repetition = repeatFromNow(seconds, work, (error) => this.failed(what, error));
    this.onClose(what, () => repetition.stop());
  }

  /** Closes everything. One that fails is reported and skips none of the others. */
  async close(): Promise<void> {
    this.#isClosing = true;
    for (const { what, close } of this.#closings.splice(0).reverse()) {
      try {
        await close();
      } catch (error) {
        this.failed(what, error);
      }
    }
  }
}
