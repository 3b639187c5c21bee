import { type Repetition, repeat } from "./repeat.ts";
import { Wakeable } from "./wakeable.ts";

interface TaskRunnerOptions<Task> {
  maxConcurrent: number;
  /** The poll interval. The runner also polls when it is woken. */
  pollSeconds: number;
  /** Claims the next task so that no other runner takes it. Returns undefined if there is none. */
  claim(): Promise<Task | undefined>;
  /**
   * Runs a task. Must not reject. A task that was claimed during `stop` gets an aborted signal and should be released.
   */
  run(task: Task, signal: AbortSignal): Promise<void>;
  /** Called when a claim fails. The next poll retries. */
  claimFailed(error: unknown): void;
}

/**
 * Claims and runs tasks, a few at once. The queue belongs to the caller and is usually a table that all nodes share.
 */
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

  /** Aborts the signal of the running tasks and resolves when all have ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#polling?.stop();
    // Wait for the claim in progress: its task is one of those that run.
    await this.#looking.stop();
    await Promise.all(this.#running);
  }

  async #claimAll(): Promise<void> {
    const { maxConcurrent, claim, run } = this.options;
    const { signal } = this.#stopping;
    while (this.#running.size < maxConcurrent && !signal.aborted) {
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
