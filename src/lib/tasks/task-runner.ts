import { type Repetition, repeat } from "./repeat.ts";
import { Wakeable } from "./wakeable.ts";

export interface TaskRunnerOptions<Task> {
  mostAtOnce: number;
  /** It also looks for tasks when it is woken. */
  pollSeconds: number;
  /** Claims the next task, so that no other runner takes it. Undefined if there is none. */
  claim(): Promise<Task | undefined>;
  /** Must not reject. A task that was claimed during `stop` gets a signal that is aborted already, to be given back. */
  run(task: Task, signal: AbortSignal): Promise<void>;
  /** The next look tries again. */
  claimFailed(error: unknown): void;
}

/** Runs what it can claim, a few tasks at once. The queue itself is the caller's, usually a table that all nodes share. */
export class TaskRunner<Task> {
  readonly #running = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #looking: Wakeable;
  #polling: Repetition | undefined;

  constructor(private readonly options: TaskRunnerOptions<Task>) {
    this.#looking = new Wakeable(() => this.#claimAll(), options.claimFailed);
  }

  start(): void {
    this.#polling = repeat(
      this.options.pollSeconds,
      async () => this.wake(),
      () => {},
    );
    this.wake();
  }

  wake(): void {
    this.#looking.wake();
  }

  /** Aborts the signal of the tasks under way and resolves when all have ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#polling?.stop();
    // What is being claimed at this moment joins those that run.
    await this.#looking.stop();
    await Promise.all(this.#running);
  }

  async #claimAll(): Promise<void> {
    const { mostAtOnce, claim, run } = this.options;
    const { signal } = this.#stopping;
    while (this.#running.size < mostAtOnce && !signal.aborted) {
      const task = await claim();
      if (task === undefined) return;
      const running = run(task, signal).finally(() => {
        this.#running.delete(running);
        this.wake();
      });
      this.#running.add(running);
    }
  }
}
