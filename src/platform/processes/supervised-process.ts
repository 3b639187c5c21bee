const defaultSilenceMilliseconds = 5_000;
/** How long a process may take to start. */
const startMilliseconds = 120_000;
/** A process that ends sooner after its start is restarted later and later. */
const stableMilliseconds = 5_000;
const firstDelayMilliseconds = 100;
const lastDelayMilliseconds = 5_000;
const checkMilliseconds = 250;

/** What a process sends to its supervisor: once when it serves, regularly, and when it has executed an order. */
export type ChildMessage = "ready" | "beat" | "done";
/** What a supervisor sends to its processes: finish what is in progress and exit. */
export const stopMessage = "stop";

export interface ProcessOptions {
  name: string;
  /** `isFirst` is false for a replacement. */
  command(isFirst: boolean): string[];
  /** The descriptors that the process gets, from 3 on. */
  descriptors: number[];
  environment: Record<string, string | undefined>;
  /** How long the process may be silent before it is replaced. The default is 5 s. */
  silenceMilliseconds?: number;
  log(message: string, fields: Record<string, unknown>): void;
}

/** A process that is replaced when it ends or does not respond. */
export class SupervisedProcess {
  #process: Bun.Subprocess | undefined;
  #startedAt = 0;
  #lastHeard = 0;
  #isReady = false;
  #delay = firstDelayMilliseconds;
  #starts = 0;
  #restart: Timer | undefined;
  #isStopping = false;
  #isReplaced = true;
  #executing: PromiseWithResolvers<void> | undefined;
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

  /** Resolves to false if the process ends before it has been ready once. */
  get firstReady(): Promise<boolean> {
    return this.#first.promise;
  }

  /** The process is not replaced any more when it ends. */
  retire(): void {
    this.#isReplaced = false;
    clearTimeout(this.#restart);
  }

  /** Sends a message to the process, one at a time. Resolves when the process has done it, or has ended. */
  async order(message: string): Promise<void> {
    const child = this.#process;
    if (!child) return;
    const executing = Promise.withResolvers<void>();
    this.#executing = executing;
    child.send(message);
    await Promise.race([executing.promise, child.exited]);
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
  }

  #start(): void {
    this.#startedAt = performance.now();
    this.#lastHeard = this.#startedAt;
    this.#isReady = false;
    this.#starts += 1;
    const { command, descriptors, environment } = this.options;
    const child: Bun.Subprocess = Bun.spawn(command(this.#starts === 1), {
      stdio: ["ignore", "inherit", "inherit", ...descriptors],
      env: environment,
      ipc: (message: ChildMessage) => this.#heard(child, message),
      onExit: (_, code, signal) => this.#ended(child, code, signal),
    });
    this.#process = child;
  }

  #heard(child: Bun.Subprocess, message: ChildMessage): void {
    if (child !== this.#process) return;
    this.#lastHeard = performance.now();
    if (message === "done") this.#executing?.resolve();
    if (message !== "ready") return;
    this.#isReady = true;
    this.#first.resolve(true);
    this.#ready.resolve();
  }

  #ended(child: Bun.Subprocess, code: number | null, signal: unknown): void {
    if (child !== this.#process) return;
    this.#process = undefined;
    this.#first.resolve(false);
    if (this.#isStopping || !this.#isReplaced) return;
    const isStable = this.#isReady && performance.now() - this.#startedAt > stableMilliseconds;
    if (isStable) this.#delay = firstDelayMilliseconds;
    const { name, log } = this.options;
    log("a process ended and is replaced", { process: name, pid: child.pid, code, signal });
    // The first replacement is immediate.
    this.#restart = setTimeout(() => this.#start(), isStable || this.#starts === 1 ? 0 : this.#delay);
    if (!isStable) this.#delay = Math.min(2 * this.#delay, lastDelayMilliseconds);
  }

  #checkSilence(): void {
    const silent = performance.now() - this.#lastHeard;
    const { silenceMilliseconds = defaultSilenceMilliseconds } = this.options;
    if (!this.#process || silent < (this.#isReady ? silenceMilliseconds : startMilliseconds)) return;
    this.options.log("a process does not respond and is killed", { process: this.options.name, pid: this.pid });
    this.#process.kill("SIGKILL");
  }
}
