import type { Environment } from "../../config/config.ts";
import { drainMessage, SupervisedProcess } from "../../platform/processes/supervised-process.ts";
import type { MachineSockets, SandboxSocket } from "../../server/worker-process/machine-sockets.ts";
import { type Child, primaryProcess, programCommand, sandboxProcess, workerProcess } from "./child-options.ts";

/** Maximum duration of a graceful stop of the workers, then of the primary, then of sandboxes. */
const workerPatienceMilliseconds = 20_000;
const primaryPatienceMilliseconds = 20_000;
const sandboxPatienceMilliseconds = 15_000;
/** Maximum duration of a stop, after draining. A service manager must not kill the processes sooner. */
export const maxStopMilliseconds =
  workerPatienceMilliseconds + primaryPatienceMilliseconds + sandboxPatienceMilliseconds;
/** In an upgrade, idle connections are kept for a while, and responses may stream for five minutes. */
const leavingPatienceMilliseconds = 330_000;

interface MachineOptions {
  /** The number of workers. */
  count: number;
  environment: Environment;
  info(message: string, fields: Record<string, unknown>): void;
  warn(message: string, fields: Record<string, unknown>): void;
}

/** Processes of one release that work together. */
interface Generation {
  socket: SandboxSocket;
  sandboxes: SupervisedProcess;
  primary: SupervisedProcess;
  workers: SupervisedProcess[];
}

/** The processes of `tollgate serve` with workers. */
export class Machine {
  #current: Generation | undefined;
  /** Workers of the release before an upgrade, until they have ended. */
  readonly #leaving = new Set<Promise<void>>();
  /** The workers that an upgrade replaces, until they have ended. */
  readonly #replaced = new Set<SupervisedProcess>();
  #upgrade: Promise<void> | undefined;
  #isUpgradeWanted = false;
  #isDraining = false;
  #isStopping = false;

  constructor(
    private readonly sockets: MachineSockets,
    private readonly options: MachineOptions,
  ) {}

  /** Resolves to false if the first primary does not start. */
  async start(): Promise<boolean> {
    const current = this.#newGeneration(this.sockets.openSandboxes(), false);
    this.#current = current;
    if (!(await current.primary.firstReady)) return false;
    // A stop during the start waits only for the processes that were there.
    if (this.#isStopping) return true;
    for (let index = 0; index < this.options.count; index++) this.#startWorker(current);
    return true;
  }

  /**
   * Replaces all processes by those of the program that is at this path now: the primary, then the workers one by one.
   * A call during an upgrade begins another one after it.
   */
  async upgrade(): Promise<void> {
    this.#isUpgradeWanted = true;
    this.#upgrade ??= this.#upgradeWhileWanted().finally(() => {
      this.#upgrade = undefined;
    });
    await this.#upgrade;
  }

  /** All workers, and those that replace them, drain: load balancers send their requests elsewhere. */
  drain(): void {
    this.#isDraining = true;
    this.options.info("draining", {});
    for (const worker of this.#allWorkers()) worker.announce(drainMessage);
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    const current = this.#current;
    if (!current) return;
    this.sockets.closePublic();
    await Promise.all(Array.from(this.#allWorkers(), (worker) => worker.stop(workerPatienceMilliseconds)));
    await current.primary.stop(primaryPatienceMilliseconds);
    await current.sandboxes.stop(sandboxPatienceMilliseconds);
    current.socket.close();
    // An upgrade in progress ends, and with it the processes that it replaced.
    await this.#upgrade;
    await Promise.all(this.#leaving);
  }

  #allWorkers(): Set<SupervisedProcess> {
    return new Set([...(this.#current?.workers ?? []), ...this.#replaced]);
  }

  async #upgradeWhileWanted(): Promise<void> {
    while (this.#isUpgradeWanted && !this.#isStopping) {
      this.#isUpgradeWanted = false;
      const { warn } = this.options;
      const version = await programVersion(this.options.environment);
      if (version === undefined)
        warn("the program does not start, so nothing is replaced", { program: programCommand().at(-1) });
      else await this.#replaceAll(version).catch((error: unknown) => warn("the upgrade failed", { version, error }));
    }
  }

  async #replaceAll(version: string): Promise<void> {
    const { info } = this.options;
    const before = this.#current!;
    // Opened before anything stops, because it fails if there are too many open files.
    const socket = this.sockets.openSandboxes();
    info("upgrade begins", { version });
    for (const worker of before.workers) {
      this.#replaced.add(worker);
      worker.retire();
    }
    // A worker that is starting would serve requests meanwhile.
    await Promise.all(before.workers.map((worker) => worker.started));
    // New requests are held, so that the primary has no pending requests and workers do not read storage.
    await Promise.all(before.workers.map((worker) => worker.order("hold")));
    await before.primary.stop(primaryPatienceMilliseconds);
    // Then the former processes are the current ones, and stop.
    if (this.#isStopping) {
      socket.close();
      return;
    }
    const next = this.#newGeneration(socket, true);
    this.#current = next;
    // If it does not start, it is started again: with the former program at its path, nothing is lost.
    await next.primary.ready;
    await Promise.all(before.workers.map((worker) => worker.order("forward")));
    const left: Promise<void>[] = [];
    for (let index = 0; index < this.options.count && !this.#isStopping; index++) {
      await this.#startWorker(next).ready;
      const worker = before.workers[index];
      if (worker) left.push(this.#leave(worker));
    }
    const ended = Promise.all(left).then(() => this.#endSandboxes(before));
    this.#leaving.add(ended);
    void ended.finally(() => this.#leaving.delete(ended));
    info("upgrade is complete", { version });
  }

  async #leave(worker: SupervisedProcess): Promise<void> {
    await worker.stop(leavingPatienceMilliseconds);
    this.#replaced.delete(worker);
  }

  async #endSandboxes({ sandboxes, socket }: Generation): Promise<void> {
    await sandboxes.stop(sandboxPatienceMilliseconds);
    socket.close();
  }

  #newGeneration(socket: SandboxSocket, isSuccessor: boolean): Generation {
    return {
      socket,
      sandboxes: this.#process("sandboxes", sandboxProcess(socket)),
      primary: this.#process("primary", primaryProcess(this.sockets, socket, isSuccessor)),
      workers: [],
    };
  }

  #startWorker({ socket, workers }: Generation): SupervisedProcess {
    const worker = this.#process(`worker ${workers.length + 1}`, workerProcess(this.sockets, socket));
    workers.push(worker);
    if (this.#isDraining) worker.announce(drainMessage);
    return worker;
  }

  #process(name: string, child: Child): SupervisedProcess {
    const { environment, warn } = this.options;
    return new SupervisedProcess({ name, environment, log: warn, ...child });
  }
}

/** Undefined if the program cannot run. */
async function programVersion(environment: Environment): Promise<string | undefined> {
  try {
    const child = Bun.spawn([...programCommand(), "--version"], {
      env: environment,
      stdout: "pipe",
      stderr: "inherit",
    });
    const text = await child.stdout.text();
    return (await child.exited) === 0 ? text.trim() : undefined;
  } catch {
    return undefined;
  }
}
