const defaultSilenceMilliseconds = 5_000;
const defaultStartMilliseconds = 120_000;
/** A process that ends sooner after its start is restarted later and later. */
const stableMilliseconds = 5_000;
const firstDelayMilliseconds = 100;
const lastDelayMilliseconds = 5_000;
/** The maximum delay before a process that was ready is started again: other processes wait for it. */
const readyDelayMilliseconds = 500;
const checkMilliseconds = 250;

/** What a process sends to its supervisor: once when it serves, regularly, and when it has executed an order. */
export type ChildMessage = "ready" | "beat" | "done";
/** What a supervisor sends to its processes: finish what is in progress and exit. */
export const stopMessage = "stop";
/** What a supervisor sends to its processes before it stops them: a process responds as before, but asks clients to leave. */
export const drainMessage = "drain";

interface ProcessOptions {
  name: string;
  /** `isFirst` is false for a replacement. */
  command(isFirst: boolean): string[];
  /** The descriptors that the process gets, from 3 on. */
  descriptors: number[];
  environment: Record<string, string | undefined>;
  /** How long the process may be silent before it is replaced. The default is 5 s. */
  silenceMilliseconds?: number;
  /** How long the process may take to start before it is replaced. The default is 120 s. */
  startMilliseconds?: number;
  log(message: string, fields: Record<string, unknown>): void;
}

/** A process that is replaced when it ends or does not respond. */
export class SupervisedProcess {
  #process: Bun.Subprocess | undefined;
  #startedAt = 0;
  #lastMessageAt = 0;
  #isReady = false;
  #delay = firstDelayMilliseconds;
  #starts = 0;
  #restart: Timer | undefined;
  #isStopping = false;
  #isReplaced = true;
  #announced: string | undefined;
  #executing: PromiseWithResolvers<void> | undefined;
  #started = Promise.withResolvers<void>();
  readonly #check: Timer;
  readonly #first = Promise.withResolvers<boolean>();
  readonly #ready = Promise.withResolvers<void>();

  constructor(private readonly options: ProcessOptions) {
    this.#check = setInterval(() => this.#checkSilence(), checkMilliseconds);
    this.#start();
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** Resolves when the process, or one that replaced it, is ready, or when it is stopped. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** Resolves when the current process is ready, or has ended. */
  get started(): Promise<void> {
    return this.#started.promise;
  }

  /** Resolves to false if the process ends before it has been ready once. */
  get firstReady(): Promise<boolean> {
    return this.#first.promise;
  }

  /** The process is not replaced any more when it ends. */
  retire(): void {
    this.#isReplaced = false;
    clearTimeout(this.#restart);
  }

  /**
   * Sends a message to the process when it is ready, one at a time. Resolves when the process has done it, or has ended.
   */
  async order(message: string): Promise<void> {
    const child = this.#process;
    await this.#started.promise;
    if (!child || child !== this.#process) return;
    const executing = Promise.withResolvers<void>();
    this.#executing = executing;
    child.send(message);
    await Promise.race([executing.promise, child.exited]);
  }

  /** Sends a message to the process, and to those that replace it, as soon as they are ready. Nothing waits for it. */
  announce(message: string): void {
    this.#announced = message;
    if (this.#isReady) this.#process?.send(message);
  }

  /** Lets the process finish, and kills it after the timeout. */
  async stop(timeoutMilliseconds: number): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#check);
    clearTimeout(this.#restart);
    this.#ready.resolve();
    const child = this.#process;
    if (!child) return;
    child.send(stopMessage);
    const timer = setTimeout(() => child.kill("SIGKILL"), timeoutMilliseconds);
    await child.exited;
    clearTimeout(timer);
    this.#process = undefined;
    this.#started.resolve();
  }

  #start(): void {
    this.#startedAt = performance.now();
    this.#lastMessageAt = this.#startedAt;
    this.#isReady = false;
    this.#starts += 1;
    this.#started = Promise.withResolvers<void>();
    try {
      this.#process = this.#spawn();
    } catch (error) {
      // For example, too many processes or open files.
      this.options.log("a process cannot be started and is tried again", { process: this.options.name, error });
      this.#startLater();
    }
  }

  #spawn(): Bun.Subprocess {
    const { command, descriptors, environment } = this.options;
    const child: Bun.Subprocess = Bun.spawn(command(this.#starts === 1), {
      stdio: ["ignore", "inherit", "inherit", ...descriptors],
      env: environment,
      ipc: (message: ChildMessage) => this.#onMessage(child, message),
      onExit: (_, code, signal) => this.#ended(child, code, signal),
    });
    return child;
  }

  #onMessage(child: Bun.Subprocess, message: ChildMessage): void {
    if (child !== this.#process) return;
    this.#lastMessageAt = performance.now();
    if (message === "done") this.#executing?.resolve();
    if (message !== "ready") return;
    this.#isReady = true;
    if (this.#announced !== undefined) child.send(this.#announced);
    this.#started.resolve();
    this.#first.resolve(true);
    this.#ready.resolve();
  }

  #ended(child: Bun.Subprocess, code: number | null, signal: unknown): void {
    if (child !== this.#process) return;
    this.#process = undefined;
    const { name, log } = this.options;
    if (this.#startLater()) log("a process ended and is replaced", { process: name, pid: child.pid, code, signal });
  }

  /** Returns false if the process is not replaced. */
  #startLater(): boolean {
    this.#started.resolve();
    this.#first.resolve(false);
    if (this.#isStopping || !this.#isReplaced) return false;
    const isStable = this.#isReady && performance.now() - this.#startedAt > stableMilliseconds;
    const longest = this.#isReady ? readyDelayMilliseconds : lastDelayMilliseconds;
    this.#delay = isStable ? firstDelayMilliseconds : Math.min(this.#delay, longest);
    // The first replacement is immediate.
    this.#restart = setTimeout(() => this.#start(), isStable || this.#starts === 1 ? 0 : this.#delay);
    if (!isStable) this.#delay *= 2;
    return true;
  }

  #checkSilence(): void {
    const silent = performance.now() - this.#lastMessageAt;
    const { silenceMilliseconds = defaultSilenceMilliseconds, startMilliseconds = defaultStartMilliseconds } =
      this.options;
    if (!this.#process || silent < (this.#isReady ? silenceMilliseconds : startMilliseconds)) return;
    this.options.log("a process does not respond and is killed", { process: this.options.name, pid: this.pid });
    this.#process.kill("SIGKILL");
  }
}
